// Lists values that would break a new promise of uniqueness, for the refusal of a schema change (D-100).
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'

/** Rows of shared tuples as values. */
export function readDuplicates(
  fields: readonly FieldSchema[],
  rows: readonly Record<string, SqlValue>[],
): { values: Record<string, unknown>; count: number }[] {
  return rows.map((row) => ({
    values: Object.fromEntries(
      fields.map((field) => [field.name, fieldTypeOf(field).fromColumn(row[field.column]!, field)]),
    ),
    count: row['$count'] as number,
  }))
}
