// Owns whom one can mention: everybody, for those who may list accounts; else the people this record knows already.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import type { FeedItem } from './feed-queries.ts'

/** Somebody. */
export interface Person {
  id: string
  name: string
}

/** Accounts that are offered. */
const maxPeople = 500
/** Names shown at once. */
const offered = 6

const accountsQuery = queryOptions({
  queryKey: ['people'] as const,
  queryFn: async ({ signal }): Promise<Person[]> => {
    try {
      const { users } = await call('adminListUsers', {
        query: { limit: String(maxPeople), sortBy: 'name' },
        signal,
      })
      return users.map((user) => ({ id: user.id, name: user.name || user.email }))
    } catch (error) {
      if (hasCode(error, 'permission_denied', 'resource_not_found')) return []
      throw error
    }
  },
  staleTime: 60_000,
})

/** The people one can mention; `known` are those who did something here. */
export function usePeople(known: readonly Person[], ownId: string | undefined): readonly Person[] {
  const { data: accounts = [] } = useQuery(accountsQuery)
  const byId = new Map([...known, ...accounts].map((person) => [person.id, person]))
  return [...byId.values()]
    .filter(({ id }) => id !== ownId)
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

/** The people a list of items names. */
export function peopleOf(items: readonly FeedItem[]): Person[] {
  const people = new Map<string, string>()
  for (const { actor, mentions } of items) {
    if (actor.type === 'user' && actor.name) people.set(actor.id, actor.name)
    for (const { type, id, name } of mentions) if (type === 'user' && !people.has(id)) people.set(id, name)
  }
  return [...people].map(([id, name]) => ({ id, name }))
}

/** People whose name has a word that begins with a text, the best first. */
export function matchingPeople(people: readonly Person[], text: string): readonly Person[] {
  const wanted = text.toLowerCase()
  const rank = ({ name }: Person): number => {
    const lower = name.toLowerCase()
    if (lower.startsWith(wanted)) return 0
    return lower.split(/\s+/).some((word) => word.startsWith(wanted)) ? 1 : 2
  }
  return people
    .filter((person) => rank(person) < 2)
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, offered)
}
