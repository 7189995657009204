// Owns what number-like types share: limits, rounding to the scale, and reading typed numbers.
// Knows no display.

import type { FieldDefinition } from './field-definition.ts'
import type { FieldContext, ParseResult } from './field-type.ts'
import { numberFormat } from './intl-formats.ts'
import { numberToText, parseNumber } from './number-text.ts'
import { parsed, quoteForMessage, refused } from './parse-result.ts'

/** Rounds half away from zero, as the server does. @source D-94 number */
export function roundTo(value: number, scale: number): number {
  // Through the decimal text: 1.005 * 100 is 100.49999999999999.
  const [digits = '0', exponent = '0'] = Math.abs(value).toExponential().split('e')
  const shifted = Math.round(Number(`${digits}e${Number(exponent) + scale}`))
  const rounded = Number(`${shifted}e${-scale}`)
  return Number.isFinite(rounded) && rounded !== 0 ? Math.sign(value) * rounded : rounded === 0 ? 0 : value
}

/** Reads a number with the field's scale, `min` and `max`. */
export function parseLimited(
  text: string,
  field: FieldDefinition,
  context: FieldContext,
  scale: number | undefined,
): ParseResult {
  const value = parseNumber(text, context.locale)
  if (value === null) {
    const example = numberFormat(context.locale, 'example', { maximumFractionDigits: 1 }).format(1234.5)
    return refused(context, 'field.number', { text: quoteForMessage(text), example })
  }
  const rounded = scale === undefined ? value : roundTo(value, scale)
  // Beyond 2^53 neighbouring integers are the same number: what was typed would not be what is stored.
  if (Number.isInteger(rounded) && !Number.isSafeInteger(rounded)) return refused(context, 'field.inexact')
  return checkLimits(rounded, field, context, scale) ?? parsed(rounded)
}

/** Refusal when a number is outside `min` and `max`, else null. */
export function checkLimits(
  value: number,
  field: FieldDefinition,
  context: FieldContext,
  scale: number | undefined,
): ParseResult | null {
  const { min, max } = field
  if (typeof min === 'number' && value < min) {
    return refused(context, 'field.tooLow', { min: numberToText(min, context.locale) })
  }
  if (typeof max === 'number' && value > max) {
    return refused(context, 'field.tooHigh', { max: numberToText(max, context.locale) })
  }
  const { precision } = field
  const whole = typeof precision === 'number' ? precision - (scale ?? 0) : undefined
  if (whole !== undefined && Math.abs(value) >= 10 ** whole) return refused(context, 'field.tooManyDigits', { whole })
  return null
}

/** The number in a value, or null; numbers may arrive as text in imported data. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'string' && value.trim() !== '') {
    const read = Number(value)
    return Number.isFinite(read) ? read : null
  }
  return null
}
