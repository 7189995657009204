// Owns how numbers outside of fields are written. Values of fields are the field registry's.
import { locale } from './language.ts'

const numbers = new Intl.NumberFormat(locale)

/** A whole number with the marks of the language. */
export function formatNumber(value: number): string {
  return numbers.format(value)
}

/** A moment as day and time of the language; '' for none. */
export function formatMoment(iso: string | null | undefined): string {
  return iso ? new Date(iso).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }) : ''
}

/** A size in bytes as people write it. */
export function formatBytes(bytes: number): string {
  const step = bytes >= 1e9 ? 1e9 : bytes >= 1e6 ? 1e6 : 1e3
  const unit = step === 1e9 ? 'gigabyte' : step === 1e6 ? 'megabyte' : 'kilobyte'
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    maximumFractionDigits: bytes >= 10 * step ? 0 : 1,
  }).format(bytes / step)
}
