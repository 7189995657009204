// Converts one stored value of a field into a value of the field that continues it (D-100). Pure: what exists in other
// tables is asked through the environment.
import { dateInZone, formatInstant, isDate, parseInstant, startOfDate } from '#shared/calendar/iso.ts'
import { isBlankText } from '#shared/field-types/code-points.ts'
import { roundHalfAwayFromZero } from '#shared/field-types/decimal.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { conversionOf, isFormatted, isNumeric, isTextual } from './retype.ts'

/** What conversions need to know of the workspace. */
export interface ConversionEnv extends ParseEnv {
  /** Whether a live record of the object has the id. */
  readonly exists: (object: string, id: string) => boolean
  /** The organization of a row of the table as SQL; values that are to be unique are so within one. Absent: there are none. */
  readonly organization?: string
}

/** What became of one value: all of it arrived, a part of it, or nothing. */
export type Outcome = 'kept' | 'shortened' | 'lost'

/** A converted value as columns of the new field, in the order of its columns. */
export interface Converted {
  readonly columns: readonly SqlValue[]
  readonly outcome: Outcome
}

/** Converts the columns of one row; a row without a value stays without one. */
export type Converter = (columns: readonly SqlValue[]) => Converted

interface Found {
  readonly value: unknown
  readonly short: boolean
}

const lost = { found: false } as const

/** Makes the converter of a pair of fields. Options that the new field no longer has count as lost values. */
export function createConverter(old: FieldSchema, next: FieldSchema, env: ConversionEnv): Converter {
  const from = fieldTypeOf(old)
  const to = fieldTypeOf(next)
  const empty: readonly SqlValue[] = [null, ...next.extraColumns.map(() => null)]
  const kind = conversionOf(old, next)
  const convert = kind === 'same' || kind === 'keep' ? dropOptions(next) : anyValue(old, next, env)

  return (columns) => {
    const [main = null, ...extra] = columns
    if (main === null) return { columns: empty, outcome: 'kept' }
    if (kind === 'replace') return { columns: empty, outcome: old.computed ? 'kept' : 'lost' }
    const value = from.fromColumns === undefined ? from.fromColumn(main, old) : from.fromColumns(main, extra, old)
    if (value === null) return { columns: empty, outcome: 'kept' }
    const found = convert(value)
    if ('found' in found) return { columns: empty, outcome: 'lost' }
    const column = found.value === null ? null : to.toColumn(found.value, next)
    const more = found.value === null ? [] : (to.toExtraColumns?.(found.value, next) ?? [])
    return {
      columns: [column, ...next.extraColumns.map((_, i) => more[i] ?? null)],
      outcome: found.short ? 'shortened' : 'kept',
    }
  }
}

/** The JSON value of a row's columns, as reports show it. */
export function readValue(field: FieldSchema, columns: readonly SqlValue[]): unknown {
  const type = fieldTypeOf(field)
  const [main = null, ...extra] = columns
  if (main === null || type.concealed !== undefined) return null
  return type.fromColumns === undefined ? type.fromColumn(main, field) : type.fromColumns(main, extra, field)
}

type Step = (value: unknown) => Found | typeof lost

/** Keeps what is no option, and of options those the field has. */
function dropOptions(next: FieldSchema): Step {
  const options = new Set(next.options.map((option) => option.value))
  return (value) => {
    if (options.size === 0) return { value, short: false }
    if (!Array.isArray(value)) return options.has(String(value)) ? { value, short: false } : lost
    const left = value.filter((item) => options.has(String(item)))
    if (left.length === value.length) return { value, short: false }
    return left.length === 0 ? lost : { value: left, short: true }
  }
}

function anyValue(old: FieldSchema, next: FieldSchema, env: ConversionEnv): Step {
  const single: Step = isSameKind(old, next) ? (value) => ({ value, short: false }) : oneValue(old, next, env)
  if (next.multiple && isSameKind(old, next)) return (value) => ({ value: [value], short: false })
  if (next.multiple) return (value) => toList(isMoney(value, old) ? moneyText(value) : value, next, env, single)
  return (value) => {
    if (!old.multiple || !Array.isArray(value)) return single(value)
    if (value.length === 0) return { value: null, short: false }
    if (isTextual(next)) return single(value.map(textOf).join(', '))
    const whole = fieldTypeOf(next).innerPaths === true ? single(value) : lost
    if (!('found' in whole)) return whole
    const first = single(value[0])
    return 'found' in first ? first : { value: first.value, short: first.short || value.length > 1 }
  }
}

/** Whether only the number of values differs: links that name nothing any more stay as they are. */
function isSameKind(old: FieldSchema, next: FieldSchema): boolean {
  return old.multiple !== next.multiple && old.type === next.type && old.reference === next.reference
}

/** Into a list: as a whole when that works, else the entries that can be kept. */
function toList(value: unknown, next: FieldSchema, env: ConversionEnv, single: Step): Found | typeof lost {
  const type = fieldTypeOf(next)
  const given: unknown = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? type.fromText(value, next, env)
      : [value]
  const list = [...new Set(Array.isArray(given) ? given : [given])]
  if (list.length === 0) return { value: null, short: false }
  const kept: unknown[] = []
  for (const item of list) {
    const alone = single([typeof item === 'object' ? item : textOf(item)])
    const entry = 'found' in alone ? undefined : (alone.value as readonly unknown[])[0]
    if (entry !== undefined && !kept.includes(entry)) kept.push(entry)
  }
  if (kept.length === 0) return lost
  const whole = type.parse(kept, next, env)
  return whole.ok ? { value: whole.value, short: kept.length < list.length } : lost
}

function oneValue(old: FieldSchema, next: FieldSchema, env: ConversionEnv): Step {
  const to = fieldTypeOf(next)
  const accept = (value: unknown): Found | typeof lost => {
    if (value === undefined || value === null) return lost
    // What is stored may stay: an option that takes no new values is no loss.
    const result = to.parse(value, next, env, value)
    if (!result.ok || result.value === null) return lost
    if (old.reference !== next.reference && !refersToLive(result.value, next, env)) return lost
    return { value: result.value, short: isRounded(value, result.value) }
  }
  if (isNumeric(old) && isNumeric(next)) return (value) => toNumber(value, next, env)
  if (isTextual(old) && isFormatted(next)) {
    return (value) => {
      const clean = env.sanitizeHtml?.(String(value)) ?? String(value)
      return { value: clean, short: unescaped(clean) !== unescaped(String(value)) }
    }
  }
  const structured = to.storage === 'json' && !to.alwaysMultiple
  return (value) => {
    if (typeof value === 'string' && isBlankText(value) && to.blankIsNull) return { value: null, short: false }
    const special = acrossDates(value, old, next, env)
    if (special !== null) {
      const result = accept(special.value)
      return 'found' in result ? result : { value: result.value, short: special.short }
    }
    const text = isMoney(value, old) ? moneyText(value) : textOf(value)
    const read = (): Found | typeof lost => accept(to.fromText(text, next, env))
    const direct = typeof value === 'boolean' && isNumeric(next) ? accept(value ? 1 : 0) : accept(value)
    if (structured && typeof value === 'string') {
      const whole = read()
      return 'found' in whole ? direct : whole
    }
    if (!('found' in direct)) return direct
    // A number that is no flag must not become one by its text.
    if (typeof value === 'number' && to.storage === 'boolean') return lost
    return read()
  }
}

/** Dates, instants and times of day among each other, and out of texts. */
function acrossDates(value: unknown, old: FieldSchema, next: FieldSchema, env: ConversionEnv): Found | null {
  if (typeof value !== 'string') return null
  const zone = env.timeZone
  const { calendar } = fieldTypeOf(next)
  const isInstant = fieldTypeOf(old).calendar === 'datetime' || (isTextual(old) && !isDate(value.trim()))
  const ms = isInstant ? parseInstant(value.trim(), zone) : null
  if (calendar === 'date' && ms !== null) {
    const date = dateInZone(ms, zone)
    return { value: date, short: startOfDate(date, zone) !== ms }
  }
  if (calendar === 'time' && fieldTypeOf(old).calendar === 'datetime' && ms !== null) {
    const start = startOfDate(dateInZone(ms, zone), zone)
    return { value: new Date(ms - start).toISOString().slice(11, 19), short: true }
  }
  if (calendar === 'datetime' && isDate(value.trim())) {
    return { value: formatInstant(startOfDate(value.trim(), zone)), short: false }
  }
  return null
}

/** Numbers keep their value whatever the new bounds are, as records do when rules are tightened; only digits may go. */
function toNumber(value: unknown, next: FieldSchema, env: ConversionEnv): Found | typeof lost {
  const money = typeof value === 'object' && value !== null ? (value as Money) : null
  const given = money === null ? (value as number) : money.value
  const number = next.sqlType === 'INTEGER' ? roundHalfAwayFromZero(given, 0) : given
  const dynamic = next.extraColumns.length > 0
  const usual = next.settings.currencyConfig?.defaultCurrency ?? env.defaultCurrency ?? 'USD'
  const currency = money?.currency ?? usual
  // Without a column of its own the currency is the field's.
  const short = number !== given || (!dynamic && money !== null && money.currency !== usual)
  return { value: dynamic ? { value: number, currency } : number, short }
}

/** Whether digits of a number, or of an amount, were cut off. */
function isRounded(given: unknown, result: unknown): boolean {
  const number = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'value' in value ? value.value : value
  const before = number(given)
  const after = number(result)
  return typeof before === 'number' && typeof after === 'number' && before !== after
}

function refersToLive(value: unknown, next: FieldSchema, env: ConversionEnv): boolean {
  if (next.reference === null) return true
  const list = Array.isArray(value) ? value : [value]
  return list.every((id) => env.exists(next.reference!, String(id)))
}

interface Money {
  readonly value: number
  readonly currency: string
}

function isMoney(value: unknown, old: FieldSchema): value is Money {
  return old.type === 'currency' && typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An amount as people write it, which reads back as the same amount. */
function moneyText({ value, currency }: Money): string {
  return `${value} ${currency}`
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return String(value)
}

/** HTML text with its plain entities read: sanitising writes them, which loses nothing. */
function unescaped(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
