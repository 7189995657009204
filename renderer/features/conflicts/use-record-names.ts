// Owns what the records of a list of conflicts are called: one question per object, also for those in the trash where the
// person may see it.
import { useQueries } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { displayFieldOf } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import type { Conflict } from './conflict-queries.ts'

/** Most records one question names. */
const most = 200

/** A name by `object/id`; undefined while it is asked for, and of what may not be read. */
export function useRecordNames(
  conflicts: readonly Conflict[],
  objects: readonly ObjectItem[] | undefined,
): (object: string, id: string) => string | undefined {
  const wanted = new Map<string, Set<string>>()
  for (const { object, recordId, winner, losers, item } of conflicts) {
    if (item !== undefined) continue
    const ids = wanted.get(object) ?? new Set<string>()
    for (const id of [recordId, winner.record, ...losers.map(({ record }) => record)]) if (id !== undefined) ids.add(id)
    wanted.set(object, ids)
  }
  const asked = [...wanted].map(([object, ids]) => ({ object, ids: [...ids].toSorted().slice(0, most) }))
  const found = useQueries({
    queries: asked.map(({ object, ids }) => ({
      queryKey: ['sync', 'names', object, ids] as const,
      queryFn: async ({ signal }: { signal: AbortSignal }) => namesOf(objects ?? [], object, ids, signal),
      enabled: objects !== undefined,
      staleTime: 30_000,
    })),
  })
  const names = new Map(asked.map(({ object }, at) => [object, found[at]?.data]))
  return (object, id) => names.get(object)?.get(id)
}

async function namesOf(
  objects: readonly ObjectItem[],
  object: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const item = objects.find(({ name }) => name === object)
  const display = item && displayFieldOf(item)
  if (display === undefined) return new Map()
  const ask = async (deleted: 'include' | 'exclude') =>
    call('queryRecords', {
      params: { object },
      body: { filter: { id: { $in: ids } }, select: ['id', display], top: most, deleted },
      signal,
    })
  // Deleted records are listed for those who may restore them.
  const { records } = await ask('include').catch(async (error: unknown) => {
    if (!hasCode(error, 'permission_denied')) throw error
    return ask('exclude')
  })
  return new Map(records.map((record) => [String(record['id']), String(record[display] ?? '')]))
}
