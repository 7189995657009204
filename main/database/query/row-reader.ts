// Turns rows of an object's table into records: 0 and 1 into booleans, JSON text into values.
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'

/** A row as the driver gives it, which becomes the record in place. */
export type Row = Record<string, unknown>

/** Converts one row in place and answers it. */
export type RowReader = (row: Row) => Row

const identity: RowReader = (row) => row

/** Makes the reader for rows with exactly these fields; most objects need work on a few columns only. */
export function createRowReader(fields: readonly FieldSchema[]): RowReader {
  const booleans = fields.filter((field) => fieldTypeOf(field).storage === 'boolean').map((field) => field.column)
  const converted = fields.filter((field) => isConverted(field)).map((field) => ({ field, type: fieldTypeOf(field) }))
  const composed = fields.filter((field) => field.extraColumns.length > 0)
  if (booleans.length + converted.length + composed.length === 0) return identity
  return (row) => {
    for (const column of booleans) {
      const value = row[column]
      if (value !== null) row[column] = value === 1
    }
    for (const { field, type } of converted) {
      const value = row[field.column]
      if (value !== null) row[field.column] = type.fromColumn(value as SqlValue, field)
    }
    for (const field of composed) compose(row, field)
    return row
  }
}

/** Columns of the fields, quoted, with the table's alias. */
export function selectList(fields: readonly FieldSchema[], alias: string): string {
  return fields
    .flatMap((field) => [field.column, ...field.extraColumns.map((extra) => extra.name)])
    .map((name) => `${alias}."${name}"`)
    .join(', ')
}

function isConverted(field: FieldSchema): boolean {
  const { storage, relation } = fieldTypeOf(field)
  return storage === 'json' || storage === 'converted' || (relation === true && field.multiple)
}

function compose(row: Row, field: FieldSchema): void {
  const extra = field.extraColumns.map((column) => {
    const value = row[column.name] as SqlValue
    delete row[column.name]
    return value
  })
  const fromColumns = fieldTypeOf(field).fromColumns
  if (fromColumns) row[field.column] = fromColumns(row[field.column] as SqlValue, extra, field)
}
