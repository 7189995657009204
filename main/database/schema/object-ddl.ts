// DDL of object tables: the table, its columns and its indexes, derived from a compiled object. Text only.
import { createHash } from 'node:crypto'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { quoteIdentifier as quote } from './identifiers.ts'

/** An index a table should have. */
export interface WantedIndex {
  readonly name: string
  readonly sql: string
}

/**
 * The statement that creates an object's table. `_row` is declared so that row numbers survive VACUUM: the search
 * index points at them. Columns carry no NOT NULL and no UNIQUE: rules are the engine's, because a merge of two
 * machines may break them for a while and must still be storable.
 */
export function createTableSql(schema: ObjectSchema): string {
  const columns = [
    '"_row" INTEGER PRIMARY KEY',
    ...schema.systemFields.map((field) =>
      field.name === 'id' ? '"id" TEXT NOT NULL UNIQUE' : columnSql(field.column, field.sqlType),
    ),
    ...schema.fields.flatMap(fieldColumns),
  ]
  return `CREATE TABLE ${quote(schema.table)} (${columns.join(', ')}) STRICT`
}

/** Definitions of the columns of one field. */
export function fieldColumns(field: FieldSchema): string[] {
  return [
    columnSql(field.column, field.sqlType),
    ...field.extraColumns.map((extra) => columnSql(extra.name, extra.sqlType)),
  ]
}

function columnSql(name: string, sqlType: string): string {
  return `${quote(name)} ${sqlType}`
}

/**
 * The indexes an object's table should have. All hold live rows only and end with `id`, so that they serve the
 * tie-break of every sort. Uniqueness is not among their duties.
 */
export function wantedIndexes(schema: ObjectSchema): WantedIndex[] {
  const wanted = new Map<string, WantedIndex>()
  const add = (terms: readonly string[]): void => {
    const sql = `${quote(schema.table)} (${[...terms, '"id"'].join(', ')}) WHERE "deleted_at" IS NULL`
    const name = `ix_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`
    wanted.set(name, { name, sql: `CREATE INDEX ${quote(name)} ON ${sql}` })
  }
  for (const field of schema.fields) {
    if (!field.index || field.multiple) continue
    add(equalityTerms(field))
    if (fieldTypeOf(field).collation === 'text' && field.sortable) add(sortTerms(field))
  }
  for (const index of schema.indexes) {
    const fields = index.fields.map((name) => schema.byName.get(name)).filter((field) => field !== undefined)
    if (fields.length === 0) continue
    // Leading fields are compared for equality, the last one may be the sort.
    add(fields.flatMap((field, at) => (at === fields.length - 1 ? sortTerms(field) : equalityTerms(field))))
  }
  return [...wanted.values()]
}

function equalityTerms(field: FieldSchema): string[] {
  return field.caseSensitive ? [quote(field.column)] : [`lower(${quote(field.column)})`]
}

function sortTerms(field: FieldSchema): string[] {
  const column = quote(field.column)
  return fieldTypeOf(field).collation === 'text' ? [`${column} COLLATE NOCASE`, column] : [column]
}
