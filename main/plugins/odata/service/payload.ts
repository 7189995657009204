// Reads the entity of a request into the fields of a record.
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import { isLiteralDefault } from '#shared/object-definition/literal-default.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { edmTypeOf, isWideNumber } from './edm-types.ts'
import { fieldNameOf } from './names.ts'
import { parsePath } from './resource-path.ts'
import { unsupported } from './token-reader.ts'

/**
 * The fields of an entity: what the protocol says beside the values is passed over, `…@odata.bind` names related records.
 * @throws validation_error for what is no entity, not_implemented for related entities that are to be made with it
 */
export function readEntity(schema: ObjectSchema, body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw validationError([{ field: '', code: 'invalid_type', message: 'The body must be an entity, a JSON object.' }])
  const data: Record<string, unknown> = {}
  const problems: FieldError[] = []
  for (const [key, value] of Object.entries(body)) {
    const [name, annotation] = splitKey(key)
    if (name === '__proto__') {
      problems.push({ field: name, code: 'not_allowed', message: 'The name "__proto__" is not allowed.' })
      continue
    }
    if (annotation === undefined) {
      if (fieldNameOf(name) !== name) throw unsupported(name, 'Making related entities together with an entity')
      data[name] = readValue(schema, name, value)
    } else if (annotation === 'bind' && name !== '') {
      const field = fieldNameOf(name)
      const ids = Array.isArray(value) ? value.map(boundId) : boundId(value)
      if (Array.isArray(ids) ? ids.includes(null) : ids === null) {
        const message = 'The value must be the address of an entity, such as account(<id>).'
        problems.push({ field: key, code: 'invalid_reference', message })
      } else data[field] = ids
    }
  }
  if (problems.length > 0) throw validationError(problems)
  return data
}

/**
 * The fields of an entity that replaces another one: what is not given has its default, or no value.
 * @param isOpen whether the caller may set a field
 */
export function readWholeEntity(
  schema: ObjectSchema,
  body: unknown,
  isOpen: (field: string) => boolean,
): Record<string, unknown> {
  const given = readEntity(schema, body)
  const data: Record<string, unknown> = {}
  for (const field of schema.fields) {
    if (field.computed || field.readonly || !isOpen(field.name)) continue
    data[field.name] = isLiteralDefault(field.defaultValue) ? (field.defaultValue ?? null) : null
  }
  return { ...data, ...given }
}

/** The error of one member of an entity. */
export function problemOf(field: string, code: FieldError['code'], message: string): Error {
  return validationError([{ field, code, message }])
}

/** A name and what is said of it, `odata.` left out. */
function splitKey(key: string): [name: string, annotation?: string] {
  const at = key.indexOf('@')
  return at === -1 ? [key] : [key.slice(0, at), key.slice(at + 1).replace(/^odata\./, '')]
}

/** Clients that cannot hold wide numbers write them as texts. */
function readValue(schema: ObjectSchema, name: string, value: unknown): unknown {
  const field = schema.byName.get(name)
  if (typeof value !== 'string' || field === undefined || field.multiple) return value
  const isNumber = isWideNumber(edmTypeOf(schema.name, field)) && /^-?\d+(?:\.\d+)?$/.test(value)
  return isNumber ? Number(value) : value
}

/** The id in the address of an entity; null for what is none. */
export function boundId(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const path = value.replace(/^https?:\/\/[^/]+/i, '').replace(/^.*\/odata\//, '')
  try {
    return parsePath(decodeURIComponent(path))?.key ?? null
  } catch {
    return null
  }
}
