// Owns what people are called who have to do with a record: the readers of it by name, oneself and the host by a word.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../lib/api-client.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { localOwnerId, useOwnId } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import type { RecordName } from './workflow-queries.ts'
import type { NameOf } from './workflow-words.ts'

/** People who may read a record, by name. @throws ApiError resource_not_found */
export const readersQuery = ({ object, recordId }: RecordName) =>
  queryOptions({
    queryKey: ['workflow-readers', object, recordId] as const,
    queryFn: async ({ signal }) => (await call('listMentionable', { params: { object, recordId }, signal })).people,
    staleTime: 60_000,
    retry: false,
  })

/** People by id, and those one can hand a decision on to. */
export interface PeopleNames {
  readonly nameOf: NameOf
  readonly readers: readonly { readonly id: string; readonly name: string }[]
}

/** The names; of people who may not read the record, and where it has no activity, there are none. */
export function usePeopleNames(record: RecordName): PeopleNames {
  const ownId = useOwnId()
  const { data: manifest } = useQuery(discoveryQuery)
  const { data: readers } = useQuery({ ...readersQuery(record), enabled: manifest?.features.feed === true })
  return useMemo(() => {
    const byId = new Map(readers?.map(({ id, name }) => [id, name]))
    const nameOf: NameOf = (id) => {
      if (id === ownId) return t('who.you')
      if (id === 'system') return t('who.system')
      return byId.get(id) ?? (id === localOwnerId ? t('who.owner') : undefined)
    }
    return { nameOf, readers: readers ?? [] }
  }, [ownId, readers])
}
