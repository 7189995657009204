// Owns saying in words when a schedule comes due. The host decides when; what follows its next time is worked out here.
import { Cron } from 'croner'
import { locale } from '../../lib/language.ts'
import { t, tn } from '../../lib/strings.ts'
import type { Schedule } from './automation-queries.ts'

const clock = (hour: string, minute: string): string => `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
const isNumber = (text: string | undefined): text is string => text !== undefined && /^\d+$/.test(text)

/** Name of a day of the week, 0 and 7 for Sunday. */
function dayName(day: string): string {
  // The first of February 1970 was a Sunday.
  const date = new Date(Date.UTC(1970, 1, 1 + (Number(day) % 7)))
  return date.toLocaleDateString(locale, { weekday: 'long', timeZone: 'UTC' })
}

/** A line of a schedule in words; the line itself where words would be longer than the line. */
export function cronText(line: string): string {
  const every = /^every (\d+) s$/.exec(line)?.[1]
  if (every !== undefined) return intervalText(Number(every))
  const [minute, hour, day, month, weekday] = line.trim().split(/\s+/)
  const anyDay = day === '*' && month === '*' && weekday === '*'
  const step = /^\*\/(\d+)$/.exec(minute ?? '')?.[1]
  if (anyDay && hour === '*') {
    if (minute === '*' || step !== undefined) return tn('schedules.minutes', Number(step ?? 1))
    if (isNumber(minute)) return t('schedules.hourly', { minute: minute.padStart(2, '0') })
  }
  if (!isNumber(minute) || !isNumber(hour) || month !== '*') return line
  const time = clock(hour, minute)
  if (anyDay) return t('schedules.daily', { time })
  if (day === '*' && weekday === '1-5') return t('schedules.workdays', { time })
  if (day === '*' && weekday !== undefined && /^[0-7](,[0-7])*$/.test(weekday)) {
    const days = new Intl.ListFormat(locale).format(weekday.split(',').map(dayName))
    return t('schedules.weekly', { days, time })
  }
  if (isNumber(day) && weekday === '*') return t('schedules.monthly', { day, time })
  return line
}

function intervalText(seconds: number): string {
  if (seconds % 3_600 === 0) return tn('schedules.hours', seconds / 3_600)
  if (seconds % 60 === 0) return tn('schedules.minutes', seconds / 60)
  return tn('schedules.seconds', seconds)
}

/** The next times, the host's first; none while the schedule is paused. */
export function nextRuns({ cron, timezone, nextRunAt }: Pick<Schedule, 'cron' | 'timezone' | 'nextRunAt'>): Date[] {
  if (nextRunAt === null) return []
  const first = new Date(nextRunAt)
  const every = /^every (\d+) s$/.exec(cron)?.[1]
  if (every !== undefined) return [0, 1, 2].map((times) => new Date(first.getTime() + times * Number(every) * 1_000))
  try {
    return [first, ...new Cron(cron, { paused: true, mode: '5-part', timezone }).nextRuns(2, first)]
  } catch {
    return [first] // a line this version does not read: the host's word is enough
  }
}

/** How far off a moment is. */
export function distanceText(moment: Date, now: number): string {
  const seconds = Math.round((moment.getTime() - now) / 1_000)
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const size = Math.abs(seconds)
  if (size < 60) return format.format(seconds, 'second')
  if (size < 3_600) return format.format(Math.round(seconds / 60), 'minute')
  if (size < 86_400) return format.format(Math.round(seconds / 3_600), 'hour')
  return format.format(Math.round(seconds / 86_400), 'day')
}

/** A moment on the clock of a zone. */
export function momentIn(moment: Date, timeZone: string): string {
  const shape = { weekday: 'short', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const
  return moment.toLocaleString(locale, { ...shape, timeZone, hourCycle: 'h23' })
}
