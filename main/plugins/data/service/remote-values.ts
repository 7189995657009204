// Turns values that another machine stored into column values of this one. What a field's type reads is kept, whatever
// limits its definition has here; what it cannot read is null and told, or converted as a change of the type would.
// Reads nothing, throws nothing.
import { createConverter, readValue as readColumns } from '#main/database/schema/convert-value.ts'
import { conversionOf, isTextual } from '#main/database/schema/retype.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ParseEnv, ParseResult } from '#shared/field-types/field-type.ts'
import { problem } from '#shared/field-types/field-type.ts'
import { declaredTypeOf } from '#shared/field-types/registry.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RemoteOutcome } from '../api.ts'
import type { Row } from './codec.ts'
import { codecOf, isSealed } from './codec.ts'
import { setColumns } from './prepare.ts'

/** Column values of a remote change, and what could not be read. */
export interface RemoteColumns {
  readonly columns: Row
  readonly refused: RemoteOutcome['refused']
}

const noneRefused: RemoteOutcome['refused'] = Object.freeze([])

/** Longest final or provisional number. */
const maxNumberLength = 200

/**
 * Reads values by field name. Unknown, system, computed and concealed fields are passed over; the value of an autonumber
 * is taken as it is, since one machine issues it for all.
 * @param convert whether values of a former type of their field are converted; else they are told
 */
export function remoteColumns(
  schema: ObjectSchema,
  values: Readonly<Record<string, unknown>>,
  env: ParseEnv,
  convert?: true,
): RemoteColumns {
  const columns: Row = {}
  let refused: RemoteOutcome['refused'][number][] | undefined
  for (const name of Object.keys(values)) {
    const field = schema.byName.get(name)
    const value = values[name]
    if (field === undefined || value === undefined || !travels(field)) continue
    const result = declaredTypeOf(field).issued ? readNumber(field, value) : readValue(field, value, env)
    const kept = result.ok ? result.value : convert === true ? asConverted(field, value, env) : null
    setColumns(columns, field, kept)
    if (!result.ok && kept === null)
      (refused ??= []).push({ field: name, code: result.errors[0]?.code ?? 'invalid_type', value })
  }
  return { columns, refused: refused ?? noneRefused }
}

/** A row of the object without any value. */
export function emptyRow(schema: ObjectSchema): Row {
  const row: Row = {}
  for (const column of codecOf(schema).columns) row[column] = null
  return row
}

function travels(field: FieldSchema): boolean {
  if (field.system || isSealed(field)) return false
  return !field.computed || declaredTypeOf(field).issued === true
}

function readNumber(field: FieldSchema, value: unknown): ParseResult {
  if (value === null) return { ok: true, value }
  if (typeof value !== 'string' || value.includes('\0'))
    return { ok: false, errors: [problem(field.name, 'invalid_type', 'A number is text.', value)] }
  if (value.length > maxNumberLength)
    return { ok: false, errors: [problem(field.name, 'max_length', 'A number is short.', value, maxNumberLength)] }
  return { ok: true, value }
}

function readValue(field: FieldSchema, value: unknown, env: ParseEnv): ParseResult {
  try {
    const result = parseField(loosened(field), value, env)
    if (result.ok || !result.errors.some(({ code }) => code === 'invalid_option')) return result
    return parseField(withOptions(loosened(field), value), value, env)
  } catch (error) {
    // Values nested deeper than the stack, or of kinds JSON does not know.
    if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error
    return { ok: false, errors: [problem(field.name, 'invalid_type', 'The value cannot be read.', undefined)] }
  }
}

/**
 * What a change of the field's type makes of a value that was written before it, elsewhere and unseen: the same as on the
 * machine that wrote it, where it was in the table by then. Null where nothing is left of it.
 */
function asConverted(field: FieldSchema, value: unknown, env: ParseEnv): unknown {
  if (declaredTypeOf(field).issued) return null
  const was = formerTypes.get(typeof value)
  if (was !== undefined) return convertedOne(field, value as string | number | boolean, was, env)
  if (!Array.isArray(value) || value.length === 0 || !value.every((item) => formerTypes.has(typeof item))) return null
  const texts = value.map(String)
  const given = field.multiple ? texts : isTextual(field) ? texts.join(', ') : value[0]
  const result = readValue(field, given, env)
  if (result.ok) return result.value
  return Array.isArray(given) ? null : asConverted(field, given, env)
}

function convertedOne(field: FieldSchema, value: string | number | boolean, was: FormerType, env: ParseEnv): unknown {
  const plain = {
    multiple: false,
    computed: false,
    extraColumns: [],
    options: [],
    inner: [],
    reference: null,
    settings: {},
  }
  const old: FieldSchema = { ...field, ...plain, ...was }
  const next = loosened(field)
  // What would be kept as it is was refused for what it says.
  if (conversionOf(old, next) !== 'convert') return null
  const column = typeof value === 'boolean' ? Number(value) : value
  const { columns } = createConverter(old, next, { ...env, exists: () => true })([column])
  return readColumns(next, columns)
}

type FormerType = Pick<FieldSchema, 'type' | 'sqlType'>

/** As what a value is converted whose field had another type, by what it is. */
const formerTypes: ReadonlyMap<string, FormerType> = new Map<string, FormerType>([
  ['string', { type: 'text', sqlType: 'TEXT' }],
  ['number', { type: 'number', sqlType: 'REAL' }],
  ['boolean', { type: 'boolean', sqlType: 'INTEGER' }],
])

const known = new WeakMap<FieldSchema, FieldSchema>()

/**
 * The field without the limits of its definition: two machines may have different ones for a while, and a value that is
 * on one of them must not be lost on the other. What keeps texts harmless stays: schemes of links, sanitising.
 */
export function loosened(field: FieldSchema): FieldSchema {
  let loose = known.get(field)
  if (loose === undefined) {
    const {
      min: _min,
      max: _max,
      minLength: _minLength,
      pattern: _pattern,
      precision: _precision,
      references: _references,
      schema: _schema,
      fileAttachmentConfig: _files,
      ...settings
    } = field.settings
    loose = {
      ...field,
      type: declaredTypeOf(field).stepped ? 'number' : field.type,
      required: false,
      inner: field.inner.map(loosened),
      settings: { ...settings, maxLength: most, minItems: 0, maxItems: most },
    }
    known.set(field, loose)
  }
  return loose
}

/** More than a change can carry. */
const most = 10_000_000

/** The field with every text of a value among its options. */
function withOptions(field: FieldSchema, value: unknown): FieldSchema {
  const given = [value].flat().filter((item): item is string => typeof item === 'string')
  const options = [...field.options, ...given.map((item) => ({ value: item, label: item }))]
  return { ...field, options, inner: field.inner.map((inner) => withInnerOptions(inner, value)) }
}

function withInnerOptions(inner: FieldSchema, value: unknown): FieldSchema {
  const groups = [value].flat() as (Record<string, unknown> | null)[]
  const given = groups.flatMap((group) =>
    typeof group === 'object' && group !== null && Object.hasOwn(group, inner.name) ? [group[inner.name]] : [],
  )
  return given.length === 0 ? inner : withOptions(inner, given.flat())
}
