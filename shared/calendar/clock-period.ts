// The hour, minute or second an instant falls into on the wall clock of a zone. Knows no fields.
import { formatInstant } from './iso.ts'
import type { ClockPeriod } from './periods.ts'
import { wallClock } from './time-zone.ts'

const lengths: Readonly<Record<ClockPeriod, number>> = { hour: 3_600_000, minute: 60_000, second: 1_000 }

/**
 * Makes a function from timestamps in the form of D-10 to the instant at which their hour, minute or second began
 * there. Only hours depend on the zone: some zones are off by parts of an hour.
 */
export function createClockPeriodOf(period: ClockPeriod, zone: string): (instant: string) => string {
  const length = lengths[period]
  return (instant) => {
    const at = Date.parse(instant)
    if (Number.isNaN(at)) return instant
    const wall = period === 'hour' ? wallClock(at, zone) : at
    return formatInstant(at - (((wall % length) + length) % length))
  }
}
