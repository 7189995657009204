// Turns the field map of a request into column values: unknown names, read-only and required fields, defaults and
// the rules of each field's type (D-51, D-52, D-93, D-95). Reads nothing.
import { platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'

/** What preparing needs beside schema and data. */
export interface PrepareEnv extends ParseEnv {
  /** The caller's id: the value of `{me}`. */
  readonly userId: string
  /** The present instant, ISO 8601. */
  readonly now: string
  /** The present day in the workspace's zone, `YYYY-MM-DD`. */
  readonly today: string
  /** Refuses fields the caller may not edit; undefined when none is masked. */
  readonly canEdit?: (field: string) => boolean
  /** Whether an id names an existing user. */
  readonly userExists: (id: string) => boolean
}

/** A record ready to be inserted; system columns are still missing but for `id` and `owner` when given. */
export interface PreparedCreate {
  readonly row: Row
  /** The id the caller chose, lower case; undefined when the server makes one. */
  readonly id: string | undefined
  readonly owner: string | undefined
}

/** Column values an update sets. */
export interface PreparedUpdate {
  readonly columns: Row
  /** The fields that were given and may change. */
  readonly fields: readonly FieldSchema[]
  readonly owner: string | undefined
}

/**
 * Checks and normalises the data of a new record.
 * @throws validation_error with every problem; permission_denied for fields the caller may not edit
 */
export function prepareCreate(schema: ObjectSchema, data: Record<string, unknown>, env: PrepareEnv): PreparedCreate {
  const problems: FieldError[] = []
  checkNames(schema, data, problems)
  const row: Row = {}
  for (const field of schema.fields) {
    if (field.computed) {
      setColumns(row, field, null)
      continue
    }
    const given = Object.hasOwn(data, field.name) ? data[field.name] : undefined
    if (given !== undefined) checkEditable(field, env)
    const raw = given === undefined ? defaultOf(field, env) : given
    const value = parseValue(field, raw, env, undefined, problems)
    if (value !== undefined) setColumns(row, field, value)
  }
  const id = parseGivenId(data['id'], problems)
  const owner = parseOwner(data['owner'], env, problems)
  if (problems.length > 0) throw validationError(problems)
  return { row, id, owner }
}

/**
 * Checks and normalises the supplied fields of a change.
 * @param stored the row as it is now
 * @throws validation_error, permission_denied
 */
export function prepareUpdate(
  schema: ObjectSchema,
  data: Record<string, unknown>,
  stored: Row,
  env: PrepareEnv,
): PreparedUpdate {
  const problems: FieldError[] = []
  checkNames(schema, data, problems)
  const codec = codecOf(schema)
  const columns: Row = {}
  const fields: FieldSchema[] = []
  for (const name of Object.keys(data)) {
    const field = schema.byName.get(name)
    if (field === undefined || field.system || field.computed || data[name] === undefined) continue
    const before = codec.value(stored, field)
    const value = parseValue(field, data[name], env, before, problems)
    if (value === undefined) continue
    const after: Row = {}
    setColumns(after, field, value)
    const changed = Object.keys(after).some((column) => after[column] !== (stored[column] ?? null))
    if (changed && field.readonly) {
      problems.push({ field: name, code: 'read_only', message: 'The field is read-only.', value: data[name] })
      continue
    }
    if (changed) checkEditable(field, env)
    Object.assign(columns, after)
    fields.push(field)
  }
  const owner = parseOwner(data['owner'], env, problems)
  if (problems.length > 0) throw validationError(problems)
  return { columns, fields, owner }
}

function checkNames(schema: ObjectSchema, data: Record<string, unknown>, problems: FieldError[]): void {
  for (const name of Object.keys(data)) {
    if (schema.byName.get(name) === undefined) {
      problems.push({ field: name, code: 'unknown_field', message: `The object has no field "${name.slice(0, 100)}".` })
    }
  }
}

/** The parsed value, null for "empty", or undefined after reporting problems. */
function parseValue(
  field: FieldSchema,
  raw: unknown,
  env: PrepareEnv,
  stored: unknown,
  problems: FieldError[],
): unknown {
  const result = parseField(field, raw, env, stored)
  if (!result.ok) {
    problems.push(...result.errors)
    return undefined
  }
  if (field.type === 'user') problems.push(...missingUsers(field, result.value, env, stored))
  return result.value
}

/** People a value newly names who do not exist; those already stored may have left since. */
function missingUsers(field: FieldSchema, value: unknown, env: PrepareEnv, stored: unknown): FieldError[] {
  const known = new Set<unknown>([stored].flat())
  return [value].flat().flatMap((id: unknown, index): FieldError[] => {
    if (typeof id !== 'string' || known.has(id) || env.userExists(id)) return []
    const path = Array.isArray(value) ? `${field.name}.${index}` : field.name
    return [{ field: path, code: 'invalid_reference', message: 'There is no such user.', value: id }]
  })
}

function setColumns(row: Row, field: FieldSchema, value: unknown): void {
  const type = fieldTypeOf(field)
  row[field.column] = value === null ? null : type.toColumn(value, field)
  if (field.extraColumns.length === 0) return
  const extras: readonly SqlValue[] = value === null ? [] : (type.toExtraColumns?.(value, field) ?? [])
  field.extraColumns.forEach((extra, index) => {
    row[extra.name] = extras[index] ?? null
  })
}

/** The default of D-93: a literal, `{me}`, `{today}`, `{now}`, or nothing. */
function defaultOf(field: FieldSchema, env: PrepareEnv): unknown {
  const { defaultValue } = field
  if (defaultValue === '{me}') return env.userId
  if (defaultValue === '{today}') return field.type === 'datetime' ? env.now : env.today
  if (defaultValue === '{now}') return field.type === 'date' ? env.today : env.now
  return defaultValue ?? null
}

function checkEditable(field: FieldSchema, env: PrepareEnv): void {
  if (env.canEdit === undefined || env.canEdit(field.name)) return
  throw platformError('permission_denied', { fields: [field.name] })
}

function parseGivenId(value: unknown, problems: FieldError[]): string | undefined {
  if (value === undefined || value === null) return undefined
  const id = parseUuid(value)
  if (id !== null) return id
  problems.push({ field: 'id', code: 'invalid_uuid', message: 'The id is not a UUID.', value })
  return undefined
}

function parseOwner(value: unknown, env: PrepareEnv, problems: FieldError[]): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && env.userExists(value)) return value
  problems.push({ field: 'owner', code: 'invalid_reference', message: 'There is no such user.', value })
  return undefined
}
