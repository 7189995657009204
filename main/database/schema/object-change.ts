// Applies a planned change to the tables of an object, inside the write that stores the definition (D-100, D-101).
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { quoteIdentifier as quote } from './identifiers.ts'
import { createTableSql, fieldColumns, wantedIndexes } from './object-ddl.ts'

/** Where what a change removes is kept: called with the table that holds it now. */
export type KeepRemoved = (removed: { object: string; field: string | null; table: string; records: number }) => void

/** What applying needs beside the schemas. */
export interface ChangeOptions {
  /** Makes the name of a table that keeps removed values. */
  readonly backupTable: () => string
  readonly keep: KeepRemoved
  /** The value existing records get for a new field; null for none (literal defaults only, D-100). */
  readonly initialValue: (field: FieldSchema) => unknown
}

/** Brings the table from one schema to another; null stands for "no object". Data of removed fields is kept aside. */
export function applyObjectChange(
  tx: Tx,
  previous: ObjectSchema | null,
  next: ObjectSchema | null,
  options: ChangeOptions,
): void {
  const before = previous === null || previous.abstract ? null : previous
  const after = next === null || next.abstract ? null : next
  if (before === null) {
    if (after === null) return
    tx.ddl(createTableSql(after))
    syncIndexes(tx, after)
    return
  }
  if (after === null) {
    dropIndexes(tx, before.table, new Set())
    const table = options.backupTable()
    tx.ddl(`ALTER TABLE ${quote(before.table)} RENAME TO ${quote(table)}`)
    options.keep({ object: before.name, field: null, table, records: countRows(tx, table) })
    return
  }
  if (before.table !== after.table) {
    tx.ddl(`ALTER TABLE ${quote(before.table)} RENAME TO ${quote(after.table)}`)
  }
  const oldByUid = new Map(before.fields.map((field) => [field.uid, field]))
  const nextUids = new Set(after.fields.map((field) => field.uid))
  const removed = before.fields.filter((field) => !nextUids.has(field.uid))
  const rebuilt = after.fields.filter((field) => needsRebuild(oldByUid.get(field.uid), field))
  // Columns cannot be dropped while an index names them.
  if (removed.length > 0 || rebuilt.length > 0) dropIndexes(tx, after.table, new Set())
  for (const field of removed) removeField(tx, before, after.table, field, options)
  for (const field of after.fields) {
    const old = oldByUid.get(field.uid)
    if (old !== undefined && old.column !== field.column) renameColumns(tx, after.table, old, field)
  }
  for (const field of rebuilt) rebuildColumn(tx, after.table, field)
  for (const field of after.fields) {
    if (!oldByUid.has(field.uid)) addField(tx, after.table, field, options)
  }
  syncIndexes(tx, after)
}

/** Creates the indexes the schema wants and drops the ones it no longer does. */
export function syncIndexes(tx: Tx, schema: ObjectSchema): void {
  const wanted = wantedIndexes(schema)
  const present = dropIndexes(tx, schema.table, new Set(wanted.map((index) => index.name)))
  for (const index of wanted) if (!present.has(index.name)) tx.ddl(index.sql)
}

function dropIndexes(tx: Tx, table: string, keep: ReadonlySet<string>): Set<string> {
  const names = tx
    .all<{ name: string }>(
      statement("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", [table]),
    )
    .map((row) => row.name)
  for (const name of names) if (!keep.has(name)) tx.ddl(`DROP INDEX ${quote(name)}`)
  return new Set(names.filter((name) => keep.has(name)))
}

function removeField(tx: Tx, before: ObjectSchema, table: string, field: FieldSchema, options: ChangeOptions): void {
  const backup = options.backupTable()
  const columns = columnNames(field).map(quote).join(', ')
  tx.ddl(
    `CREATE TABLE ${quote(backup)} AS SELECT id, ${columns} FROM ${quote(table)} WHERE ${quote(field.column)} IS NOT NULL`,
  )
  options.keep({ object: before.name, field: field.name, table: backup, records: countRows(tx, backup) })
  for (const column of columnNames(field)) tx.ddl(`ALTER TABLE ${quote(table)} DROP COLUMN ${quote(column)}`)
}

function renameColumns(tx: Tx, table: string, old: FieldSchema, field: FieldSchema): void {
  const to = columnNames(field)
  columnNames(old).forEach((column, at) => {
    if (to[at] !== undefined && to[at] !== column) {
      tx.ddl(`ALTER TABLE ${quote(table)} RENAME COLUMN ${quote(column)} TO ${quote(to[at])}`)
    }
  })
}

function addField(tx: Tx, table: string, field: FieldSchema, options: ChangeOptions): void {
  for (const column of fieldColumns(field)) tx.ddl(`ALTER TABLE ${quote(table)} ADD COLUMN ${column}`)
  const initial = options.initialValue(field)
  if (initial === null || initial === undefined) return
  const value = fieldTypeOf(field).toColumn(initial, field)
  tx.run(statement(`UPDATE ${quote(table)} SET ${quote(field.column)} = ?`, [value]))
}

function needsRebuild(old: FieldSchema | undefined, field: FieldSchema): boolean {
  return (
    old !== undefined && (old.sqlType !== field.sqlType || (old.multiple !== field.multiple && old.type === field.type))
  )
}

/** Copies the values into a column of the new storage class under the same name. */
function rebuildColumn(tx: Tx, table: string, field: FieldSchema): void {
  const column = quote(field.column)
  const fresh = quote(`_new_${field.column}`)
  const value =
    field.sqlType === 'INTEGER' ? `CAST(round(${column}) AS INTEGER)` : `CAST(${column} AS ${field.sqlType})`
  tx.ddl(`ALTER TABLE ${quote(table)} ADD COLUMN ${fresh} ${field.sqlType}`)
  tx.run(statement(`UPDATE ${quote(table)} SET ${fresh} = ${value} WHERE ${column} IS NOT NULL`))
  tx.ddl(`ALTER TABLE ${quote(table)} DROP COLUMN ${column}`)
  tx.ddl(`ALTER TABLE ${quote(table)} RENAME COLUMN ${fresh} TO ${column}`)
}

function columnNames(field: FieldSchema): string[] {
  return [field.column, ...field.extraColumns.map((extra) => extra.name)]
}

function countRows(tx: Tx, table: string): number {
  return tx.get<{ n: number }>(statement(`SELECT count(*) AS n FROM ${quote(table)}`))!.n
}
