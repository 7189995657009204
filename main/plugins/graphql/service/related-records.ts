// Records that others lead to, for one request: all of a level are read together, whatever asks for them (no query per
// record). Reads through the data service alone.
import { maxTop } from './limits.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import type { Batched } from './batcher.ts'
import { createBatched } from './batcher.ts'

/** How children of a record are chosen; undefined: as they are by themselves. */
export interface ChildrenQuery {
  readonly where?: unknown
  readonly orderBy?: unknown
  readonly limit: number
}

/** The related records of one request. */
export interface RelatedRecords {
  /** @param select null: every field */
  record(object: string, id: string, select: readonly string[] | null): Promise<PlatformRecord | undefined>
  person(id: string): Promise<PlatformRecord | undefined>
  /** @param parent the record they hang on */
  children(
    object: string,
    parent: PlatformRecord,
    list: { readonly name: string; readonly fields: readonly string[] | null; readonly query: ChildrenQuery },
  ): Promise<readonly PlatformRecord[]>
}

/** Makes them. */
export function createRelatedRecords(data: DataService, ctx: RequestContext): RelatedRecords {
  const lookups = new Map<string, Batched<unknown>>()

  /** The lookup of a key, made at first use. */
  const lookup = <Value>(
    key: string,
    load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  ): Batched<Value> => {
    const found = (lookups.get(key) as Batched<Value> | undefined) ?? createBatched(maxTop, load)
    lookups.set(key, found as Batched<unknown>)
    return found
  }

  const find = async (object: string, ids: readonly string[], more: object): Promise<PlatformRecord[]> => {
    const query = { filter: { id: { $in: ids } }, top: ids.length, ...more }
    return (await data.find(ctx, object, query)).records
  }

  const byId = (records: readonly PlatformRecord[]): ReadonlyMap<string, PlatformRecord> =>
    new Map(records.map((record) => [record['id'] as string, record]))

  return {
    record: (object, id, select) =>
      lookup(`record ${object} ${select?.join() ?? '*'}`, async (ids) =>
        byId(await find(object, ids, select === null ? {} : { select })),
      )(id),
    person: (id) => lookup('person', (ids) => data.people(ctx, ids))(id),
    async children(object, parent, { name, fields, query }) {
      const options = { ...query, ...(fields === null ? {} : { fields }) }
      // What hangs on a deleted record is looked up from it all the same.
      const deleted = typeof parent['deleted_at'] === 'string' ? { deleted: 'include' } : {}
      const key = `children ${object} ${name} ${JSON.stringify([options, deleted])}`
      const load = async (ids: readonly string[]): Promise<ReadonlyMap<string, readonly PlatformRecord[]>> => {
        const parents = await find(object, ids, { select: ['id'], expand: { [name]: options }, ...deleted })
        return new Map(parents.map((one) => [one['id'] as string, one[name] as readonly PlatformRecord[]]))
      }
      return (await lookup(key, load)(parent['id'] as string)) ?? []
    },
  }
}
