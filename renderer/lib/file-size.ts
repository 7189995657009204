// Owns how sizes of files are written.
import { locale } from './language.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A size in the largest unit that leaves a digit before the point: `1.4 MB`. */
export function formatSize(bytes: number): string {
  let at = 0
  let value = bytes
  while (value >= 1_000 && at < units.length - 1) {
    value /= 1_000
    at += 1
  }
  const digits = at === 0 || value >= 100 ? 0 : 1
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[at]!,
    unitDisplay: at === 0 ? 'long' : 'short',
    maximumFractionDigits: digits,
  }).format(value)
}
