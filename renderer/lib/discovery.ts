// Owns asking the host what it offers: services, locale, limits.
import { queryOptions } from '@tanstack/react-query'
import { call } from './api-client.ts'

/** The manifest of D-17. */
export const discoveryQuery = queryOptions({
  queryKey: ['discovery'] as const,
  queryFn: async ({ signal }) => call('getDiscovery', { signal }),
  staleTime: 60_000,
})
