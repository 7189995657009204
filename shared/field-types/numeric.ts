// What the number family shares: rounding, bounds, decimal operands. No type of its own.
import { z } from 'zod'
import { isExactNumber, parseDecimal, roundHalfAwayFromZero } from './decimal.ts'
import type { FieldSchema, FieldSettings } from './field-schema.ts'
import type { FieldType, FieldTypeTraits, OperandResult, ParseResult } from './field-type.ts'
import { parsed, refused } from './field-type.ts'

/** The definition keys of the number family. */
export const numberSettings = {
  min: z.number().optional(),
  max: z.number().optional(),
  precision: z.int().min(1).max(15).optional(),
  scale: z.int().min(0).max(12).optional(),
} as const

/** What differs inside the family. */
export interface NumberTraits {
  /** Fraction digits kept; undefined keeps all. */
  readonly scale: (settings: FieldSettings) => number | undefined
  readonly settings?: FieldType['settings']
}

/** Makes a field type whose value is a number. */
export function numericType(traits: NumberTraits, more: FieldTypeTraits = {}): FieldType {
  return {
    expressionType: 'number',
    fractionDigits: traits.scale,
    ...more,
    storage: 'plain',
    collation: 'binary',
    flags: { search: 'never', sortable: true, groupable: true, aggregatable: 'all' },
    settings: traits.settings ?? numberSettings,
    blankIsNull: true,
    sqlType: (settings) => (traits.scale(settings) === 0 ? 'INTEGER' : 'REAL'),
    operators: () => 'O',
    parse: (value, field) => parseNumber(value, field, traits.scale(field.settings)),
    fromText: (text) => parseDecimal(text) ?? undefined,
    toColumn: (value) => value as number | null,
    fromColumn: (value) => value,
    coerceOperand: (value) => coerceNumberOperand(value),
    jsonSchema: (field) => numberSchema(field, traits.scale(field.settings)),
  }
}

/** Checks a number, rounds it to the scale and checks bounds and digits. */
export function parseNumber(value: unknown, field: FieldSchema, scale: number | undefined): ParseResult {
  if (typeof value !== 'number' || !isExactNumber(value)) {
    return refused(field, 'invalid_number', 'The value must be a number within the exact range.', value)
  }
  const rounded = scale === undefined ? value : roundHalfAwayFromZero(value, scale)
  const { min, max, precision } = field.settings
  if (typeof min === 'number' && rounded < min) {
    return refused(field, 'min_value', `The number is smaller than ${min}.`, value, min)
  }
  if (typeof max === 'number' && rounded > max) {
    return refused(field, 'max_value', `The number is larger than ${max}.`, value, max)
  }
  if (precision !== undefined && Math.abs(rounded) >= 10 ** (precision - (scale ?? 0))) {
    return refused(field, 'max_value', `The number has more than ${precision} digits.`, value, precision)
  }
  // Minus zero is stored as zero: the two are equal and must look equal.
  return parsed(rounded === 0 ? 0 : rounded)
}

/** Accepts a number or decimal text. @source D-84 */
export function coerceNumberOperand(value: unknown): OperandResult {
  const number = typeof value === 'string' ? parseDecimal(value) : value
  if (typeof number !== 'number' || !isExactNumber(number))
    return { ok: false, reason: 'The operand must be a number within the exact range.' }
  return { ok: true, value: number }
}

/** JSON Schema of a number of a field. */
export function numberSchema(field: FieldSchema, scale: number | undefined): Record<string, unknown> {
  return {
    type: scale === 0 ? 'integer' : 'number',
    ...(typeof field.settings.min === 'number' ? { minimum: field.settings.min } : {}),
    ...(typeof field.settings.max === 'number' ? { maximum: field.settings.max } : {}),
  }
}
