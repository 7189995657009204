// The statement that reads one record. Its text is made once per object schema, because it is the hottest of all.
import type { Statement } from '#main/kernel/database.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Row, RowReader } from './row-reader.ts'
import { createRowReader, selectList } from './row-reader.ts'

interface RecordSql {
  readonly get: string
  readonly read: RowReader
}

const cache = new WeakMap<ObjectSchema, RecordSql>()

/** Reads one live record by id, with every visible field. Rows go through {@link readRecord}. */
export function buildGet(schema: ObjectSchema, id: string): Statement<Row> {
  return { sql: sqlOf(schema).get, parameters: [id] }
}

/** Turns a row of {@link buildGet} into the record, in place. */
export function readRecord(schema: ObjectSchema, row: Row): Row {
  return sqlOf(schema).read(row)
}

function sqlOf(schema: ObjectSchema): RecordSql {
  let found = cache.get(schema)
  if (!found) {
    found = compile(schema)
    cache.set(schema, found)
  }
  return found
}

function compile(schema: ObjectSchema): RecordSql {
  const columns = selectList(schema.visibleFields, 't0')
  return {
    get: `SELECT ${columns} FROM "${schema.table}" AS t0 WHERE t0."id" = ? AND t0."deleted_at" IS NULL`,
    read: createRowReader(schema.visibleFields),
  }
}
