// Owns the days of a calendar: weeks by the locale, periods and the way between them, days of values and values of days.
// Days are texts `YYYY-MM-DD`. Pure.
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { instantOf, wallTime } from '../../fields/zoned-time.ts'

/** How much a calendar shows. */
export const calendarModes = ['month', 'week', 'day', 'agenda'] as const

/** One of {@link calendarModes}. */
export type CalendarMode = (typeof calendarModes)[number]

const dayMs = 86_400_000
const moment = fieldTypeOf({ name: '', type: 'datetime' })

/** The day some days later, or earlier for a negative number. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** Days from one to another; negative when the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs)
}

/** The same day some months later; the last day of a month that is shorter. */
export function addMonths(day: string, months: number): string {
  const date = new Date(`${day.slice(0, 7)}-01T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + months + 1, 0)
  const last = date.getUTCDate()
  date.setUTCDate(Math.min(last, Number(day.slice(8))))
  return date.toISOString().slice(0, 10)
}

/** The first day of the week by locale: 1 for Monday to 7 for Sunday. */
export function firstWeekday(locale: string): number {
  const known = new Intl.Locale(locale) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number }
    weekInfo?: { firstDay: number }
  }
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1
}

/** The first day of the week a day is in. */
export function weekStart(day: string, first: number): string {
  // Sunday is 0 here and 7 there.
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || 7
  return addDays(day, -((weekday - first + 7) % 7))
}

/** The weeks on screen: six of a month, one, or a single day. */
export function weeksOf(mode: CalendarMode, day: string, first: number): string[][] {
  if (mode === 'day') return [[day]]
  const start = weekStart(mode === 'month' ? `${day.slice(0, 7)}-01` : day, first)
  return Array.from({ length: mode === 'month' ? 6 : 1 }, (_, week) =>
    Array.from({ length: 7 }, (_unused, at) => addDays(start, week * 7 + at)),
  )
}

/** The first and the last day that is shown. */
export function periodOf(mode: CalendarMode, day: string, first: number): { from: string; to: string } {
  if (mode === 'agenda')
    return { from: `${day.slice(0, 7)}-01`, to: addDays(addMonths(`${day.slice(0, 7)}-01`, 1), -1) }
  const days = weeksOf(mode, day, first).flat()
  return { from: days[0] ?? day, to: days.at(-1) ?? day }
}

/** Where the arrows of a calendar lead. */
export function stepPeriod(mode: CalendarMode, day: string, by: 1 | -1): string {
  if (mode === 'day') return addDays(day, by)
  return mode === 'week' ? addDays(day, by * 7) : addMonths(day, by)
}

/** Text of a day. */
export function dayText(day: string, locale: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(Date.parse(`${day}T00:00:00Z`))
}

/** What is on screen, in words. */
export function periodText(mode: CalendarMode, day: string, first: number, locale: string): string {
  if (mode === 'day') return dayText(day, locale, { dateStyle: 'full' })
  if (mode !== 'week') return dayText(day, locale, { year: 'numeric', month: 'long' })
  const { from, to } = periodOf('week', day, first)
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  return format.formatRange(Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`))
}

/** The present day in a zone. */
export function todayIn(timeZone: string): string {
  return wallTime(Date.now(), timeZone).slice(0, 10)
}

/** Whether the values of a field have a time of day. */
export function hasTime(field: FieldDefinition): boolean {
  return fieldTypeOf(field) === moment
}

/** The day of a value in the zone of the workspace; undefined for none. */
export function dayOf(value: unknown, field: FieldDefinition, { timeZone }: FieldContext): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  if (!hasTime(field)) return value.slice(0, 10)
  const instant = Date.parse(value)
  return Number.isNaN(instant) ? undefined : wallTime(instant, timeZone).slice(0, 10)
}

/** The value of a day; where values have a time, that of `before` stays. */
export function valueOn(day: string, before: unknown, field: FieldDefinition, { timeZone }: FieldContext): string {
  if (!hasTime(field)) return day
  const instant = typeof before === 'string' ? Date.parse(before) : Number.NaN
  const time = Number.isNaN(instant) ? '00:00:00.000' : wallTime(instant, timeZone).slice(11)
  return new Date(instantOf(Date.parse(`${day}T${time}Z`), timeZone)).toISOString()
}

/** The condition of the records that are on any day of a period. @source D-79, D-84 */
export function periodCondition(
  start: string,
  end: string | undefined,
  { from, to }: { from: string; to: string },
): Record<string, unknown> {
  if (end === undefined) return { [start]: { $gte: from, $lte: to } }
  // Without an end, or with one before its start, a record is on the day of its start.
  return { $and: [{ [start]: { $lte: to } }, { $or: [{ [start]: { $gte: from } }, { [end]: { $gte: from } }] }] }
}
