// The statements on single records: get, insert, update, purge. Their text is made once per object schema, because
// they are the hottest of all.
import type { Statement } from '#main/kernel/database.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Row, RowReader } from './row-reader.ts'
import { createRowReader, selectList } from './row-reader.ts'

/** Values by field name, in the JSON form that `parse` gives. */
export type RecordValues = Readonly<Record<string, unknown>>

interface RecordSql {
  readonly get: string
  readonly getAny: string
  readonly insert: string
  readonly insertFields: readonly FieldSchema[]
  readonly updates: Map<string, string>
  readonly read: RowReader
  readonly readAny: RowReader
}

const cache = new WeakMap<ObjectSchema, RecordSql>()

/** Reads one live record by id, with every visible field. Rows go through {@link readRecord}. */
export function buildGet(schema: ObjectSchema, id: string): Statement<Row> {
  return { sql: sqlOf(schema).get, parameters: [id] }
}

/** Reads one record by id whether deleted or not, with `deleted_at` and `deleted_by`. Rows go through {@link readAnyRecord}. */
export function buildGetAny(schema: ObjectSchema, id: string): Statement<Row> {
  return { sql: sqlOf(schema).getAny, parameters: [id] }
}

/** Turns a row of {@link buildGet} into the record, in place. */
export function readRecord(schema: ObjectSchema, row: Row): Row {
  return sqlOf(schema).read(row)
}

/** Turns a row of {@link buildGetAny} into the record, in place. */
export function readAnyRecord(schema: ObjectSchema, row: Row): Row {
  return sqlOf(schema).readAny(row)
}

/** Inserts a record; every field that is missing in `values` becomes null. */
export function buildInsert(schema: ObjectSchema, values: RecordValues): Statement<never> {
  const { insert, insertFields } = sqlOf(schema)
  const parameters: SqlValue[] = []
  for (const field of insertFields) pushColumns(parameters, field, values[field.name])
  return { sql: insert, parameters }
}

/**
 * Writes the given fields of one record. With `seenUpdatedAt` the statement changes nothing (`changes` is 0) when the
 * record was changed since.
 */
export function buildUpdate(
  schema: ObjectSchema,
  id: string,
  changes: RecordValues,
  seenUpdatedAt?: string,
): Statement<never> {
  const { updates } = sqlOf(schema)
  const fields: FieldSchema[] = []
  const parameters: SqlValue[] = []
  for (const name of Object.keys(changes)) {
    const field = schema.byName.get(name)
    if (!field) throw new Error(`The object "${schema.name}" has no field "${name}".`)
    fields.push(field)
    pushColumns(parameters, field, changes[name])
  }
  const key = `${fields.map((field) => field.name).join(',')}${seenUpdatedAt === undefined ? '' : '?'}`
  let sql = updates.get(key)
  if (sql === undefined) {
    const assignments = fields.flatMap(columnNames).map((name) => `"${name}" = ?`)
    const guard = seenUpdatedAt === undefined ? '' : ' AND "updated_at" = ?'
    sql = `UPDATE "${schema.table}" SET ${assignments.join(', ')} WHERE "id" = ?${guard}`
    // Objects with many fields have very many subsets; the common ones come back, the rest must not pile up.
    if (updates.size > 200) updates.clear()
    updates.set(key, sql)
  }
  parameters.push(id)
  if (seenUpdatedAt !== undefined) parameters.push(seenUpdatedAt)
  return { sql, parameters }
}

/** Removes the row of a record for good. */
export function buildPurge(schema: ObjectSchema, id: string): Statement<never> {
  return { sql: `DELETE FROM "${schema.table}" WHERE "id" = ?`, parameters: [id] }
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
  const all = [...schema.byName.values()]
  const columns = all.flatMap(columnNames)
  const names = columns.map((name) => `"${name}"`).join(', ')
  const from = `FROM "${schema.table}" AS t0 WHERE t0."id" = ?`
  return {
    get: `SELECT ${selectList(schema.visibleFields, 't0')} ${from} AND t0."deleted_at" IS NULL`,
    getAny: `SELECT ${selectList(all, 't0')} ${from}`,
    insert: `INSERT INTO "${schema.table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
    insertFields: all,
    updates: new Map(),
    read: createRowReader(schema.visibleFields),
    readAny: createRowReader(all),
  }
}

function columnNames(field: FieldSchema): string[] {
  return [field.column, ...field.extraColumns.map((extra) => extra.name)]
}

function pushColumns(parameters: SqlValue[], field: FieldSchema, value: unknown): void {
  const type = fieldTypeOf(field)
  const given = value === undefined ? null : value
  parameters.push(given === null ? null : type.toColumn(given, field))
  if (field.extraColumns.length > 0) parameters.push(...(type.toExtraColumns?.(given, field) ?? []))
}
