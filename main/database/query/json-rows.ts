// A record as JSON text made by SQLite, for lists that go out as they are: one text per record crosses into the engine in
// place of one value per field, and nothing is written again (a third less processor time for a page of twenty).
// Only for fields whose JSON value the column holds; everything else takes the way over rows.
import { relationTarget } from '#shared/filter/relation-target.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { readingFormulas } from '#shared/formulas/reading-formulas.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ExpandNode } from '#shared/filter/select.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { quoteLiteral } from '../schema/sql-text.ts'

/** A record as one SQL expression, and the joins it needs. */
export interface JsonRow {
  readonly sql: string
  /** With the leading blank; empty for none. */
  readonly joinSql: string
}

/**
 * One member of a record that is written for another protocol: a text that is always the same, the value of a field
 * (with text before and behind it), or the related record of a relation, null where there is none.
 */
export type RowMember = { readonly key: string } & (
  | { readonly text: string }
  | { readonly field: string; readonly around?: readonly [before: string, behind: string] }
  | { readonly field: string; readonly related: readonly RowMember[] }
)

/** How records are written for another protocol. */
export interface RowShape {
  /** Members before the fields. */
  readonly first?: readonly RowMember[]
  /** In place of the fields; null: the fields as they are. */
  readonly members: readonly RowMember[] | null
}

/** Column of the statement that holds the record's text. */
export const jsonColumn = 'json'

/** SQLite takes at most 127 arguments of a function in its smallest builds. */
const maxFields = 60

/**
 * Writes the fields of a record as JSON, relations that are expanded without conditions as the records they name.
 * Null when a field or an expansion cannot be written so, or when rights restrict what an expansion may show.
 * @param fields those the caller may read
 * @param shape null: the fields under their names
 */
export function writeJsonRow(
  schema: ObjectSchema,
  fields: readonly FieldSchema[],
  expand: readonly ExpandNode[],
  env: QueryEnv,
  alias: string,
  shape: RowShape | null = null,
): JsonRow | null {
  // The fields were chosen by the caller's rights; what an expansion shows is not.
  const isRestricted = env.canRead !== undefined || env.rowCondition !== undefined
  if (isRestricted && expand.length > 0) return null
  if (readingFormulas(schema, fields, env) !== null) return null
  const joins: string[] = []
  const replaced = new Map<string, string>()
  const related = new Map<string, RelatedRow>()
  for (const node of expand) {
    const field = schema.byName.get(node.name)
    const row = field && fields.includes(field) ? writeRelated(field, node, env, alias, joins.length) : null
    if (!field || row === null) return null
    joins.push(row.joinSql)
    replaced.set(field.name, row.sql)
    related.set(field.name, row)
  }
  const sql =
    shape === null ? writeObject(fields, alias, replaced) : writeShape(shape, fields, alias, replaced, related)
  return sql === null ? null : { sql, joinSql: joins.join('') }
}

interface RelatedRow extends JsonRow {
  readonly alias: string
  readonly fields: readonly FieldSchema[]
}

/** Null for a member of a field that is not among those that are read. */
function writeShape(
  { first = [], members }: RowShape,
  fields: readonly FieldSchema[],
  alias: string,
  replaced: ReadonlyMap<string, string>,
  related: ReadonlyMap<string, RelatedRow>,
): string | null {
  const parts: (string | null)[] = []
  const asTheyAre = fields.map(({ name }): RowMember => ({ key: name, field: name }))
  for (const member of [...first, ...(members ?? asTheyAre)]) {
    if ('text' in member) {
      parts.push(quoteLiteral(member.key), quoteLiteral(member.text))
      continue
    }
    const field = fields.find(({ name }) => name === member.field)
    if (field === undefined) return null
    parts.push(quoteLiteral(member.key))
    if ('related' in member) {
      const row = related.get(field.name)
      const record = row && writeShape({ members: member.related }, row.fields, row.alias, noRows, noRows)
      parts.push(record ? `CASE WHEN ${row.alias}."id" IS NULL THEN NULL ELSE ${record} END` : null)
      continue
    }
    const value = (members === null ? replaced.get(field.name) : undefined) ?? writeValue(field, alias)
    const around = 'around' in member ? member.around : undefined
    const isAsIs = around === undefined || value === null
    parts.push(isAsIs ? value : `${quoteLiteral(around[0])} || ${value} || ${quoteLiteral(around[1])}`)
  }
  return parts.includes(null) || parts.length > 2 * maxFields ? null : `json_object(${parts.join(', ')})`
}

const noRows = new Map<string, never>()

/** Whether whole records of an object can be written as JSON. Answered from memory. */
export function hasJsonRows(schema: ObjectSchema, env: QueryEnv): boolean {
  return writeJsonRow(schema, schema.visibleFields, [], env, 't0') !== null
}

/** The column value, for a cursor, that a value of the record's JSON came from; a related record stands for its id. */
export function columnValueOf(value: unknown): SqlValue {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' && value !== null ? (value as { id: string }).id : (value as SqlValue)
}

const objects = new WeakMap<readonly FieldSchema[], string | null>()

function writeObject(
  fields: readonly FieldSchema[],
  alias: string,
  replaced: ReadonlyMap<string, string> | null,
): string | null {
  const cacheable = alias === 't0' && (replaced === null || replaced.size === 0)
  const known = cacheable ? objects.get(fields) : undefined
  if (known !== undefined) return known
  const parts: string[] = []
  for (const field of fields) {
    const value = replaced?.get(field.name) ?? writeValue(field, alias)
    if (value === null) break
    parts.push(`${quoteLiteral(field.name)}, ${value}`)
  }
  const isComplete = parts.length === fields.length && parts.length <= maxFields
  const sql = isComplete ? `json_object(${parts.join(', ')})` : null
  if (cacheable) objects.set(fields, sql)
  return sql
}

function writeRelated(
  field: FieldSchema,
  node: ExpandNode,
  env: QueryEnv,
  alias: string,
  index: number,
): RelatedRow | null {
  const target = field.multiple ? undefined : relationTarget(field, env)
  const isPlain = node.where === null && node.sort.length === 0 && node.children.length === 0
  if (target === undefined || target.abstract || !isPlain) return null
  const { fields: names } = node
  if (names?.some((name) => !target.byName.has(name))) return null
  const wanted =
    names === null
      ? target.visibleFields
      : target.visibleFields.filter(({ name }) => name === 'id' || names.includes(name))
  const other = `x${index}`
  const record = readingFormulas(target, wanted, env) === null ? writeObject(wanted, other, null) : null
  if (record === null) return null
  const own = `${alias}."${field.column}"`
  return {
    alias: other,
    fields: wanted,
    sql: `CASE WHEN ${other}."id" IS NULL THEN ${own} ELSE ${record} END`,
    joinSql: ` LEFT JOIN "${target.table}" AS ${other} ON ${other}."id" = ${own} AND ${other}."deleted_at" IS NULL`,
  }
}

/** The JSON value of a field, or null where only the type's own function knows it. */
function writeValue(field: FieldSchema, alias: string): string | null {
  const { storage, concealed, fromColumns } = fieldTypeOf(field)
  if (concealed !== undefined || field.extraColumns.length > 0 || fromColumns !== undefined) return null
  const own = `${alias}."${field.column}"`
  if (storage === 'boolean') return `CASE ${own} WHEN 1 THEN json('true') WHEN 0 THEN json('false') END`
  // Damaged text reads as null rather than failing a whole list.
  if (storage === 'json' || field.multiple) return `CASE WHEN json_valid(${own}) THEN json(${own}) END`
  if (storage !== 'plain' || field.sqlType === 'BLOB') return null
  if (field.sqlType !== 'REAL') return own
  // Whole numbers without the fraction that SQLite writes behind a REAL.
  return `CASE WHEN ${own} = CAST(${own} AS INTEGER) THEN CAST(${own} AS INTEGER) ELSE ${own} END`
}
