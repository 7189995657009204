// Calendar periods and the day each begins with; weeks begin on Monday (D-10). Knows no zones and no fields.
import { dayMs } from './iso.ts'

/** The periods days can be put into. */
export const periods = ['day', 'week', 'month', 'quarter', 'year'] as const

/** A name of {@link periods}. */
export type Period = (typeof periods)[number]

/** The periods instants can be put into beside those of days. */
export const clockPeriods = ['hour', 'minute', 'second'] as const

/** A name of {@link clockPeriods}. */
export type ClockPeriod = (typeof clockPeriods)[number]

/** UTC midnight of the first day of the period that holds a day; the day is UTC midnight too. */
export function startOfPeriod(day: number, period: Period): number {
  const date = new Date(day)
  if (period === 'day') return day
  if (period === 'week') return day - ((date.getUTCDay() + 6) % 7) * dayMs
  if (period === 'year') return utcDay(date.getUTCFullYear(), 0, 1)
  const month = period === 'month' ? date.getUTCMonth() : Math.floor(date.getUTCMonth() / 3) * 3
  return utcDay(date.getUTCFullYear(), month, 1)
}

/** UTC midnight of a day; months count from 0, and a day of 0 is the last day of the month before. */
export function utcDay(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return date.getTime()
}
