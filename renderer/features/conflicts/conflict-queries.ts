// Owns what the screens of conflicts read, and under which keys it is kept: below those of sync, so that they are asked for
// again whenever the host tells that something about sync happened.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { after, paged } from '../../lib/paged-query.ts'

/** A conflict. */
export type Conflict = CallResult<'listConflicts'>['conflicts'][number]

/** One of the values that met. */
export type ConflictSide = Conflict['winner']

/** Something that lies aside. */
export type Problem = CallResult<'listSyncProblems'>['problems'][number]

/** Something that is here and waits for its place. */
export type Waiting = CallResult<'listSyncProblems'>['waiting'][number]

/** What a decision is made of. */
export type Decision = Parameters<typeof call<'resolveConflict'>>[1]['body']

/** How many conflicts are decided at once. */
export type ManyChoice = Parameters<typeof call<'resolveConflicts'>>[1]['body']['choice']

/** Which conflicts are shown. */
export const conflictStates = ['open', 'resolved'] as const

/** One of {@link conflictStates}. */
export type ShownState = (typeof conflictStates)[number]

/** What a list is narrowed to. */
export interface ConflictScope {
  readonly state: ShownState
  readonly object?: string | undefined
  readonly recordId?: string | undefined
}

/** Beginning of the keys of conflicts; that of everything about sync comes first. */
export const conflictsKey = ['sync', 'conflicts'] as const

const pageSize = 50
const mostPerRecord = 200

const scoped = ({ state, object, recordId }: ConflictScope) => ({
  state,
  ...(object === undefined ? {} : { object }),
  ...(recordId === undefined ? {} : { recordId }),
})

/** Conflicts, newest first, page by page. */
export function conflictsQuery(scope: ConflictScope) {
  return infiniteQueryOptions({
    queryKey: [...conflictsKey, 'list', scoped(scope)] as const,
    queryFn: async ({ pageParam, signal }) =>
      call('listConflicts', {
        query: { ...scoped(scope), limit: pageSize, ...after(pageParam) },
        signal,
      }),
    ...paged,
  })
}

/** The open conflicts of an object, or of one record: what marks in tables and on pages are made of. */
export function openConflictsQuery(object: string, recordId?: string) {
  return queryOptions({
    queryKey: [...conflictsKey, 'open', object, recordId ?? ''] as const,
    queryFn: async ({ signal }): Promise<readonly Conflict[]> => {
      const query = { ...scoped({ state: 'open', object, recordId }), limit: mostPerRecord }
      try {
        return (await call('listConflicts', { query, signal })).conflicts
      } catch (error) {
        // Turned off meanwhile: nothing is marked.
        if (hasCode(error, 'sync_disabled', 'resource_not_found')) return []
        throw error
      }
    },
    staleTime: 30_000,
  })
}

/** How many conflicts are open. */
export const openCountQuery = queryOptions({
  queryKey: [...conflictsKey, 'count'] as const,
  queryFn: async ({ signal }) => (await call('listConflicts', { query: { limit: 1 }, signal })).total,
})

/** What lies aside, longest first. */
export const problemsQuery = queryOptions({
  queryKey: ['sync', 'problems', 'all'] as const,
  queryFn: async ({ signal }) => call('listSyncProblems', { query: { limit: 200 }, signal }),
})
