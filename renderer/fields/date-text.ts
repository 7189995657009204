// Owns reading calendar days and times typed by people, and the order their locale writes days in.
// Knows no fields and no zones.

import { dateFormat } from './intl-formats.ts'

const orders = new Map<string, string>()

function dayFormat(locale: string): Intl.DateTimeFormat {
  return dateFormat(locale, 'order', {
    timeZone: 'UTC',
    calendar: 'gregory',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
}

/** A day as {@link parseDay} takes it in the locale's order, to show how one is typed. */
export function exampleDay(locale: string): string {
  return dayFormat(locale).format(Date.UTC(2026, 2, 31))
}

function dayOrder(locale: string): string {
  const known = orders.get(locale)
  if (known) return known
  const letters = dayFormat(locale)
    .formatToParts(0)
    .map(({ type }) => ({ year: 'y', month: 'm', day: 'd' })[type as string] ?? '')
  const order = letters.join('')
  orders.set(locale, order)
  return order
}

/** `YYYY-MM-DD` when year, month and day are a real day between the years 1 and 9999, else null. */
function isoDay(year: number, month: number, day: number): string | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const real = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return real && year >= 1 && year <= 9999 ? date.toISOString().slice(0, 10) : null
}

/**
 * Reads a day: `2026-03-31` (also with / and .), or three numbers in the locale's order with a four-digit year.
 * Two-digit years are refused: guessing the century changes data silently.
 */
export function parseDay(text: string, locale: string): string | null {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text.trim())
  if (iso) return isoDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const local = /^(\d{1,4})[-/. ]+(\d{1,2})[-/. ]+(\d{1,4})\.?$/.exec(text.trim())
  if (!local) return null
  const order = dayOrder(locale)
  const part = (letter: string): string => local[order.indexOf(letter) + 1] ?? ''
  if (part('y').length !== 4) return null
  return isoDay(Number(part('y')), Number(part('m')), Number(part('d')))
}

/** Time of day in milliseconds since midnight: `14:30`, `14:30:05.250`, `2:30 pm`; null when it is none. */
export function parseTimeOfDay(text: string): number | null {
  const found = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(am|pm|a\.m\.|p\.m\.)?$/i.exec(text.trim())
  if (!found) return null
  const half = found[5]?.toLowerCase().charAt(0)
  let hour = Number(found[1])
  if (half && (hour < 1 || hour > 12)) return null
  if (half) hour = (hour % 12) + (half === 'p' ? 12 : 0)
  const minute = Number(found[2])
  const second = Number(found[3] ?? 0)
  if (hour > 23 || minute > 59 || second > 59) return null
  return ((hour * 60 + minute) * 60 + second) * 1000 + Math.trunc(Number(`0.${found[4] ?? '0'}`) * 1000)
}
