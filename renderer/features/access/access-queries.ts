// Owns reading people and their rights, and the cache keys they live under.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { textOf } from '../../lib/text-of.ts'

/** A person as the accounts list them; further members depend on what is switched on. */
export type Person = CallResult<'adminListUsers'>['users'][number]

/** Everything somebody may do. */
export type EffectiveRights = CallResult<'getEffectivePermissions'>

/** Profile, roles and permission sets of a person. */
export type Assignments = CallResult<'getAssignments'>

/** People of one page of the list. */
export const peoplePerPage = 50

/** One page of people by name. @throws ApiError permission_denied */
export function peopleQuery(search: string, offset: number) {
  return queryOptions({
    queryKey: ['people', search, offset] as const,
    queryFn: async ({ signal }) =>
      call('adminListUsers', {
        query: {
          limit: peoplePerPage,
          offset,
          sortBy: 'name',
          sortDirection: 'asc',
          ...(search === ''
            ? {}
            : { searchValue: search, searchField: search.includes('@') ? ('email' as const) : ('name' as const) }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  })
}

/** Everybody, for choices. */
export const everybodyQuery = queryOptions({
  queryKey: ['people', 'everybody'] as const,
  queryFn: async ({ signal }) =>
    (await call('adminListUsers', { query: { limit: 200, sortBy: 'name', sortDirection: 'asc' }, signal })).users,
  staleTime: 30_000,
})

/** One person. @throws ApiError resource_not_found */
export function personQuery(id: string) {
  return queryOptions({
    queryKey: ['people', 'one', id] as const,
    queryFn: async ({ signal }) => call('adminGetUser', { query: { id }, signal }),
  })
}

/** What a person was given. @throws ApiError permission_denied, resource_not_found */
export function assignmentsQuery(userId: string) {
  return queryOptions({
    queryKey: ['people', 'assignments', userId] as const,
    queryFn: async ({ signal }) => call('getAssignments', { params: { userId }, signal }),
  })
}

/** Everything a person may do. */
export function effectiveQuery(userId: string) {
  return queryOptions({
    queryKey: ['people', 'effective', userId] as const,
    queryFn: async ({ signal }) => call('getEffectivePermissions', { query: { userId }, signal }),
  })
}

/** What a person may do with the records and fields of one object. */
export function objectRightsQuery(userId: string, object: string) {
  return queryOptions({
    queryKey: ['people', 'effective', userId, object] as const,
    queryFn: async ({ signal }) => call('getObjectPermissions', { params: { object }, query: { userId }, signal }),
  })
}

/** Sessions of a person. */
export function personSessionsQuery(userId: string) {
  return queryOptions({
    queryKey: ['people', 'sessions', userId] as const,
    queryFn: async ({ signal }) => (await call('adminListSessions', { body: { userId }, signal })).sessions,
  })
}

/** Messages that wait to be handed on. */
export const outboxQuery = queryOptions({
  queryKey: ['people', 'outbox'] as const,
  queryFn: async ({ signal }) => (await call('listOutbox', { signal })).messages,
})

/** Whether a person administers the accounts. */
export function isAdmin(person: Person): boolean {
  return textOf(person, 'role')
    .split(',')
    .some((role) => role.trim() === 'admin')
}

/** Whether a person is shut out. */
export function isBanned(person: Person): boolean {
  return person['banned'] === true
}
