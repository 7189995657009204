// Owns the way between instants (UTC) and wall-clock time in a named zone. Pure; Intl is its only source of zones.

import { dateFormat } from './intl-formats.ts'

/** Minutes the zone is ahead of UTC at an instant. */
function offsetMinutes(epochMs: number, timeZone: string): number {
  const format = dateFormat('en-US', `offset ${timeZone}`, {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    era: 'short',
  })
  const part: Record<string, string> = {}
  for (const { type, value } of format.formatToParts(epochMs)) part[type] = value
  const year = part.era?.startsWith('B') ? 1 - Number(part.year) : Number(part.year)
  const wall = new Date(0)
  wall.setUTCFullYear(year, Number(part.month) - 1, Number(part.day))
  wall.setUTCHours(Number(part.hour), Number(part.minute), Number(part.second))
  return Math.round((wall.getTime() - Math.floor(epochMs / 1000) * 1000) / 60_000)
}

/** Wall-clock text `YYYY-MM-DDTHH:MM:SS.mmm` of an instant in a zone. */
export function wallTime(epochMs: number, timeZone: string): string {
  return new Date(epochMs + offsetMinutes(epochMs, timeZone) * 60_000).toISOString().slice(0, 23)
}

/**
 * Instant of a wall-clock time, given as if it were UTC (`Date.UTC` of its parts). A time that occurs twice means the
 * earlier one; a time the clocks skip is moved forward by the skipped span.
 */
export function instantOf(wallAsUtcMs: number, timeZone: string): number {
  const before = offsetMinutes(wallAsUtcMs - 86_400_000, timeZone)
  const after = offsetMinutes(wallAsUtcMs + 86_400_000, timeZone)
  const candidates = [wallAsUtcMs - before * 60_000, wallAsUtcMs - after * 60_000]
  for (const candidate of candidates.toSorted((a, b) => a - b)) {
    if (candidate + offsetMinutes(candidate, timeZone) * 60_000 === wallAsUtcMs) return candidate
  }
  return wallAsUtcMs - before * 60_000
}
