// Lists values that would break a new promise of uniqueness, for the refusal of a schema change (D-100).
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Statement } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { quoteName } from './sql-text.ts'

/** The statement that lists tuples of fields that several live records share, at most 20, most frequent first. */
export function duplicatesSql(schema: ObjectSchema, names: readonly string[]): Statement<Record<string, SqlValue>> {
  const fields = names.flatMap((name) => schema.byName.get(name) ?? [])
  const columns = fields.map((field) => quoteName(field.column))
  const keys = fields.map((field, at) => (field.caseSensitive ? columns[at] : `cairn_fold(${columns[at]})`))
  const present = columns.map((column) => `${column} IS NOT NULL`).join(' AND ')
  return statement(
    `SELECT ${columns.join(', ')}, count(*) AS "$count" FROM ${quoteName(schema.table)}
     WHERE "deleted_at" IS NULL AND ${present}
     GROUP BY ${keys.join(', ')} HAVING count(*) > 1 ORDER BY "$count" DESC LIMIT 20`,
  )
}

/** The rows of {@link duplicatesSql} as values. */
export function readDuplicates(
  schema: ObjectSchema,
  names: readonly string[],
  rows: readonly Record<string, SqlValue>[],
): { values: Record<string, unknown>; count: number }[] {
  const fields = names.flatMap((name) => schema.byName.get(name) ?? [])
  return rows.map((row) => ({
    values: Object.fromEntries(
      fields.map((field) => [field.name, fieldTypeOf(field).fromColumn(row[field.column]!, field)]),
    ),
    count: row['$count'] as number,
  }))
}
