// Owns reading numbers, dates and yes-no words as people and spreadsheets write them. Pure; one notation per column, so
// that 1.234 never means two things in one table.

/** Which character marks the fraction. */
export type DecimalMark = '.' | ','

/** The order of day and month in dates with slashes, dots or dashes. */
export type DateOrder = 'dmy' | 'mdy' | 'ymd'

const currencySign = /^\p{Sc}\s?|\s?\p{Sc}$|^(?:USD|EUR|GBP|CHF|JPY)\s|\s(?:USD|EUR|GBP|CHF|JPY)$/u
const groupedComma = /^\d{1,3}(,\d{3})+$/
const groupedDot = /^\d{1,3}(\.\d{3})+$/
const groupedSpace = /^\d{1,3}([ \u00a0\u202f']\d{3})+$/

/** The number a text stands for, or null. Currency signs, a percent sign and thousands marks are understood. */
export function readNumber(text: string, mark: DecimalMark): number | null {
  let rest = text.trim()
  let sign = 1
  if (/^\(.*\)$/.test(rest)) {
    sign = -1
    rest = rest.slice(1, -1).trim()
  }
  rest = rest.replace(/^[\u2212-]\s?/, () => {
    sign = -sign
    return ''
  })
  rest = rest.replace(/^\+/, '').replace(currencySign, '').replace(/\s?%$/, '').trim()
  if (/^\d+(\.\d*)?e[+-]?\d{1,3}$/i.test(rest)) return finite(sign * Number(rest))
  const [whole = '', fraction, ...more] = rest.split(mark)
  if (more.length > 0 || (fraction !== undefined && !/^\d*$/.test(fraction))) return null
  const grouped = mark === '.' ? groupedComma : groupedDot
  const isWhole = whole === '' ? fraction !== undefined && fraction !== '' : /^\d+$/.test(whole)
  if (!isWhole && !grouped.test(whole) && !groupedSpace.test(whole)) return null
  const digits = whole.replace(/\D/g, '')
  // Codes such as 00123 are words, not numbers: the zeros would be lost.
  if (/^0\d/.test(digits)) return null
  return finite(sign * Number(`${digits || '0'}.${fraction || '0'}`))
}

function finite(value: number): number | null {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return null
  return value === 0 ? 0 : value
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const clock = /[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([ap]\.?m\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i

/** A calendar day and, when the text has one, a time of day. */
export interface ReadDate {
  date: string
  time: string | undefined
}

/** The day and time a text stands for, or null. */
export function readDate(text: string, order: DateOrder): ReadDate | null {
  const trimmed = text.trim().replace(/^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+/i, '')
  const found = clock.exec(trimmed)
  const date = readDay(found ? trimmed.slice(0, found.index) : trimmed, order)
  if (!date) return null
  return { date, time: found ? clockText(found) : undefined }
}

function clockText(found: RegExpExecArray): string | undefined {
  const [, hourText = '', minute = '', second = '00', half, zone] = found
  let hour = Number(hourText)
  if (half) hour = (hour % 12) + (/^p/i.test(half) ? 12 : 0)
  if (hour > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const offset = !zone ? '' : /^(z|utc|gmt)$/i.test(zone) ? 'Z' : zone.replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2')
  return `${String(hour).padStart(2, '0')}:${minute}:${second}${offset}`
}

function readDay(text: string, order: DateOrder): string | null {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text)
  if (iso) return day(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const parts = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{2}|\d{4})$/.exec(text)
  if (parts) {
    const [a, b] = [Number(parts[1]), Number(parts[2])]
    return order === 'mdy' ? day(fullYear(parts[3]), a, b) : day(fullYear(parts[3]), b, a)
  }
  const named = /^(\d{1,2})\.?[\s-]+([a-z]{3,9})\.?,?[\s-]+(\d{2}|\d{4})$/i.exec(text)
  if (named) return namedDay(named[3], named[2], named[1])
  const namedFirst = /^([a-z]{3,9})\.?[\s-]+(\d{1,2})(?:st|nd|rd|th)?,?[\s-]+(\d{2}|\d{4})$/i.exec(text)
  return namedFirst ? namedDay(namedFirst[3], namedFirst[1], namedFirst[2]) : null
}

function namedDay(year: string | undefined, name: string | undefined, dayText: string | undefined): string | null {
  const month = months.indexOf((name ?? '').slice(0, 3).toLowerCase()) + 1
  return month === 0 ? null : day(fullYear(year), month, Number(dayText))
}

// Two digits mean the century that makes the year at most twenty years ahead of now.
function fullYear(text: string | undefined): number {
  const year = Number(text)
  if ((text ?? '').length === 4) return year
  const limit = (new Date().getFullYear() + 20) % 100
  return year <= limit ? 2000 + year : 1900 + year
}

function day(year: number, month: number, dayOfMonth: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, dayOfMonth))
  if (year < 1000 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== dayOfMonth) return null
  return date.toISOString().slice(0, 10)
}

const yes = new Set(['true', 'yes', 'y', 'x', '✓', '✔', 'checked', 'on'])
const no = new Set(['false', 'no', 'n', 'unchecked', 'off'])

/** The yes or no a text stands for, or null; digits are left to the caller. */
export function readYesNo(text: string): boolean | null {
  const word = text.trim().toLowerCase()
  return yes.has(word) ? true : no.has(word) ? false : null
}
