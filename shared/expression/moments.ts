// Moments and lengths of time inside of expressions, and how ISO texts become them. Records hold texts only.
import { formatInstant, isDate, isWritable, parseInstant, startOfDate } from '#shared/calendar/iso.ts'
import { wallClock } from '#shared/calendar/time-zone.ts'
import { ExpressionError } from './expression-error.ts'

/** An instant; becomes ISO text when it leaves the expression. */
export class Moment {
  readonly ms: number

  constructor(ms: number) {
    if (!Number.isFinite(ms) || !isWritable(ms)) {
      throw new ExpressionError('value', 'The instant is outside of the calendar.')
    }
    this.ms = ms
  }

  toString(): string {
    return formatInstant(this.ms)
  }
}

/** A length of time; becomes text such as `90s` when it leaves the expression. */
export class Span {
  readonly ms: number

  constructor(ms: number) {
    if (!Number.isFinite(ms)) throw new ExpressionError('value', 'The duration is too long.')
    this.ms = ms
  }

  toString(): string {
    return `${this.ms / 1000}s`
  }
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
const spanPattern = /^[+-]?(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/
const spanPart = /(\d+(?:\.\d+)?)(ms|[dhms])/g

/** Reads `1h30m`, `-15s`, `2d`; null when the text is no duration. */
export function parseSpan(text: string): Span | null {
  if (text.length > 60 || !spanPattern.test(text)) return null
  let ms = 0
  for (const [, amount, unit] of text.matchAll(spanPart)) ms += Number(amount) * unitMs[unit!]!
  return new Span(text.startsWith('-') ? -ms : ms)
}

/** Whether a text looks like a date or timestamp; cheap, and only a first look. */
function looksDated(text: string): boolean {
  return text.length >= 10 && text.length <= 40 && text[4] === '-' && text[7] === '-'
}

/** The instant of a moment or of an ISO text in the zone; a day begins at midnight there. Null for anything else. */
export function instantOf(value: unknown, zone: string): number | null {
  if (value instanceof Moment) return value.ms
  if (typeof value !== 'string' || !looksDated(value)) return null
  return isDate(value) ? startOfDate(value, zone) : parseInstant(value, zone)
}

/**
 * The wall clock of a value in a zone, written as UTC milliseconds. A day without time is that day in every zone.
 * Null when the value is no moment.
 */
export function wallOf(value: unknown, zone: string): number | null {
  if (typeof value === 'string' && isDate(value)) return Date.parse(`${value}T00:00:00.000Z`)
  const ms = instantOf(value, zone)
  return ms === null ? null : wallClock(ms, zone)
}

/** Whether the value is a calendar day written as text. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && value.length === 10 && isDate(value)
}
