// Where feed rows belong: one record, by the stable id of its object. Pure.
import type { ObjectSchema } from '#shared/object-schema.ts'

/** The key all tables of feeds begin with. */
export interface Place {
  /** Uid of the object. */
  readonly object: string
  readonly recordId: string
}

/** A record of an object as requests name it. */
export interface RecordPlace extends Place {
  readonly schema: ObjectSchema
}

/**
 * The condition on rows of a place; its values are {@link placeValues}. With the signs SQLite does not plan statements with
 * ORDER BY anew at every run.
 */
export const placeSql = 'object = +? AND record_id = +?'

/** The values of {@link placeSql}. */
export function placeValues({ object, recordId }: Place): [string, string] {
  return [object, recordId]
}
