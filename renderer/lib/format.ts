// Owns how numbers outside of fields are written. Values of fields are the field registry's.
import { locale } from './strings.ts'

const numbers = new Intl.NumberFormat(locale)

/** A whole number with the marks of the language. */
export function formatNumber(value: number): string {
  return numbers.format(value)
}

/** A moment as day and time of the language; '' for none. */
export function formatMoment(iso: string | null | undefined): string {
  return iso ? new Date(iso).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }) : ''
}
