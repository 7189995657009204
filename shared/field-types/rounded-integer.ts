// Integers in JSON whose digits were lost when it was read (D-11). Knows no fields.

/**
 * The path of an integer that reading JSON may have rounded, below a name; null when there is none. From 1e21 on a number
 * is written with an exponent, which promises no digits.
 */
export function pathOfRounded(value: unknown, name: string): string | null {
  if (typeof value === 'number') {
    const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
    return isRounded ? name : null
  }
  if (typeof value !== 'object' || value === null) return null
  for (const [key, child] of Object.entries(value)) {
    const found = pathOfRounded(child, `${name}.${key}`)
    if (found !== null) return found
  }
  return null
}
