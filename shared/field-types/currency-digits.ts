// How many fraction digits an amount of money keeps; server and screens ask here. Pure.

/** What of a field's definition says so. */
interface DigitSettings {
  readonly scale?: number | undefined
  readonly currencyConfig?: { readonly precision?: number | undefined } | undefined
}

/** Fraction digits of a currency field. @source D-94 */
export function currencyDigits({ currencyConfig, scale }: DigitSettings): number {
  return currencyConfig?.precision ?? scale ?? 2
}
