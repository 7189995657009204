// Checks one part of a request against its contract. Values that already have the declared shape skip zod, which
// would only copy them. Knows no route.
import type { z } from 'zod'
import { invalidQuery, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import { fieldErrorsOf } from '#shared/schema-errors.ts'
import { shortenLists } from '#shared/shorten-lists.ts'

/** Answers the parsed value. @throws validation_error or invalid_query with all problems */
export type PartParser = (value: unknown) => unknown

/**
 * Makes the parser of one schema.
 * @param asQuery report problems as `invalid_query`, as the data endpoints do (D-12)
 */
export function createPartParser(schema: z.ZodType, asQuery: boolean): PartParser {
  const fits = matcherOf(schema)
  const isMap = schema._zod.def.type === 'record'
  const refuse = (fieldErrors: FieldError[]): never => {
    if (!asQuery) throw validationError(fieldErrors)
    const first = fieldErrors[0]!
    throw invalidQuery(first.field, first.message, { fieldErrors: fieldErrors.slice(0, 100) })
  }
  return (value) => {
    if (fits !== null && fits(value)) return value
    // Zod would drop the name in silence, and a filter with it.
    if (isMap && isPlainMap(value) && Object.hasOwn(value, '__proto__')) refuse([protoError])
    const shorter = shortenLists(schema, value)
    const result = schema.safeParse(shorter)
    return result.success ? result.data : refuse(fieldErrorsOf(result.error.issues, shorter))
  }
}

const protoError: FieldError = {
  field: '__proto__',
  code: 'not_allowed',
  message: 'The name "__proto__" is not allowed.',
}

type Matcher = (value: unknown) => boolean

/**
 * A test that is true only when zod would answer the value unchanged; null when the schema may transform, default or
 * narrow in ways not told apart here.
 */
function matcherOf(schema: z.core.$ZodType): Matcher | null {
  const def = schema._zod.def as z.core.$ZodTypes['_zod']['def']
  if (def.checks !== undefined && def.checks.length > 0) return null
  switch (def.type) {
    case 'unknown':
    case 'any':
      return () => true
    case 'string':
      return 'coerce' in def && def.coerce === true ? null : (value) => typeof value === 'string'
    case 'boolean':
      return 'coerce' in def && def.coerce === true ? null : (value) => typeof value === 'boolean'
    case 'optional': {
      const inner = matcherOf(def.innerType)
      return inner === null ? null : (value) => value === undefined || inner(value)
    }
    case 'array': {
      const element = matcherOf(def.element)
      return element === null ? null : (value) => Array.isArray(value) && value.every(element)
    }
    case 'record':
      return recordMatcher(def)
    case 'object':
      return objectMatcher(def)
    case 'union':
      return unionMatcher(def)
    default:
      return null
  }
}

function recordMatcher(def: z.core.$ZodRecordDef): Matcher | null {
  const key = def.keyType._zod.def as { type: string; checks?: unknown[] }
  if (key.type !== 'string' || (key.checks?.length ?? 0) > 0) return null
  const valueDef = def.valueType._zod.def
  if (valueDef.type === 'unknown') return isRecord
  const inner = matcherOf(def.valueType)
  if (inner === null) return null
  return (value) => isRecord(value) && Object.values(value).every(inner)
}

function objectMatcher(def: z.core.$ZodObjectDef): Matcher | null {
  if (def.catchall !== undefined) return null
  const known: Record<string, Matcher> = Object.create(null) as Record<string, Matcher>
  const required: string[] = []
  for (const [key, inner] of Object.entries(def.shape)) {
    const matcher = matcherOf(inner)
    if (matcher === null) return null
    known[key] = matcher
    const type = inner._zod.def.type
    if (type !== 'optional' && type !== 'unknown' && type !== 'any') required.push(key)
  }
  return (value) => {
    if (!isPlainMap(value)) return false
    // A key the schema does not name would be dropped by zod (D-08).
    for (const key in value) {
      const matcher = known[key]
      if (matcher === undefined || !matcher(value[key])) return false
    }
    for (const key of required) if (value[key] === undefined) return false
    return true
  }
}

/** Zod takes the first option that fits, so an earlier option must be certain to fail before a later one counts. */
function unionMatcher(def: z.core.$ZodUnionDef): Matcher | null {
  const options = def.options.map((option) => ({ type: option._zod.def.type, matcher: matcherOf(option) }))
  return (value) => {
    for (const { type, matcher } of options) {
      if (matcher?.(value) === true) return true
      const certain =
        ((type === 'object' || type === 'record') && (typeof value !== 'object' || Array.isArray(value))) ||
        (type === 'array' && !Array.isArray(value)) ||
        (type === 'string' && typeof value !== 'string')
      if (!certain) return false
    }
    return false
  }
}

/** A map zod would copy whole: an own `__proto__` it would drop. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return isPlainMap(value) && !Object.hasOwn(value, '__proto__')
}

function isPlainMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Whether path parameters fit as they are: the schema wants exactly the names of the path, each as plain text, which
 * is all a router can deliver.
 */
export function acceptsEveryPath(schema: z.ZodType, path: string): boolean {
  const def = schema._zod.def as z.core.$ZodTypes['_zod']['def']
  if (def.type !== 'object' || def.catchall !== undefined || (def.checks?.length ?? 0) > 0) return false
  const names = [...path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1]!)
  const shape = Object.entries(def.shape)
  return (
    shape.length === names.length &&
    shape.every(([name, inner]) => {
      const inside = inner._zod.def as { type: string; coerce?: boolean; checks?: unknown[] }
      return (
        names.includes(name) && inside.type === 'string' && inside.coerce !== true && (inside.checks?.length ?? 0) === 0
      )
    })
  )
}
