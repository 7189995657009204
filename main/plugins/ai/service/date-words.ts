// Reads days and ranges of days as people write them, in English and German. Works on the workspace's calendar.
import { dateMs, dateOfMs, dayMs, isDate } from '#shared/calendar/iso.ts'
import type { Phrase } from './vocabulary.ts'
import { phrases } from './vocabulary.ts'
import type { Word } from './words.ts'

/** Days that were named: a range of D-85 by its name, or half-open. */
export type Days =
  | { readonly kind: 'named'; readonly name: string; readonly text: string }
  | {
      readonly kind: 'range'
      readonly from: string
      readonly before: string
      readonly text: string
      readonly isGuess: boolean
    }

/** A condition on a day: `$during` for the range itself. */
export interface DayCondition {
  readonly operator: '$during' | '$gte' | '$gt' | '$lt' | '$lte'
  readonly days: Days
  /** Of two ends. */
  readonly until?: Days
}

const directions = phrases<DayCondition['operator']>(
  ['$gte', 'since|from|starting|starting from|seit|ab'],
  ['$gt', 'after|later than|nach'],
  ['$lt', 'before|earlier than|vor'],
  ['$lte', 'until|till|by|bis'],
  ['$during', 'in|on|during|within|im|am|in der'],
)
const named = phrases(
  ['today', 'today|heute'],
  ['yesterday', 'yesterday|gestern'],
  ['tomorrow', 'tomorrow|morgen'],
  ['this_week', 'this week|the current week|diese woche|dieser woche'],
  ['last_week', 'last week|the past week|previous week|letzte woche|letzter woche|vergangene woche'],
  ['next_week', 'next week|nächste woche|nächster woche'],
  ['this_month', 'this month|the current month|diesen monat|diesem monat'],
  ['last_month', 'last month|previous month|letzten monat|letztem monat|vergangenen monat'],
  ['next_month', 'next month|nächsten monat|nächstem monat'],
  ['this_quarter', 'this quarter|dieses quartal|diesem quartal'],
  ['last_quarter', 'last quarter|previous quarter|letztes quartal|letztem quartal'],
  ['next_quarter', 'next quarter|nächstes quartal|nächstem quartal'],
  ['this_year', 'this year|the current year|dieses jahr|diesem jahr'],
  ['last_year', 'last year|previous year|letztes jahr|letztem jahr'],
  ['next_year', 'next year|nächstes jahr|nächstem jahr'],
)
const sides = phrases<'last' | 'next'>(
  ['last', 'in the last|in the past|last|past|previous|in den letzten|letzte|letzten|vergangenen'],
  ['next', 'in the next|within the next|within|next|coming|in den nächsten|nächste|nächsten|kommenden'],
)
const units = phrases(
  ['1', 'day|tag|tage|tagen'],
  ['7', 'week|woche|wochen'],
  ['30', 'month|monat|monate|monaten'],
  ['365', 'year|jahr|jahre|jahren'],
)
const months = phrases<number>(
  [1, 'january|jan|januar'],
  [2, 'february|feb|februar'],
  [3, 'march|mar|märz'],
  [4, 'april|apr'],
  [5, 'may|mai'],
  [6, 'june|jun|juni'],
  [7, 'july|jul|juli'],
  [8, 'august|aug'],
  [9, 'september|sep|sept'],
  [10, 'october|oct|oktober|okt'],
  [11, 'november|nov'],
  [12, 'december|dec|dezember|dez'],
)
const betweens = phrases(['between', 'between|zwischen'])
const ands = phrases(['and', 'and|und|to|bis'])

/** What stands at a place, and where it ends. */
export interface Found<T> {
  readonly value: T
  readonly end: number
}

/** Endings of German adjectives. */
const endings = /(?:en|er|es|em|e)$/

/**
 * The longest phrase at a place.
 * @param isLabel whether the phrases are labels, which a German sentence inflects
 */
export function phraseAt<T>(
  words: readonly Word[],
  at: number,
  list: readonly Phrase<T>[],
  isLabel = false,
): Found<T> | null {
  const fitsWord = (word: Word | undefined, stem: string): boolean => {
    if (word === undefined || word.kind === 'text') return false
    return word.stem === stem || (isLabel && stem.length > 3 && word.stem.replace(endings, '') === stem)
  }
  for (const { stems, means } of list) {
    const fits = stems.every((stem, index) => fitsWord(words[at + index], stem))
    if (fits) return { value: means, end: at + stems.length }
  }
  return null
}

/** A condition on days at a place. @param today the present day of the workspace */
export function dayConditionAt(words: readonly Word[], at: number, today: string): Found<DayCondition> | null {
  const between = phraseAt(words, at, betweens)
  if (between !== null) return betweenAt(words, between.end, today)
  const direction = phraseAt(words, at, directions)
  const days = daysAt(words, direction?.end ?? at, today)
  // "in" and "by" mean much beside days.
  if (days === null && direction !== null) {
    const bare = daysAt(words, at, today)
    return bare === null ? null : { value: { operator: '$during', days: bare.value }, end: bare.end }
  }
  if (days === null) return null
  // "from last week" means in it, "from 1 May" means since then.
  const isPeriod = words[at]!.stem === 'from' && !isSingleDay(days.value)
  const operator = isPeriod ? '$during' : (direction?.value ?? '$during')
  return { value: { operator, days: days.value }, end: days.end }
}

function isSingleDay(days: Days): boolean {
  if (days.kind === 'named') return ['today', 'yesterday', 'tomorrow'].includes(days.name)
  return dateMs(days.before) - dateMs(days.from) === dayMs
}

function betweenAt(words: readonly Word[], at: number, today: string): Found<DayCondition> | null {
  const from = daysAt(words, at, today)
  const and = from === null ? null : phraseAt(words, from.end, ands)
  const until = and === null ? null : daysAt(words, and.end, today)
  if (from === null || until === null) return null
  return { value: { operator: '$during', days: from.value, until: until.value }, end: until.end }
}

/** Days at a place. */
export function daysAt(words: readonly Word[], at: number, today: string): Found<Days> | null {
  const byName = phraseAt(words, at, named)
  if (byName !== null) {
    const text = byName.value.replaceAll('_', ' ')
    return { value: { kind: 'named', name: byName.value, text }, end: byName.end }
  }
  return spanAt(words, at) ?? quarterAt(words, at, today) ?? monthAt(words, at, today) ?? plainAt(words, at)
}

/** "last 7 days", "next 2 weeks". */
function spanAt(words: readonly Word[], at: number): Found<Days> | null {
  const side = phraseAt(words, at, sides)
  const count = side === null ? undefined : words[side.end]
  if (side === null || count?.kind !== 'number' || !Number.isInteger(count.value) || count.value! < 1) return null
  const unit = phraseAt(words, side.end + 1, units)
  if (unit === null) return null
  const days = count.value! * Number(unit.value)
  if (days > 36_500) return null
  const text = `the ${side.value} ${days} days`
  return { value: { kind: 'named', name: `${side.value}_${days}_days`, text }, end: unit.end }
}

/** "Q3", "Q1 2025". */
function quarterAt(words: readonly Word[], at: number, today: string): Found<Days> | null {
  const quarter = /^q([1-4])$/.exec(words[at]?.stem ?? '')?.[1]
  if (quarter === undefined) return null
  const year = yearAt(words, at + 1)
  const first = `${year ?? today.slice(0, 4)}-${String(Number(quarter) * 3 - 2).padStart(2, '0')}-01`
  return {
    value: range(first, addMonths(first, 3), `Q${quarter} ${first.slice(0, 4)}`, year === null),
    end: at + (year === null ? 1 : 2),
  }
}

/** "March", "May 2025", "1 May 2026", "May 1st". */
function monthAt(words: readonly Word[], at: number, today: string): Found<Days> | null {
  const before = dayNumber(words[at])
  const month = phraseAt(words, before === null ? at : at + 1, months)
  if (month === null) return null
  let { end } = month
  const after = before === null && yearAt(words, end) === null ? dayNumber(words[end]) : null
  if (after !== null) end += 1
  const year = yearAt(words, end)
  if (year !== null) end += 1
  const number = String(month.value).padStart(2, '0')
  // Without a year: the last time there was such a month.
  const isAhead = month.value > Number(today.slice(5, 7))
  const first = `${year ?? Number(today.slice(0, 4)) - (isAhead ? 1 : 0)}-${number}-01`
  const day = before ?? after
  if (day === null)
    return { value: range(first, addMonths(first, 1), `${first.slice(0, 7)}`, year === null && isAhead), end }
  const date = `${first.slice(0, 8)}${String(day).padStart(2, '0')}`
  return isDate(date) ? { value: range(date, dateOfMs(dateMs(date) + dayMs), date, year === null), end } : null
}

/** An ISO day, or a year. */
function plainAt(words: readonly Word[], at: number): Found<Days> | null {
  const word = words[at]
  if (word?.kind === 'day' && isDate(word.raw))
    return { value: range(word.raw, dateOfMs(dateMs(word.raw) + dayMs), word.raw, false), end: at + 1 }
  const year = yearAt(words, at)
  return year === null ? null : { value: range(`${year}-01-01`, `${year + 1}-01-01`, String(year), false), end: at + 1 }
}

function yearAt(words: readonly Word[], at: number): number | null {
  const word = words[at]
  return word?.kind === 'number' && /^(?:19|20)\d{2}$/.test(word.raw) ? word.value : null
}

function dayNumber(word: Word | undefined): number | null {
  const day =
    word?.kind === 'number' ? word.value : Number(/^(\d{1,2})(?:st|nd|rd|th)$/.exec(word?.stem ?? '')?.[1] ?? 0)
  return day !== null && Number.isInteger(day) && day >= 1 && day <= 31 ? day : null
}

function range(from: string, before: string, text: string, isGuess: boolean): Days {
  return { kind: 'range', from, before, text, isGuess }
}

function addMonths(first: string, count: number): string {
  const total = Number(first.slice(0, 4)) * 12 + Number(first.slice(5, 7)) - 1 + count
  return `${Math.floor(total / 12)}-${String((total % 12) + 1).padStart(2, '0')}-01`
}
