// The table of an object as DDL. Knows no data and no plans of change.
import type { FieldSchema, SqlType, SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { createIndexSql, physicalIndexes, trashIndex } from './physical-indexes.ts'
import { quoteLiteral, quoteName } from './sql-text.ts'

/** A column of an object's table. */
export interface Column {
  readonly name: string
  readonly sqlType: SqlType
}

/** System columns that are never null. */
const notNull = new Set(['created_at', 'updated_at'])

/**
 * The statements that create an object's table and its indexes; none for an abstract object. `rowid` is declared so
 * that VACUUM keeps it: search indexes refer to it. Deleted records have an index of their own.
 * @source D-92
 */
export function createTableSql(schema: ObjectSchema): string[] {
  if (schema.abstract) return []
  const columns = [
    '"rowid" INTEGER PRIMARY KEY',
    '"id" TEXT NOT NULL UNIQUE',
    ...schema.systemFields.slice(1).map((field) => `${columnSql(field)}${notNull.has(field.name) ? ' NOT NULL' : ''}`),
    ...schema.fields.flatMap((field) => fieldColumns(field).map(columnSql)),
  ]
  const table = quoteName(schema.table)
  return [
    `CREATE TABLE ${table} (\n  ${columns.join(',\n  ')}\n) STRICT`,
    ...[trashIndex(schema), ...physicalIndexes(schema)].map(createIndexSql),
  ]
}

/** Main column, then extra columns of a field. */
export function fieldColumns(field: FieldSchema): readonly Column[] {
  return [{ name: field.column, sqlType: field.sqlType }, ...field.extraColumns]
}

/** Columns of a field's types under given names, as CREATE TABLE writes them. @param values their defaults */
export function columnDefinitions(
  field: FieldSchema,
  names: readonly string[],
  values: readonly SqlValue[] = [],
): string[] {
  return fieldColumns(field).map((column, i) => {
    const value = values[i] ?? null
    return `${quoteName(names[i]!)} ${column.sqlType}${value === null ? '' : ` DEFAULT ${quoteLiteral(value)}`}`
  })
}

/** Column values of a literal default; null where the default is missing, an expression, a macro or not valid. */
export function defaultColumns(field: FieldSchema): readonly SqlValue[] {
  const given = field.defaultValue
  const isMacro = typeof given === 'string' && /^\{(?:me|today|now)\}$/.test(given)
  const isExpression = typeof given === 'object' && given !== null && Object.hasOwn(given, 'expression')
  if (given === undefined || given === null || isMacro || isExpression) return []
  const type = fieldTypeOf(field)
  const result = type.parse(given, field, { timeZone: 'UTC' })
  if (!result.ok) return []
  return [type.toColumn(result.value, field), ...(type.toExtraColumns?.(result.value, field) ?? [])]
}

function columnSql(column: Column): string {
  return `${quoteName(column.name)} ${column.sqlType}`
}
