// Turns the field map of a request into column values: unknown names, read-only and required fields, defaults and
// the rules of each field's type (D-51, D-52, D-93, D-95). Reads nothing.
import { platformError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import { compileExpression, ExpressionError } from '#shared/expression/compile-expression.ts'
import type { SealedText } from '#shared/field-types/concealed.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Row } from './codec.ts'
import { codecOf, isSealed, sameValue } from './codec.ts'

/** Sealed texts by field name. */
export type Seals = ReadonlyMap<string, SealedText>

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
  /** Fields the caller may not even read are unknown ones, whatever is stored; undefined when none is masked. */
  readonly canRead?: (field: string) => boolean
  /** Fields that the engine set itself, in a hook: the caller's rights do not concern them. */
  readonly trusted?: ReadonlySet<string>
  /** Names of fields whose value the platform itself sets: read-only ones are set too. */
  readonly ordered?: ReadonlySet<string>
  /** Whether an id names an existing user. */
  readonly userExists: (id: string) => boolean
  /** Whether every record has an organization, which bodies do not set (D-51). */
  readonly hasOrganizations?: boolean
  /** Where state machines let new records begin, by field name (D-163). */
  readonly initials: ReadonlyMap<string, string>
  /** Whether the caller may give records of the object to others (D-51, D-62). */
  readonly canTransfer: boolean
  /** What is stored instead of the text of password and secret fields, by field name; see sealing.ts. */
  readonly seals?: Seals
  /** Values a create may repeat although they would be refused as new: those of the record it is a clone of. */
  readonly template?: Readonly<Record<string, unknown>>
}

/** The same with what a hook set, which is no act of the caller. */
export function trusting(env: PrepareEnv, patch: Readonly<Record<string, unknown>>): PrepareEnv {
  const names = Object.keys(patch)
  if (names.length === 0) return env
  return { ...env, trusted: new Set(names), canTransfer: env.canTransfer || names.includes('owner') }
}

/** A record ready to be inserted; system columns are still missing but for `id` and `owner` when given. */
export interface PreparedCreate {
  readonly row: Row
  /** The id the caller chose, lower case; undefined when the server makes one. */
  readonly id: string | undefined
  readonly owner: string | undefined
  /** What is wrong with the values; the row lacks those. */
  readonly problems: readonly FieldError[]
  /** Of a clone, the values of the record it is one of. */
  readonly template?: PrepareEnv['template']
}

/** Column values an update sets. */
export interface PreparedUpdate {
  readonly columns: Row
  readonly owner: string | undefined
  /** What is wrong with the values; the columns lack those. */
  readonly problems: readonly FieldError[]
}

/**
 * Checks and normalises the data of a new record; the writer refuses what has problems, with all there are.
 * @throws permission_denied for fields the caller may not edit
 */
export function prepareCreate(schema: ObjectSchema, data: Record<string, unknown>, env: PrepareEnv): PreparedCreate {
  const problems: FieldError[] = []
  const refused: string[] = []
  checkNames(schema, data, env, problems)
  const row: Row = {}
  const values: Record<string, unknown> = {}
  const set = (field: FieldSchema, raw: unknown): void => {
    const value = parseValue(field, raw, env, env.template?.[field.name], problems)
    if (value === undefined) return
    setColumns(row, field, value, env)
    values[field.name] = isSealed(field) ? null : value
  }
  const waiting: FieldSchema[] = []
  for (const field of schema.fields) {
    if (field.computed) {
      setColumns(row, field, null)
      continue
    }
    const given = isUnknown(field.name, env) ? undefined : givenValue(field, data)
    if (given !== undefined) {
      if (!isEditable(field, env)) refused.push(field.name)
      else set(field, given)
    } else if (!hasExpression(field)) set(field, safeDefault(field, env, values, problems))
    // Sealing happens before the values are known, so a concealed field has no default of this kind.
    else if (isSealed(field)) set(field, null)
    else waiting.push(field)
  }
  // Expressions see every other value; among themselves they follow the order of the fields.
  for (const field of waiting) set(field, safeDefault(field, env, values, problems))
  const id = parseGivenId(data['id'], problems)
  // A new record without an owner is its creator's (D-51).
  const owner = parseOwner(data['owner'] ?? undefined, env.userId, env, problems, refused)
  requireEditable(refused)
  return { row, id, owner, problems, template: env.template }
}

/**
 * Checks and normalises the supplied fields of a change.
 * @param stored the row as it is now
 * @throws permission_denied
 */
export function prepareUpdate(
  schema: ObjectSchema,
  data: Record<string, unknown>,
  stored: Row,
  env: PrepareEnv,
): PreparedUpdate {
  const problems: FieldError[] = []
  const refused: string[] = []
  checkNames(schema, data, env, problems)
  const codec = codecOf(schema)
  const columns: Row = {}
  for (const name of Object.keys(data)) {
    const field = schema.byName.get(name)
    if (field === undefined || field.system || field.computed || givenValue(field, data) === undefined) continue
    if (isUnknown(name, env)) continue
    const isOpen = isEditable(field, env)
    const before = codec.value(stored, field)
    const value = parseValue(field, data[name], env, before, problems)
    if (value === undefined) continue
    const after: Row = {}
    setColumns(after, field, value, env)
    const changed = Object.keys(after).some((column) => !sameValue(after[column], stored[column]))
    if (changed && field.readonly && env.ordered?.has(name) !== true) {
      const value = isSealed(field) ? undefined : data[name]
      problems.push({ field: name, code: 'read_only', message: 'The field is read-only.', value })
      continue
    }
    if (changed && !isOpen) {
      refused.push(name)
      continue
    }
    Object.assign(columns, after)
  }
  const owner = parseOwner(data['owner'], stored['owner'], env, problems, refused)
  requireEditable(refused)
  return { columns, owner, problems }
}

/** The value a body gives a field; undefined when it gives none, or the mask that stands for "as it is" (D-94). */
export function givenValue(field: FieldSchema, data: Readonly<Record<string, unknown>>): unknown {
  const value = Object.hasOwn(data, field.name) ? data[field.name] : undefined
  return fieldTypeOf(field).isUnchanged?.(value) === true ? undefined : value
}

function checkNames(
  schema: ObjectSchema,
  data: Record<string, unknown>,
  env: PrepareEnv,
  problems: FieldError[],
): void {
  for (const name of Object.keys(data)) {
    if (name === 'organization_id' && env.hasOrganizations === true) continue
    // A field that may not be read is no field: a refusal would confirm that it exists (D-25).
    if (schema.byName.get(name) === undefined || isUnknown(name, env)) {
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

/** Sets the columns of a field in a row from a parsed value; what is sealed comes from the seals of `env`. */
export function setColumns(row: Row, field: FieldSchema, value: unknown, env?: PrepareEnv): void {
  const type = fieldTypeOf(field)
  row[field.column] = value === null ? null : type.toColumn(isSealed(field) ? sealOf(field, env) : value, field)
  if (field.extraColumns.length === 0) return
  const extras: readonly SqlValue[] = value === null ? [] : (type.toExtraColumns?.(value, field) ?? [])
  field.extraColumns.forEach((extra, index) => {
    row[extra.name] = extras[index] ?? null
  })
}

/** What is stored for a sealed field; plain text never is. */
function sealOf(field: FieldSchema, env: PrepareEnv | undefined): SealedText {
  const sealed = env?.seals?.get(field.name)
  if (sealed === undefined)
    throw new Error(`The value of the field "${field.name}" was not sealed before it is stored.`)
  return sealed
}

/**
 * The default of D-93: where a state machine begins, else a literal, `{me}`, `{today}`, `{now}`, the value of an
 * expression over the values so far, or nothing.
 * @throws ExpressionError
 */
export function defaultOf(
  field: FieldSchema,
  env: PrepareEnv,
  values: Readonly<Record<string, unknown>> = {},
): unknown {
  const initial = env.initials.get(field.name)
  if (initial !== undefined) return initial
  const { defaultValue } = field
  if (defaultValue === '{me}') return env.userId
  if (defaultValue === '{today}') return fieldTypeOf(field).calendar === 'datetime' ? env.now : env.today
  if (defaultValue === '{now}') return fieldTypeOf(field).calendar === 'date' ? env.today : env.now
  if (!hasExpression(field)) return defaultValue ?? null
  const { expression } = defaultValue as { expression: unknown }
  const scope = {
    record: values,
    previous: null,
    user: { id: env.userId },
    now: Date.parse(env.now),
    timeZone: env.timeZone,
  }
  return compileExpression(expression).evaluate(scope)
}

/** Whether the default is worked out from other values. */
function hasExpression({ defaultValue }: FieldSchema): boolean {
  return typeof defaultValue === 'object' && defaultValue !== null && Object.hasOwn(defaultValue, 'expression')
}

/** The default of a field while a record is prepared; an expression that fails is a problem of the field. */
function safeDefault(
  field: FieldSchema,
  env: PrepareEnv,
  values: Record<string, unknown>,
  problems: FieldError[],
): unknown {
  try {
    return defaultOf(field, env, values)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    problems.push({
      field: field.name,
      code: 'expression_error',
      message: `The default has no value: ${error.message}`,
    })
    return null
  }
}

function isEditable(field: FieldSchema, env: PrepareEnv): boolean {
  return env.canEdit === undefined || env.trusted?.has(field.name) === true || env.canEdit(field.name)
}

/** Whether the field is hidden from the caller, who set it itself. */
function isUnknown(name: string, env: PrepareEnv): boolean {
  return env.canRead?.(name) === false && env.trusted?.has(name) !== true
}

/** Names every field the caller may not edit (D-47). @throws permission_denied */
function requireEditable(refused: readonly string[]): void {
  if (refused.length > 0) throw platformError('permission_denied', { fields: refused })
}

function parseGivenId(value: unknown, problems: FieldError[]): string | undefined {
  if (value === undefined || value === null) return undefined
  const id = parseUuid(value)
  if (id !== null) return id
  problems.push({ field: 'id', code: 'invalid_uuid', message: 'The id is not a UUID.', value })
  return undefined
}

/** The owner a body names; `refused` gets the field when the caller may not transfer the record. */
function parseOwner(
  value: unknown,
  present: SqlValue | undefined,
  env: PrepareEnv,
  problems: FieldError[],
  refused: string[],
): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && (value === present || env.userExists(value))) {
    if (value !== present && !env.canTransfer) refused.push('owner')
    return value
  }
  if (value === null) {
    problems.push({ field: 'owner', code: 'required', message: 'Every record has an owner.' })
    return undefined
  }
  problems.push({ field: 'owner', code: 'invalid_reference', message: 'There is no such user.', value })
  return undefined
}
