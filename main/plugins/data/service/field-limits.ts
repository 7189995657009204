// Whether a value that is stored keeps to one limit of its field's definition, apart from all others. Reads nothing.
import type { FieldErrorCode } from '#shared/errors.ts'
import type { FieldLimit } from '#shared/field-types/field-limits.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { loosened } from './remote-values.ts'

/** What a value breaks of one limit, in a sentence; null where it keeps to it, or is none the type reads. */
export function brokenLimit(field: FieldSchema, limit: FieldLimit, value: unknown, env: ParseEnv): string | null {
  const free = loosened(field)
  const plain = parseField(free, value, env)
  const errors = plain.ok ? [] : plain.errors
  const unlisted = errors.find(({ code }) => code === 'invalid_option')
  if (limit === 'options') return unlisted?.message ?? null
  // Options are a limit of parts as others are.
  if (errors.some(({ code }) => limit !== 'fields' || code !== 'invalid_option')) return null
  const result = parseField(limitedBy(field, free, limit), value, env)
  const code = scaleCodes[limit]
  const broken = result.ok ? undefined : result.errors.find((error) => code === undefined || error.code === code)
  return broken?.message ?? null
}

/** Ends and steps of a scale hang together, so its type judges all of them, and says which one a value breaks. */
const scaleCodes: Partial<Record<FieldLimit, FieldErrorCode>> = {
  maxRating: 'max_value',
  step: 'invalid_number',
  allowHalf: 'invalid_number',
}

/** A field with one limit of its definition. */
function limitedBy(field: FieldSchema, free: FieldSchema, limit: Exclude<FieldLimit, 'options'>): FieldSchema {
  if (limit === 'required') return { ...free, required: field.required }
  if (scaleCodes[limit] !== undefined) return { ...field, required: false }
  if (limit === 'fields') return { ...free, inner: field.inner }
  return { ...free, settings: { ...free.settings, [limit]: field.settings[limit] } }
}
