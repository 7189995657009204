// The calendar period an instant falls into in a zone, fast enough for every row of a table: the zone is asked once per
// day of the data. Knows no fields and no SQL.
import { dateMs, dateOfMs, dayMs } from './iso.ts'
import type { Period } from './periods.ts'
import { startOfPeriod } from './periods.ts'
import { wallClock } from './time-zone.ts'

/** One UTC day as a zone sees it. */
interface ZoneDay {
  /** Milliseconds to add to UTC; null when the clocks change during the day. */
  readonly offset: number | null
  /** First days of the periods of the local days before, on and after it. */
  readonly before: string
  readonly same: string
  readonly after: string
}

const maxRemembered = 50_000

/**
 * Makes a function from timestamps in the form of D-10 to the first day, `YYYY-MM-DD`, of the period each falls into on
 * the wall clock of the zone.
 */
export function createPeriodOf(period: Period, zone: string): (instant: string) => string {
  const days = new Map<string, ZoneDay>()
  // The day of an instant may lie beyond the last one that can be written.
  const periodOfDay = (day: number): string => dateOfMs(startOfPeriod(dateMs(dateOfMs(day)), period))

  const read = (date: string): ZoneDay => {
    const start = dateMs(date)
    const offset = wallClock(start, zone) - start
    const isConstant = wallClock(start + dayMs, zone) - (start + dayMs) === offset
    const [before, same, after] = [start - dayMs, start, start + dayMs].map(periodOfDay) as [string, string, string]
    return { offset: isConstant ? offset : null, before, same, after }
  }

  return (instant) => {
    const date = instant.slice(0, 10)
    let day = days.get(date)
    if (day === undefined) {
      day = read(date)
      if (days.size >= maxRemembered) days.clear()
      days.set(date, day)
    }
    if (day.offset === null) {
      const wall = wallClock(Date.parse(instant), zone)
      return periodOfDay(Math.floor(wall / dayMs) * dayMs)
    }
    const local = timeOfDay(instant) + day.offset
    return local < 0 ? day.before : local >= dayMs ? day.after : day.same
  }
}

/** Milliseconds since midnight of `…THH:MM:SS.mmmZ`. */
function timeOfDay(instant: string): number {
  const two = (at: number) => instant.charCodeAt(at) * 10 + instant.charCodeAt(at + 1) - 528
  return (two(11) * 60 + two(14)) * 60_000 + two(17) * 1_000 + Number(instant.slice(20, 23))
}
