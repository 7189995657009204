// The field type `location`: a point on the earth.
import type { FieldError } from '#shared/errors.ts'
import { isExactNumber, parseDecimal } from './decimal.ts'
import type { FieldType } from './field-type.ts'
import { parsed, problem, refused } from './field-type.ts'
import { jsonFromColumn, jsonToColumn } from './list-values.ts'

/** Bounds by part; degrees, and metres for altitude and accuracy. */
const bounds: Readonly<Record<string, readonly [min: number, max: number]>> = {
  latitude: [-90, 90],
  longitude: [-180, 180],
  altitude: [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  accuracy: [0, Number.MAX_SAFE_INTEGER],
}
const needed = ['latitude', 'longitude']

/** Latitude and longitude in degrees, altitude and accuracy in metres. @source D-94 */
export const locationType: FieldType = {
  listRank: null,
  expressionType: 'map',
  dimension: 'geo',
  storage: 'json',
  collation: 'binary',
  flags: { search: 'never', sortable: false, groupable: false, aggregatable: 'none' },
  settings: {},
  innerPaths: true,
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'N',
  parse(value, field) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return refused(field, 'invalid_location', 'The value must be {latitude, longitude}.', value)
    }
    const given = value as Record<string, unknown>
    const errors: FieldError[] = Object.keys(given)
      .filter((key) => !Object.hasOwn(bounds, key))
      .map((key) => problem(`${field.name}.${key}`, 'unknown_field', 'A location has no such part.', given[key]))
    const location: Record<string, number> = {}
    for (const [part, [min, max]] of Object.entries(bounds)) {
      const number = Object.hasOwn(given, part) ? given[part] : undefined
      if ((number === undefined || number === null) && !needed.includes(part)) continue
      if (typeof number === 'number' && isExactNumber(number) && number >= min && number <= max) {
        location[part] = number === 0 ? 0 : number
      } else {
        const message = `The ${part} must be a number from ${min} to ${max}.`
        errors.push(problem(`${field.name}.${part}`, 'invalid_location', message, number))
      }
    }
    return errors.length > 0 ? { ok: false, errors } : parsed(location)
  },
  fromText(text) {
    const trimmed = text.trim()
    if (trimmed.startsWith('{')) {
      try {
        return JSON.parse(trimmed) as unknown
      } catch {
        return undefined
      }
    }
    const [latitude, longitude, ...rest] = trimmed.split(/\s*[,;]\s*|\s+/).map(parseDecimal)
    if (typeof latitude !== 'number' || typeof longitude !== 'number' || rest.length > 0) return undefined
    return { latitude, longitude }
  },
  toColumn: jsonToColumn,
  fromColumn: jsonFromColumn,
  coerceOperand: () => ({ ok: false, reason: 'A location is compared by one of its parts.' }),
  jsonSchema: () => ({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(bounds).map(([part, [minimum, maximum]]) => [part, { type: 'number', minimum, maximum }]),
    ),
    required: needed,
    additionalProperties: false,
  }),
}
