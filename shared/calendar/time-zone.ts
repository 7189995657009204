// Wall-clock time of a zone against UTC instants, on the run time's own zone database. Knows no macros and no fields.

const formatters = new Map<string, Intl.DateTimeFormat>()

/** The wall clock of an instant in a zone, written as if it were UTC milliseconds. */
export function wallClock(ms: number, zone: string): number {
  if (zone === 'UTC') return ms
  const part: Record<string, number> = {}
  for (const { type, value } of formatter(zone).formatToParts(ms)) part[type] = Number(value)
  const whole = Date.UTC(2000, part['month']! - 1, part['day'], part['hour'], part['minute'], part['second'])
  const moved = new Date(whole)
  moved.setUTCFullYear(part['year']!, part['month']! - 1, part['day'])
  // The year before 1 is written as 1 again.
  if (moved.getTime() - ms > 172_800_000) moved.setUTCFullYear(1 - part['year']!, part['month']! - 1, part['day'])
  return moved.getTime() + (((ms % 1000) + 1000) % 1000)
}

/**
 * The instant at which a zone's wall clock shows `wallMs` (written as UTC milliseconds). A time that occurs twice means
 * the first; a time skipped by daylight saving means the instant after the gap.
 */
export function instantOfWallClock(wallMs: number, zone: string): number {
  if (zone === 'UTC') return wallMs
  const before = wallMs - (wallClock(wallMs - 86_400_000, zone) - (wallMs - 86_400_000))
  const after = wallMs - (wallClock(wallMs + 86_400_000, zone) - (wallMs + 86_400_000))
  const first = Math.min(before, after)
  const second = Math.max(before, after)
  if (wallClock(first, zone) === wallMs) return first
  if (wallClock(second, zone) === wallMs) return second
  return second
}

function formatter(zone: string): Intl.DateTimeFormat {
  let found = formatters.get(zone)
  if (!found) {
    found = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formatters.set(zone, found)
  }
  return found
}
