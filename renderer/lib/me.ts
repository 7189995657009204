// Owns who is using this browser: the account and the session, and what they may do beside records.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from './api-client.ts'
import { hasCode } from './api-error.ts'
import type { CallResult } from './endpoints.ts'

/** The account in use with its session. */
export type Me = NonNullable<CallResult<'getSession'>>

/** The account in use; null on a host without accounts. */
export const meQuery = queryOptions({
  queryKey: ['me'] as const,
  queryFn: async ({ signal }): Promise<Me | null> => {
    try {
      return (await call('getSession', { signal })) ?? null
    } catch (error) {
      if (hasCode(error, 'resource_not_found')) return null
      throw error
    }
  },
  staleTime: 60_000,
})

/** The account in use; undefined while it is asked for. */
export function useMe(): Me | null | undefined {
  return useQuery(meQuery).data
}

/** Id of the person without an account: the owner of the computer. @source D-29 */
export const localOwnerId = '00000000-0000-7000-8000-000000000001'

/** Id of the person in front of the screen; undefined while it is asked for. */
export function useOwnId(): string | undefined {
  const me = useMe()
  return me === undefined ? undefined : (me?.user.id ?? localOwnerId)
}

/** Who acts as the account in use; undefined when nobody does. */
export function impersonatorOf(me: Me | null | undefined): string | undefined {
  const by = me?.session['impersonatedBy']
  return typeof by === 'string' ? by : undefined
}

/** Whether somebody is the owner by means of the own computer: without a password, and without a session to end. */
export function isOwnerHere(me: Me): boolean {
  return me.session.id === 'console-session' || me.session.id === 'connection-token'
}

/** The organization a session works in; undefined for none. */
export function activeOrganizationOf(me: Me | null | undefined): string | undefined {
  const id = me?.session['activeOrganizationId']
  return typeof id === 'string' && id !== '' ? id : undefined
}
