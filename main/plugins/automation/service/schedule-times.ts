// When a schedule comes due (D-160). The cron line is read against the wall clock of its zone, so that a time skipped by
// daylight saving comes at the next valid minute, and one that occurs twice comes once. Pure.
import { Cron } from 'croner'
import { instantOfWallClock, wallClock } from '#shared/calendar/time-zone.ts'

/** What a start of a schedule says of its times. */
export interface ScheduleTimes {
  readonly cron: string | null
  readonly everySeconds: number | null
  readonly timezone: string
  readonly catchUp: 'skip' | 'once'
}

const minuteMs = 60_000
/** Wall times looked at for one answer; many may fall into one gap. */
const maxTries = 200

/** Reads the configuration of a start. */
export function timesOf(config: Readonly<Record<string, unknown>>, workspaceZone: string): ScheduleTimes {
  const { cron, everySeconds, timezone, catchUp } = config
  return {
    cron: typeof cron === 'string' ? cron : null,
    everySeconds: typeof everySeconds === 'number' ? everySeconds : null,
    timezone: typeof timezone === 'string' ? timezone : workspaceZone,
    catchUp: catchUp === 'skip' ? 'skip' : 'once',
  }
}

/** The line as it is shown; intervals have words of their own. */
export function lineOf({ cron, everySeconds }: ScheduleTimes): string {
  return cron ?? `every ${everySeconds} s`
}

/**
 * The next time after an instant, in milliseconds.
 * @param previous the time before, which intervals count from
 * @returns null when there is none
 */
export function nextTime(times: ScheduleTimes, after: number, previous: number | null): number | null {
  if (times.everySeconds !== null) {
    const step = times.everySeconds * 1000
    const base = previous ?? after
    return base + step * Math.max(1, Math.floor((after - base) / step) + 1)
  }
  if (times.cron === null) return null
  const cron = new Cron(times.cron, { paused: true, mode: '5-part', timezone: 'UTC' })
  // A wall clock that was put back shows times again that have been; they are over.
  let wall = Math.floor(wallClock(after, times.timezone) / minuteMs) * minuteMs - minuteMs
  for (let tries = 0; tries < maxTries; tries += 1) {
    const next = cron.nextRun(new Date(wall))?.getTime()
    if (next === undefined) return null
    wall = next
    const instant = instantOf(wall, times.timezone)
    if (instant > after) return instant
  }
  return null
}

/** The instant of a wall time; the end of the gap for one that is skipped. */
function instantOf(wall: number, zone: string): number {
  const instant = instantOfWallClock(wall, zone)
  if (wallClock(instant, zone) === wall) return instant
  // The clock shows less before the gap and more behind it.
  let [before, behind] = [instant - 86_400_000, instant]
  while (behind - before > minuteMs) {
    const middle = Math.floor((before + behind) / 2 / minuteMs) * minuteMs
    if (wallClock(middle, zone) > wall) behind = middle
    else before = middle
  }
  return behind
}
