// Reads amounts of money as people write them: a sign or code before or after, thousands grouped. Knows no fields.
import { currencyCodes } from './currencies.ts'
import { parseDecimal } from './decimal.ts'

/** An amount and the currency it names; null when it names none. */
export interface MoneyText {
  readonly value: number
  readonly currency: string | null
}

const signs: Readonly<Record<string, string>> = {
  $: 'USD',
  US$: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₩': 'KRW',
  '₽': 'RUB',
  '₺': 'TRY',
  '₴': 'UAH',
  '₫': 'VND',
  '₪': 'ILS',
  '₱': 'PHP',
  '฿': 'THB',
}

const mark = String.raw`US\$|\p{Sc}|[A-Za-z]{3}`
// Space before the amount is matched in one way only: two in a row would take turns at a long one.
const form = new RegExp(String.raw`^([+-]?)\s*(?:(${mark})\s*)?([+-]?)([\d.,]+)\s*(${mark})?$`, 'u')

/**
 * Reads `12.50`, `-$1,234.50`, `EUR 5`, `5 €`. A comma groups thousands only where it cannot be a decimal mark: before
 * a fraction, twice, or with the signs of dollar and pound. Null for anything else.
 */
export function readMoneyText(text: string): MoneyText | null {
  const match = form.exec(text.trim())
  if (!match) return null
  const [, outer = '', before, inner = '', digits = '', after] = match
  if ((before !== undefined && after !== undefined) || (outer !== '' && inner !== '')) return null
  const written = before ?? after
  const currency = written === undefined ? null : codeOf(written)
  if (currency === undefined) return null
  const plain = ungroup(digits, currency === 'USD' || currency === 'GBP')
  const value = plain === null ? null : parseDecimal(`${outer}${inner}${plain}`)
  return value === null ? null : { value, currency }
}

function codeOf(written: string): string | undefined {
  const code = signs[written] ?? written.toUpperCase()
  return currencyCodes.has(code) ? code : undefined
}

function ungroup(digits: string, commaGroups: boolean): string | null {
  if (!digits.includes(',')) return digits
  if (!/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(digits)) return null
  const isClear = commaGroups || digits.includes('.') || digits.indexOf(',') !== digits.lastIndexOf(',')
  return isClear ? digits.replaceAll(',', '') : null
}
