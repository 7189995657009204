// Owns asking the host how people may sign in and which parts of accounts are on. Knows no page.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from './api-client.ts'
import { hasCode } from './api-error.ts'
import type { CallResult } from './endpoints.ts'

/** How people may sign in here. @source D-34 */
export type AuthConfig = CallResult<'getAuthConfig'>

/** One provider of {@link AuthConfig}. */
export type Provider = AuthConfig['socialProviders'][number]

/** The public configuration; null where the host has no accounts at all. */
export const authConfigQuery = queryOptions({
  queryKey: ['auth-config'] as const,
  queryFn: async ({ signal }): Promise<AuthConfig | null> => {
    try {
      return await call('getAuthConfig', { signal })
    } catch (error) {
      if (hasCode(error, 'resource_not_found')) return null
      throw error
    }
  },
  staleTime: 60_000,
})

/** Whether a part of accounts is switched on; false while it is asked for. */
export function useAuthFeature(feature: keyof AuthConfig['features']): boolean {
  return useQuery(authConfigQuery).data?.features[feature] === true
}
