// Owns reading one record, the form it is laid out by, its neighbours and what leads to it; and the cache keys of these.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { GridRecord } from '../../components/grid/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { buildGroup, inOwnWords, readQuery, sortText } from '../records/index.ts'
import { readSections } from './form-sections.ts'
import type { FormSection } from './form-sections.ts'

/** Columns every record has that lead to people. @source D-87 */
export const peopleColumns = ['created_by', 'updated_by', 'owner'] as const

/** One record with what it leads to. @throws ApiError resource_not_found */
export function recordQuery(object: string, id: string, expand: readonly string[]) {
  return queryOptions({
    queryKey: ['record', object, id, expand] as const,
    queryFn: async ({ signal }): Promise<GridRecord> => {
      const query = expand.length > 0 ? { expand: expand.join(',') } : {}
      return (await call('getRecord', { params: { object, id }, query, signal })).record
    },
  })
}

/** How the fields of an object are laid out on its form; none where the host lays nothing out. */
export function formQuery(object: string) {
  return queryOptions({
    queryKey: ['form-view', object] as const,
    queryFn: async ({ signal }): Promise<FormSection[]> =>
      readSections(await call('getGeneratedView', { params: { object, type: 'form' }, signal })),
    staleTime: 60_000,
  })
}

/** Records among which the next and the previous one are looked for. */
const maxNeighbours = 1_000

/** Ids of the records of a table in their order, as far as they are looked at. */
export function neighboursQuery(
  object: string,
  view: string,
  fields: readonly FieldDefinition[],
  context: FieldContext,
) {
  return queryOptions({
    queryKey: ['record-neighbours', object, view] as const,
    queryFn: async ({ signal }): Promise<string[]> => {
      const { filter, sort, search } = inOwnWords(readQuery(view), fields, context)
      const condition = filter && buildGroup(filter, fields, context)
      const { records } = await call('listRecords', {
        params: { object },
        query: {
          top: maxNeighbours,
          select: 'id',
          ...(condition ? { filter: JSON.stringify(condition) } : {}),
          ...(sort.length > 0 ? { sort: sortText(sort) } : {}),
          ...(search === '' ? {} : { search }),
        },
        signal,
      })
      return records.map(({ id }) => String(id))
    },
    staleTime: 30_000,
  })
}

/** The first records of another object that lead to one, and how many there are; what they lead to themselves expanded. */
export function linkedQuery(object: string, field: string, id: string, shown: number, expand: readonly string[]) {
  return queryOptions({
    queryKey: ['record-links', object, field, id, shown] as const,
    queryFn: async ({ signal }): Promise<{ records: GridRecord[]; total: number }> => {
      const { records, total } = await call('listRecords', {
        params: { object },
        query: {
          top: shown,
          count: true,
          filter: JSON.stringify({ [field]: id }),
          ...(expand.length > 0 ? { expand: expand.join(',') } : {}),
        },
        signal,
      })
      return { records, total: total ?? records.length }
    },
    placeholderData: keepPreviousData,
  })
}

/** The own subscription to a record; null for none. */
export type Subscription = Awaited<ReturnType<typeof call<'getSubscription'>>> | null
