// Sums of decimal numbers without the drift of binary fractions. Knows no field.

/**
 * The sum of numbers by their decimal digits, so that 0.1 and 0.2 make 0.3, whatever their order. Only the result is
 * rounded to a double.
 */
export function decimalSum(numbers: readonly number[]): number {
  const isWhole = numbers.every((number) => Number.isInteger(number))
  const reach = numbers.reduce((total, number) => total + Math.abs(number), 0)
  if (isWhole && Number.isSafeInteger(reach)) return numbers.reduce((total, number) => total + number, 0)
  const decimals = numbers.map(decimalOf)
  const exponent = Math.min(0, ...decimals.map((decimal) => decimal.exponent))
  const digits = decimals.reduce((sum, d) => sum + d.digits * 10n ** BigInt(d.exponent - exponent), 0n)
  return Number(`${digits}e${exponent}`)
}

/** Integer digits and a power of ten: the shortest form ECMAScript prints for a double. */
function decimalOf(number: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', power = '0'] = String(number).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}
