// The date macros and named ranges of D-85, worked out on the workspace's calendar. Knows no fields.
import { dateInZone, dateMs, dateOfMs, dayMs, isWritable } from './iso.ts'
import { startOfPeriod, utcDay } from './periods.ts'
import { instantOfWallClock, wallClock } from './time-zone.ts'

/** What macros are worked out against. */
export interface MacroEnv {
  /** The present instant in milliseconds. */
  readonly now: number
  /** IANA zone of the workspace (D-10). */
  readonly timeZone: string
}

/** A macro that means a day or an instant. */
export type DateMacro =
  | { readonly $today: string }
  | { readonly $now: string }
  | { readonly $startOf: 'week' | 'month' | 'quarter' | 'year'; readonly offset?: string }

/** Half-open range of calendar days: `from` inclusive, `before` exclusive. */
export interface DateRange {
  readonly from: string
  readonly before: string
}

const offsetPattern = /^([+-])(\d{1,6})([mhdwMqy])$/
const textPattern = /^\{(today|now)([+-]\d{1,6}[mhdwMqy])?\}$/
const periods = ['week', 'month', 'quarter', 'year'] as const

/** Whether the text is "" or `[+-]n` and a unit. */
export function isOffset(text: unknown): text is string {
  return typeof text === 'string' && (text === '' || offsetPattern.test(text))
}

/** Reads `{today}`, `{today-7d}`, `{now+2h}`; null when the text is no date macro. */
export function parseDateMacroText(text: string): DateMacro | null {
  const match = textPattern.exec(text)
  if (!match) return null
  const offset = match[2] ?? ''
  return match[1] === 'today' ? { $today: offset } : { $now: offset }
}

/** Whether the value is a well-formed macro object for a day or an instant. */
export function isDateMacro(value: unknown): value is DateMacro {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const keys = Object.keys(value)
  const macro = value as Record<string, unknown>
  if (keys.length === 1 && (keys[0] === '$today' || keys[0] === '$now')) return isOffset(macro[keys[0]])
  if (!Object.hasOwn(value, '$startOf')) return false
  if (!periods.includes(macro['$startOf'] as (typeof periods)[number])) return false
  return keys.every((key) => key === '$startOf' || (key === 'offset' && isOffset(macro['offset'])))
}

/** The value of a macro: a day (`$today`, `$startOf`) or an instant (`$now`, or any with an offset in hours or minutes). */
export function evaluateDateMacro(macro: DateMacro, env: MacroEnv): { date: string } | { instant: number } | null {
  if ('$now' in macro) {
    const wall = shift(wallClock(env.now, env.timeZone), macro.$now)
    const exact = elapsed(macro.$now)
    const ms = exact === null ? instantOfWallClock(wall, env.timeZone) : env.now + exact
    return isWritable(ms) ? { instant: ms } : null
  }
  const today = dateMs(dateInZone(env.now, env.timeZone))
  const start = '$startOf' in macro ? startOfPeriod(today, macro.$startOf) : today
  const offset = '$startOf' in macro ? (macro.offset ?? '') : macro.$today
  const moved = shift(start, offset)
  if (!isWritable(moved)) return null
  if (/[hm]$/.test(offset)) return { instant: instantOfWallClock(moved, env.timeZone) }
  return { date: dateOfMs(moved) }
}

/**
 * The days a named range covers; null for an unknown name.
 * @source D-85
 */
export function evaluateDateRange(name: string, env: MacroEnv): DateRange | null {
  const today = dateMs(dateInZone(env.now, env.timeZone))
  const range = (from: number, before: number): DateRange | null =>
    isWritable(from) && isWritable(before) ? { from: dateOfMs(from), before: dateOfMs(before) } : null
  if (name === 'today') return range(today, today + dayMs)
  if (name === 'yesterday') return range(today - dayMs, today)
  if (name === 'tomorrow') return range(today + dayMs, today + 2 * dayMs)
  const days = /^(last|next)_(\d{1,5})_days$/.exec(name)
  if (days) {
    const n = Number(days[2])
    if (n < 1) return null
    return days[1] === 'last'
      ? range(today - (n - 1) * dayMs, today + dayMs)
      : range(today + dayMs, today + (n + 1) * dayMs)
  }
  const period = /^(this|last|next)_(week|month|quarter|year)$/.exec(name)
  if (!period) return null
  const unit = unitOf[period[2] as (typeof periods)[number]]
  const start = shift(
    startOfPeriod(today, period[2] as (typeof periods)[number]),
    period[1] === 'this' ? '' : `${period[1] === 'last' ? '-' : '+'}1${unit}`,
  )
  return range(start, shift(start, `+1${unit}`))
}

const unitOf = { week: 'w', month: 'M', quarter: 'q', year: 'y' } as const

/** Milliseconds of an offset in hours or minutes, which count elapsed time and not calendar days. */
function elapsed(offset: string): number | null {
  const match = offsetPattern.exec(offset)
  if (!match) return 0
  const n = Number(match[2]) * (match[1] === '-' ? -1 : 1)
  if (match[3] === 'h') return n * 3_600_000
  if (match[3] === 'm') return n * 60_000
  return null
}

function shift(wall: number, offset: string): number {
  const match = offsetPattern.exec(offset)
  if (!match) return wall
  const n = Number(match[2]) * (match[1] === '-' ? -1 : 1)
  switch (match[3]) {
    case 'm':
      return wall + n * 60_000
    case 'h':
      return wall + n * 3_600_000
    case 'd':
      return wall + n * dayMs
    case 'w':
      return wall + n * 7 * dayMs
    case 'M':
      return addMonths(wall, n)
    case 'q':
      return addMonths(wall, n * 3)
    default:
      return addMonths(wall, n * 12)
  }
}

/** Adds calendar months; a day the target month lacks becomes its last day. */
function addMonths(wall: number, months: number): number {
  const date = new Date(wall)
  const total = date.getUTCFullYear() * 12 + date.getUTCMonth() + months
  const year = Math.floor(total / 12)
  const month = total - year * 12
  const lastDay = new Date(utcDay(year, month + 1, 0)).getUTCDate()
  const midnight = utcDay(year, month, Math.min(date.getUTCDate(), lastDay))
  return midnight + (((wall % dayMs) + dayMs) % dayMs)
}
