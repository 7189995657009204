// Owns what the person in front of the screen may do, for offering only what will not be refused.
import { queryOptions } from '@tanstack/react-query'
import { call } from './api-client.ts'

/** The caller's effective rights. */
export const ownRightsQuery = queryOptions({
  queryKey: ['own-rights'] as const,
  queryFn: async ({ signal }) => call('getEffectivePermissions', { query: {}, signal }),
  staleTime: 30_000,
})
