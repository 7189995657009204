// A record as one INSERT, for tests that need rows without the data service. Values are in the JSON form of `parse`.
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Statement } from '#main/kernel/database.ts'

/** Inserts a record; every field that is missing in `values` becomes null. */
export function buildInsert(schema: ObjectSchema, values: Readonly<Record<string, unknown>>): Statement<never> {
  const columns: string[] = []
  const parameters: SqlValue[] = []
  for (const field of schema.byName.values()) {
    const type = fieldTypeOf(field)
    const given = values[field.name] ?? null
    columns.push(field.column, ...field.extraColumns.map((extra) => extra.name))
    parameters.push(given === null ? null : type.toColumn(given, field))
    if (field.extraColumns.length > 0) parameters.push(...(type.toExtraColumns?.(given, field) ?? []))
  }
  const names = columns.map((name) => `"${name}"`).join(', ')
  return { sql: `INSERT INTO "${schema.table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`, parameters }
}
