// The field type `address`: the parts of a postal address.
import { z } from 'zod'
import type { FieldError } from '#shared/errors.ts'
import { countCodePoints, isBlankText, normalizeText } from './code-points.ts'
import type { FieldType } from './field-type.ts'
import { parsed, problem, refused } from './field-type.ts'
import { jsonFromColumn, jsonToColumn } from './list-values.ts'

/** The parts of an address, in the order they are stored. */
export const addressParts = ['street', 'city', 'state', 'postalCode', 'country', 'countryCode', 'formatted'] as const

const parts: ReadonlySet<string> = new Set(addressParts)
const maxPartLength = 1_000
const countryCode = /^[A-Z]{2}$/

/**
 * An address of texts, blank parts left out; `countryCode` is two letters of ISO 3166-1, stored in capitals. An address
 * without any part is a missing value.
 * @source D-94
 */
export const addressType: FieldType = {
  listRank: null,
  expressionType: 'map',
  searchAs: 'json',
  storage: 'json',
  collation: 'binary',
  flags: { search: 'optional', sortable: false, groupable: false, aggregatable: 'none' },
  settings: { addressFormat: z.string().max(1_000).optional() },
  innerPaths: true,
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'N',
  parse(value, field) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return refused(field, 'invalid_type', 'The value must be an object with the parts of an address.', value)
    }
    const given = value as Record<string, unknown>
    const errors: FieldError[] = Object.keys(given)
      .filter((key) => !parts.has(key))
      .map((key) => problem(`${field.name}.${key}`, 'unknown_field', 'An address has no such part.', given[key]))
    const address: Record<string, string> = {}
    for (const part of addressParts) {
      const text = Object.hasOwn(given, part) ? given[part] : undefined
      const result = readPart(`${field.name}.${part}`, part, text)
      if (typeof result === 'object') errors.push(result)
      else if (result !== '') address[part] = result
    }
    if (errors.length > 0) return { ok: false, errors }
    if (Object.keys(address).length > 0) return parsed(address)
    return field.required ? refused(field, 'required', 'The field needs a value.', value) : parsed(null)
  },
  fromText(text) {
    const trimmed = text.trim()
    if (!trimmed.startsWith('{')) return { formatted: trimmed }
    try {
      return JSON.parse(trimmed) as unknown
    } catch {
      return { formatted: trimmed }
    }
  },
  toColumn: jsonToColumn,
  fromColumn: jsonFromColumn,
  coerceOperand: () => ({ ok: false, reason: 'An address is compared by one of its parts.' }),
  jsonSchema: () => ({
    type: 'object',
    properties: Object.fromEntries(
      addressParts.map((part) => [
        part,
        part === 'countryCode'
          ? { type: 'string', pattern: countryCode.source }
          : { type: 'string', maxLength: maxPartLength },
      ]),
    ),
    additionalProperties: false,
  }),
}

/** The normalised text, blank for a missing part, or what is wrong with it. */
function readPart(path: string, part: string, value: unknown): string | FieldError {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') return problem(path, 'invalid_type', 'The value must be text.', value)
  const text = normalizeText(value)
  if (isBlankText(text)) return ''
  if (text.includes('\0')) return problem(path, 'invalid_format', 'The text must not have U+0000.', value)
  if (countCodePoints(text) > maxPartLength) {
    return problem(path, 'max_length', `The text is longer than ${maxPartLength} characters.`, value, maxPartLength)
  }
  if (part !== 'countryCode') return text
  const code = text.trim().toUpperCase()
  return countryCode.test(code) ? code : problem(path, 'invalid_format', 'A country code has two letters.', value)
}
