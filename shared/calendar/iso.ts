// Reads and writes the dates and timestamps of D-10. Knows no fields and no filters.
import { instantOfWallClock, wallClock } from './time-zone.ts'

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
const instantPattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/
const canonicalPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Milliseconds of a day, as the zone-free calendar counts them. */
export const dayMs = 86_400_000

/** Whether the text is a real calendar day written `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  const match = datePattern.exec(text)
  return match !== null && isRealDay(Number(match[1]), Number(match[2]), Number(match[3]))
}

/** UTC midnight of a `YYYY-MM-DD` day; the input must satisfy {@link isDate}. */
export function dateMs(date: string): number {
  return Date.parse(`${date}T00:00:00.000Z`)
}

/** The first and the last instant with a year of four digits. */
const firstMs = -62_167_219_200_000
const lastMs = 253_402_300_799_999

/** The `YYYY-MM-DD` of UTC milliseconds; before and after the years of four digits their first and last day. */
export function dateOfMs(ms: number): string {
  return new Date(Math.min(Math.max(ms, firstMs), lastMs)).toISOString().slice(0, 10)
}

/** The calendar day an instant falls on in a zone. */
export function dateInZone(ms: number, zone: string): string {
  return dateOfMs(wallClock(ms, zone))
}

/** The instant at which a calendar day begins in a zone. */
export function startOfDate(date: string, zone: string): number {
  return instantOfWallClock(dateMs(date), zone)
}

/** The instant at which the day after a calendar day begins in a zone. */
export function endOfDate(date: string, zone: string): number {
  return instantOfWallClock(dateMs(date) + dayMs, zone)
}

/**
 * Reads a timestamp of any offset and precision into milliseconds; null when it is none. Without an offset it is wall
 * time of the zone; without a time it is the start of the day there; fractions beyond milliseconds are cut.
 * @source D-10
 */
export function parseInstant(text: string, zone: string): number | null {
  if (canonicalPattern.test(text)) {
    const ms = Date.parse(text)
    return Number.isNaN(ms) || new Date(ms).toISOString() !== text ? null : ms
  }
  const match = instantPattern.exec(text)
  if (!match) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = match
  if (!isRealDay(Number(year), Number(month), Number(day))) return null
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  const time =
    (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3))
  const wall = dateMs(`${year}-${month}-${day}`) + time
  const offsetMs = offset === undefined ? null : parseOffset(offset)
  if (Number.isNaN(offsetMs)) return null
  const ms = offsetMs === null ? instantOfWallClock(wall, zone) : wall - offsetMs
  return isWritable(ms) ? ms : null
}

/** Writes an instant as D-10 does. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString()
}

/** Whether the instant can be written with a four-digit year. */
export function isWritable(ms: number): boolean {
  return ms >= firstMs && ms <= lastMs
}

function parseOffset(text: string): number {
  if (text === 'Z' || text === 'z') return 0
  const hours = Number(text.slice(1, 3))
  const minutes = text.length > 3 ? Number(text.slice(-2)) : 0
  if (hours > 23 || minutes > 59) return Number.NaN
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

function isRealDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  if (day <= 28) return true
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1
}
