// Uniqueness as the engine checks it inside the write: live records only, nulls never clash (D-92, D-93).
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { quoteIdentifier as quote } from './identifiers.ts'

type Reader = Pick<Reads, 'all' | 'get'>
type Row = Readonly<Record<string, SqlValue>>

/** A unique field or index another live record already fills with the same values. */
export interface UniqueClash {
  readonly fields: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  readonly otherId: string
}

interface Rule {
  readonly fields: readonly FieldSchema[]
  readonly sql: string
}

const rulesOf = new WeakMap<ObjectSchema, readonly Rule[]>()

/**
 * The first unique rule that the row breaks, or null. Rules whose columns did not change are not asked again.
 * @param stored the row before the change; null for a new or revived record
 */
export function findUniqueClash(read: Reader, schema: ObjectSchema, row: Row, stored: Row | null): UniqueClash | null {
  for (const rule of rules(schema)) {
    const values = rule.fields.map((field) => row[field.column] ?? null)
    if (values.includes(null)) continue
    if (stored !== null && rule.fields.every((field) => (stored[field.column] ?? null) === row[field.column])) continue
    const other = read.get<{ id: string }>(statement(rule.sql, [...values, row['id'] ?? '']))
    if (other === undefined) continue
    return {
      fields: rule.fields.map((field) => field.name),
      values: Object.fromEntries(
        rule.fields.map((field, at) => [field.name, fieldTypeOf(field).fromColumn(values[at]!, field)]),
      ),
      otherId: other.id,
    }
  }
  return null
}

/** Values of a field that several live records share, at most 20, most frequent first. */
export function findDuplicates(
  read: Reader,
  schema: ObjectSchema,
  field: FieldSchema,
): { value: unknown; count: number }[] {
  const column = quote(field.column)
  const key = field.caseSensitive ? column : `lower(${column})`
  return read
    .all<{ value: SqlValue; count: number }>(
      statement(
        `SELECT ${column} AS value, count(*) AS count FROM ${quote(schema.table)}
         WHERE deleted_at IS NULL AND ${column} IS NOT NULL GROUP BY ${key} HAVING count(*) > 1 ORDER BY count DESC LIMIT 20`,
      ),
    )
    .map((row) => ({ value: fieldTypeOf(field).fromColumn(row.value, field), count: row.count }))
}

function rules(schema: ObjectSchema): readonly Rule[] {
  let known = rulesOf.get(schema)
  if (known === undefined) {
    const tuples = [
      ...schema.fields.filter((field) => field.unique).map((field) => [field]),
      ...schema.indexes
        .filter((index) => index.unique)
        .map((index) => index.fields.map((name) => schema.byName.get(name)).filter((field) => field !== undefined)),
    ]
    known = tuples.filter((fields) => fields.length > 0).map((fields) => ({ fields, sql: clashSql(schema, fields) }))
    rulesOf.set(schema, known)
  }
  return known
}

function clashSql(schema: ObjectSchema, fields: readonly FieldSchema[]): string {
  const same = fields.map((field) => {
    const column = quote(field.column)
    return field.caseSensitive ? `${column} = ?` : `lower(${column}) = lower(?)`
  })
  return `SELECT id FROM ${quote(schema.table)} WHERE ${same.join(' AND ')} AND deleted_at IS NULL AND id <> ? LIMIT 1`
}
