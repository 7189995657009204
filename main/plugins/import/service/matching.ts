// Finds the records that rows mean by their match fields: one query per slice of rows.
import { validationError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { OperandEnv, ParseEnv } from '#shared/field-types/field-type.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { CanRead, MappedColumn } from './columns.ts'
import { readable } from './columns.ts'

/** What a row's key leads to: an id, nothing, or more than one record. */
export type Match = { readonly id: string } | 'none' | 'several'

/**
 * The fields rows are matched by.
 * @throws validation_error when none is given, or one is unknown, cannot be compared or has no column
 */
export function matchFieldsOf(
  schema: ObjectSchema,
  names: readonly string[],
  columns: readonly MappedColumn[],
  canRead: CanRead,
): FieldSchema[] {
  if (names.length === 0) {
    throw validationError([
      { field: 'matchFields', code: 'required', message: 'Name the fields that tell records apart.' },
    ])
  }
  return names.map((name, index) => {
    const path = `matchFields.${index}`
    const field = readable(schema.byName.get(name), canRead)
    if (field === undefined || field.multiple) {
      const message = 'The object has no such field to match by.'
      throw validationError([{ field: path, code: 'unknown_field', message, value: name }])
    }
    if (!columns.some((column) => column.field === field)) {
      const message = 'The source has no column for the field.'
      throw validationError([{ field: path, code: 'required', message, value: name }])
    }
    return field
  })
}

/** The key of a row, or null when one of its parts is blank. */
export function keyOf(values: Readonly<Record<string, unknown>>, fields: readonly FieldSchema[]): string | null {
  const parts = fields.map((field) => values[field.name] ?? null)
  if (parts.some((part) => part === null || part === '')) return null
  return JSON.stringify(
    parts.map((part, at) => (fields[at]!.caseSensitive || typeof part !== 'string' ? part : part.toLowerCase())),
  )
}

/** The parts of a row's key as records store them; what is no value of its field stays and matches nothing. */
export function normaliseKey(
  values: Readonly<Record<string, unknown>>,
  fields: readonly FieldSchema[],
  env: ParseEnv,
): Record<string, unknown> {
  const key: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const field of fields) {
    const value = values[field.name]
    const parsed =
      value === null || value === undefined || field.system ? null : parseField(field, value, env, undefined)
    key[field.name] = parsed?.ok === true ? parsed.value : value
  }
  return key
}

/** Looks up all keys of a slice; those that no record can have are left out. */
export async function findMatches(
  data: DataService,
  ctx: RequestContext,
  schema: ObjectSchema,
  fields: readonly FieldSchema[],
  rows: readonly Readonly<Record<string, unknown>>[],
  env: ParseEnv,
): Promise<Map<string, Match>> {
  const first = fields[0]!
  const given = new Set(rows.filter((row) => keyOf(row, fields) !== null).map((row) => row[first.name]))
  const wanted = [...given].filter((value) => canBeStored(first, value, { ...env, now: 0, userId: ctx.actor.id }))
  const matches = new Map<string, Match>()
  let cursor: string | undefined
  if (wanted.length === 0) return matches
  do {
    const page = await data.find(ctx, schema.name, {
      filter: { [first.name]: { $in: wanted } },
      select: fields.map((field) => field.name),
      top: 1000,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const record of page.records) {
      const key = keyOf(record, fields)
      if (key !== null) matches.set(key, matches.has(key) ? 'several' : { id: record['id'] as string })
    }
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return matches
}

/**
 * Whether a record may have the value. What the field would refuse today may be there from before its rules, as long as
 * the type can compare it.
 */
function canBeStored(field: FieldSchema, value: unknown, env: OperandEnv): boolean {
  if (!field.system && parseField(field, value, env).ok) return true
  // Others than scalars would be read as macros or refused with the whole query.
  if (typeof value !== 'string' && typeof value !== 'number') return false
  const operand = fieldTypeOf(field).coerceOperand(value, '$in', field, env)
  return operand.ok && 'value' in operand && operand.value === value
}
