// The SQL functions that queries rely on. Every connection registers them, the reader process included.
import { createClockPeriodOf } from '#shared/calendar/clock-period.ts'
import { createPeriodOf } from '#shared/calendar/period-of-instant.ts'
import type { ClockPeriod, Period } from '#shared/calendar/periods.ts'
import { foldCase } from '#shared/filter/fold-case.ts'

/** The part of a connection that registering needs. */
export interface FunctionHost {
  function(
    name: string,
    options: { deterministic: boolean; directOnly?: boolean },
    fn: (...values: readonly unknown[]) => unknown,
  ): unknown
}

/**
 * Registers `cairn_fold(text)`: Unicode simple case folding (D-83); `cairn_lower(text)` and `cairn_upper(text)`: the case of
 * all letters, where SQLite's own change ASCII alone; and `cairn_period(timestamp, period, zone)`: the
 * first day of the period a timestamp falls into there; `cairn_clock_period` does the same for hours, minutes and seconds
 * and answers the instant they begin with. Null and values that are no text stay as they are.
 */
export function registerFunctions(connection: FunctionHost): void {
  connection.function('cairn_fold', { deterministic: true }, (value: unknown) =>
    typeof value === 'string' ? foldCase(value) : value,
  )
  connection.function('cairn_lower', { deterministic: true }, (value: unknown) =>
    typeof value === 'string' ? value.toLowerCase() : value,
  )
  connection.function('cairn_upper', { deterministic: true }, (value: unknown) =>
    typeof value === 'string' ? value.toUpperCase() : value,
  )
  const periodsOf = new Map<string, (instant: string) => string>()
  connection.function('cairn_period', { deterministic: true }, (value: unknown, period: unknown, zone: unknown) => {
    if (typeof value !== 'string') return value
    const key = `${String(period)} ${String(zone)}`
    let periodOf = periodsOf.get(key)
    if (!periodOf) {
      periodOf = createPeriodOf(period as Period, zone as string)
      periodsOf.set(key, periodOf)
    }
    return periodOf(value)
  })
  const clocksOf = new Map<string, (instant: string) => string>()
  connection.function(
    'cairn_clock_period',
    { deterministic: true },
    (value: unknown, period: unknown, zone: unknown) => {
      if (typeof value !== 'string') return value
      const key = `${String(period)} ${String(zone)}`
      let clockOf = clocksOf.get(key)
      if (!clockOf) {
        clockOf = createClockPeriodOf(period as ClockPeriod, zone as string)
        clocksOf.set(key, clockOf)
      }
      return clockOf(value)
    },
  )
}
