// Owns whom one can mention: whoever may read the record, and the people its activity names already.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { FeedItem } from './feed-queries.ts'

/** Somebody. */
export interface Person {
  id: string
  name: string
}

/** Names shown at once. */
const offered = 6

const mentionableQuery = (object: string, recordId: string) =>
  queryOptions({
    queryKey: ['mentionable', object, recordId] as const,
    queryFn: async ({ signal }): Promise<Person[]> =>
      (await call('listMentionable', { params: { object, recordId }, signal })).people,
    staleTime: 60_000,
  })

/** The people one can mention on a record; `known` are those its activity names. */
export function usePeople(
  { object, recordId }: { object: string; recordId: string },
  known: readonly Person[],
  ownId: string | undefined,
): readonly Person[] {
  const { data: readers = [] } = useQuery(mentionableQuery(object, recordId))
  const byId = new Map([...known, ...readers].map((person) => [person.id, person]))
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
