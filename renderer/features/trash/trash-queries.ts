// Owns reading the trash: what there is by object, and its newest records as one list.
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { displayFieldOf } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'

/** What is in the trash, by object. */
export type TrashOverview = CallResult<'getTrash'>

/** A deleted record. */
export interface TrashedRecord {
  /** Unique over all objects. */
  key: string
  object: string
  id: string
  /** Undefined where the record has no name. */
  title: string | undefined
  deletedAt: string
  /** Who deleted it; undefined where nobody knows. */
  by: string | undefined
  /** Moment of the removal for good, in milliseconds; undefined for never. */
  goesAt: number | undefined
}

const dayMs = 86_400_000

/** Records shown of each object. */
export const shownOf = { one: 500, each: 50 } as const

/** What is in the trash, by object. */
export const trashQuery = queryOptions({
  queryKey: ['trash'] as const,
  queryFn: async ({ signal }) => call('getTrash', { signal }),
  staleTime: 0,
})

/** The newest deleted records of some objects, newest first. */
export function trashedQuery(overview: TrashOverview, objects: readonly ObjectItem[], only: string | undefined) {
  const shown = overview.objects.filter(({ object }) => only === undefined || object === only)
  return queryOptions({
    queryKey: ['trash', 'records', only ?? null, shown] as const,
    queryFn: async ({ signal }): Promise<TrashedRecord[]> => {
      const lists = await Promise.all(
        shown.map(async (each) => {
          const item = objects.find(({ name }) => name === each.object)
          return readTrashed(each, item, only === undefined ? shownOf.each : shownOf.one, signal)
        }),
      )
      return lists.flat().toSorted((a, b) => (a.deletedAt < b.deletedAt ? 1 : -1))
    },
    staleTime: 0,
  })
}

async function readTrashed(
  { object, retentionDays }: TrashOverview['objects'][number],
  item: ObjectItem | undefined,
  top: number,
  signal: AbortSignal,
): Promise<TrashedRecord[]> {
  const display = item && displayFieldOf(item)
  const { records } = await call('queryRecords', {
    params: { object },
    body: {
      deleted: 'only',
      sort: '-deleted_at',
      top,
      select: ['id', 'deleted_at', 'deleted_by', ...(display === undefined ? [] : [display])],
      expand: ['deleted_by'],
    },
    signal,
  })
  return records.map((record) => {
    const deletedAt = String(record['deleted_at'])
    const title = display === undefined ? '' : String(record[display] ?? '')
    const by = record['deleted_by'] as { name?: string } | string | null
    return {
      key: `${object}/${String(record['id'])}`,
      object,
      id: String(record['id']),
      title: title || undefined,
      deletedAt,
      by: typeof by === 'object' ? by?.name : undefined,
      goesAt: retentionDays === 0 ? undefined : Date.parse(deletedAt) + retentionDays * dayMs,
    }
  })
}
