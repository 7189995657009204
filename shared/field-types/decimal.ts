// Decimal rounding and number checks on doubles. Knows no fields.

/**
 * Rounds half away from zero at `scale` fraction digits, on the shortest decimal form of the number, so that 1.005
 * at scale 2 is 1.01.
 */
export function roundHalfAwayFromZero(value: number, scale: number): number {
  if (Number.isInteger(value)) return value
  const moved = shiftExponent(Math.abs(value), scale)
  const rounded = shiftExponent(Math.round(moved), -scale)
  return value < 0 ? -rounded || 0 : rounded
}

/**
 * Whether the number is stored and returned unchanged: finite, and no integer beyond 2^53.
 * @source D-11
 */
export function isExactNumber(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

/** Reads decimal text (`-12`, `3.5`, `1e3`); null when it is none. */
export function parseDecimal(text: string): number | null {
  const trimmed = text.trim()
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(trimmed)) return null
  const value = Number(trimmed)
  return isExactNumber(value) ? value || 0 : null
}

function shiftExponent(value: number, digits: number): number {
  const [mantissa, exponent = '0'] = String(value).split('e')
  return Number(`${mantissa}e${Number(exponent) + digits}`)
}
