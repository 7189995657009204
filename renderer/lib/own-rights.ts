// Owns what the person in front of the screen may do, for offering only what will not be refused.
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { SystemPermission } from '#shared/system-permissions.ts'
import { call } from './api-client.ts'

/** The profile no right is kept from. */
export const administratorProfile = 'administrator'

/** The caller's effective rights. */
export const ownRightsQuery = queryOptions({
  queryKey: ['own-rights'] as const,
  queryFn: async ({ signal }) => call('getEffectivePermissions', { query: {}, signal }),
  staleTime: 30_000,
})

/** Whether the person in front of the screen has a system permission; undefined while that is asked for. */
export function useMay(permission: SystemPermission): boolean | undefined {
  return useQuery(ownRightsQuery).data?.systemPermissions.includes(permission)
}
