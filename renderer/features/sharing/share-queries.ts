// Owns reading who has access to one record, and the cache keys it lives under.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import type { CallResult } from '../../lib/endpoints.ts'

/** One share of a record. */
export type Share = CallResult<'listShares'>['shares'][number]

/** Somebody, a role or a team. */
export type Principal = CallResult<'findSharePrincipals'>['principals'][number]

/** What a principal may do with a shared record. */
export type ShareLevel = Share['access']

/** The levels, the smallest first. */
export const shareLevels = ['read', 'edit', 'full'] as const satisfies readonly ShareLevel[]

/** Names one record; `label` is what people call it. */
export interface SharedRecord {
  object: string
  id: string
  label: string
}

/** Key of everything about the access to a record. */
export function accessKey({ object, id }: SharedRecord): readonly string[] {
  return ['access', object, id]
}

/** The shares of a record. @throws ApiError resource_not_found */
export function sharesQuery(record: SharedRecord) {
  const { object, id } = record
  return queryOptions({
    queryKey: [...accessKey(record), 'shares'],
    queryFn: async ({ signal }) => (await call('listShares', { params: { object, id }, signal })).shares,
    staleTime: 0,
  })
}

/** Who owns a record: an id, and a name where the account is still there. @throws ApiError resource_not_found */
export function ownerQuery(record: SharedRecord) {
  const { object, id } = record
  return queryOptions({
    queryKey: [...accessKey(record), 'owner'],
    queryFn: async ({ signal }): Promise<{ id: string; name: string | undefined }> => {
      const answer = await call('getRecord', { params: { object, id }, query: { expand: 'owner' }, signal })
      const owner: unknown = answer.record['owner']
      if (typeof owner !== 'object' || owner === null) return { id: String(owner ?? ''), name: undefined }
      const { id: ownerId, name, email } = owner as Readonly<Record<string, unknown>>
      return { id: String(ownerId), name: String(name || email) }
    },
    staleTime: 0,
  })
}

/** Whom a record can be shared with; null where the caller may not share it. */
export function principalsQuery(record: SharedRecord, text: string) {
  const { object, id } = record
  return queryOptions({
    queryKey: [...accessKey(record), 'principals', text],
    queryFn: async ({ signal }) => {
      try {
        return await call('findSharePrincipals', { params: { object, id }, query: { query: text }, signal })
      } catch (error) {
        if (hasCode(error, 'permission_denied')) return null
        throw error
      }
    },
    placeholderData: keepPreviousData,
  })
}

/** Whether the caller may give a record to another owner. */
export function mayTransferQuery(record: SharedRecord) {
  const { object, id } = record
  return queryOptions({
    queryKey: [...accessKey(record), 'transfer'],
    queryFn: async ({ signal }) =>
      (await call('checkPermission', { query: { object, action: 'transfer', recordId: id }, signal })).allowed,
  })
}
