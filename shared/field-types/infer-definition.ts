// What a column of values could be: guesses in order of strength. Only forms are judged here; whether a type truly takes
// every value is checked by the caller.
import { normalForm } from '#shared/normal-form.ts'
import type { FieldDefinition } from '#shared/object-definition.ts'
import { isBlankText } from './code-points.ts'
import { isEmail } from './email.ts'
import { readMoneyText } from './money-text.ts'
import { isPhone } from './phone.ts'
import { readWrittenTime } from './time.ts'
import { isUrl } from './url.ts'

/** Distinct texts up to which a repeating column becomes a choice. */
const maxOptions = 20
/** Fewer values than this say too little to limit a column to what occurs. */
const minChoiceRows = 20
const maxOptionLength = 60
const maxTextLength = 1_000
const maxTextareaLength = 100_000

/** Values that are neither missing nor blank, in their first-seen order without repetition, with their full number. */
interface Column {
  readonly values: readonly unknown[]
  /** The values when all of them are text, trimmed; else null. */
  readonly texts: readonly string[] | null
  readonly count: number
}

/** The definitions to try for a column, most telling first; the last one of each list takes any text. */
export function guessDefinitions(all: readonly unknown[]): FieldDefinition[] {
  const column = columnOf(all)
  const { values, texts } = column
  const long = longest(all)
  const text: FieldDefinition[] = [
    ...(long <= maxTextLength && !all.some(hasLineBreak) ? [{ type: 'text' }] : []),
    long <= maxTextareaLength ? { type: 'textarea' } : { type: 'textarea', maxLength: Math.min(10_000_000, long * 3) },
    // The only type that takes U+0000 and texts beyond every limit of the others.
    { type: 'json' },
  ]
  if (values.length === 0) return text
  if (texts) return [...guessTexts(column, texts), ...text]
  if (values.every((value) => typeof value === 'boolean')) return [{ type: 'boolean' }, ...text]
  if (values.every((value) => typeof value === 'number')) return [numberOf(values.every(Number.isInteger)), ...text]
  if (values.every(isTextList)) return [{ type: 'tags' }, { type: 'json' }, ...text]
  if (values.every((value) => typeof value === 'object')) return [{ type: 'json' }, ...text]
  return text
}

function columnOf(all: readonly unknown[]): Column {
  const seen = new Set<unknown>()
  let count = 0
  let isText = true
  for (const value of all) {
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') {
      isText = false
      seen.add(value)
    } else if (isBlankText(value)) continue
    else seen.add(value.trim())
    count++
  }
  const values = [...seen]
  return { values, texts: isText ? (values as string[]) : null, count }
}

function guessTexts(column: Column, texts: readonly string[]): FieldDefinition[] {
  const guesses: (FieldDefinition | null)[] = [
    guessBoolean(texts),
    guessPhone(texts),
    guessNumber(texts),
    guessPercent(texts),
    guessMoney(texts),
    guessDay(texts),
    guessTime(texts),
    texts.every(isEmail) ? { type: 'email' } : null,
    texts.every((text) => isUrl(text)) ? { type: 'url' } : null,
    guessSelect(texts, column.count),
  ]
  return guesses.filter((guess) => guess !== null)
}

const yesNoPairs = [
  ['true', 'false'],
  ['yes', 'no'],
]

/** Words of one pair; 0 and 1 are numbers, and single letters need both of them to mean yes and no. */
function guessBoolean(texts: readonly string[]): FieldDefinition | null {
  const words = new Set(texts.map((text) => text.toLowerCase()))
  const isPair = yesNoPairs.some((pair) => [...words].every((word) => pair.includes(word)))
  const isLetters = words.size === 2 && words.has('y') && words.has('n')
  return isPair || isLetters ? { type: 'boolean' } : null
}

const internationalPhone = /^\+[\d ().-]{7,}$/
const nationalPhone = /^\(\d{2,5}\)[ -]?[\d -]{5,12}$|^\d{3}[-.]\d{3}[-.]\d{4}$/

function guessPhone(texts: readonly string[]): FieldDefinition | null {
  const isTelephone = (text: string) =>
    isPhone(text) && (internationalPhone.test(text) ? /\d{7}/.test(text.replace(/\D/g, '')) : nationalPhone.test(text))
  // +1.5 and +12 are numbers with a sign.
  return texts.every(isTelephone) ? { type: 'phone' } : null
}

const decimalForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]\d{1,3})?$/

function guessNumber(texts: readonly string[]): FieldDefinition | null {
  if (!texts.every(isPlainNumber) || losesZeros(texts)) return null
  return numberOf(texts.every((text) => /^[+-]?\d+$/.test(text)))
}

function numberOf(whole: boolean): FieldDefinition {
  return whole ? { type: 'number', scale: 0 } : { type: 'number' }
}

/** Leading zeros and more digits than a double keeps belong to codes. */
function isPlainNumber(text: string): boolean {
  if (!decimalForm.test(text) || /^[+-]?0\d/.test(text)) return false
  if (!/[.eE]/.test(text)) return true
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[^\d]/g, '')
    .replace(/^0+/, '')
  return digits.length <= 15
}

/** Whether zeros at the end tell something, as in the versions 1.9 and 1.10. `.0` is how programs write integers. */
function losesZeros(texts: readonly string[]): boolean {
  const fractions = texts.map((text) => /\.(\d+)/.exec(text)?.[1]).filter((fraction) => fraction !== undefined)
  if (!fractions.some((fraction) => fraction.endsWith('0') && fraction !== '0')) return false
  return new Set(fractions.map((fraction) => fraction.length)).size > 1
}

function guessPercent(texts: readonly string[]): FieldDefinition | null {
  const numbers: string[] = []
  for (const text of texts) {
    const number = /^(.*\d\.?)\s*%$/.exec(text)?.[1]
    if (number === undefined || !isPlainNumber(number)) return null
    numbers.push(number)
  }
  const digits = fractionDigits(numbers)
  if (digits > 12) return null
  return digits > 2 ? { type: 'percent', scale: digits } : { type: 'percent' }
}

function guessMoney(texts: readonly string[]): FieldDefinition | null {
  const currencies = new Set<string>()
  for (const text of texts) {
    const currency = readMoneyText(text)?.currency ?? null
    if (currency === null || text.replace(/\D/g, '').length > 15) return null
    currencies.add(currency)
  }
  const digits = fractionDigits(texts)
  if (digits > 10) return null
  const precision = digits > 2 ? { precision: digits } : {}
  const [currency] = currencies
  const mode = currencies.size > 1 ? { currencyMode: 'dynamic' } : { defaultCurrency: currency }
  return { type: 'currency', currencyConfig: { ...mode, ...precision } } as FieldDefinition
}

function fractionDigits(texts: readonly string[]): number {
  return Math.max(0, ...texts.slice(0, 100_000).map((text) => /\.(\d+)/.exec(text)?.[1]?.length ?? 0))
}

const timestamp = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/
/** Parts of a millisecond would be cut. */
const tooFine = /[.,]\d{3}\d*[1-9]/

/** A date, else a timestamp when every value has a time of day. Which texts are dates is the type's own knowledge. */
function guessDay(texts: readonly string[]): FieldDefinition | null {
  if (!texts.every((text) => /\d{4}/.test(text) && text.length <= 40)) return null
  if (!texts.every((text) => timestamp.test(text))) return { type: 'date' }
  if (texts.every((text) => /[T ]00:00(?::00(?:\.0+)?)?$/.test(text))) return { type: 'date' }
  return texts.some((text) => tooFine.test(text)) ? null : { type: 'datetime' }
}

/** Hours of two digits, or a half of the day: `1:30` could be a duration or a score. */
const timeForm = /^(?:\d{2}:\d{2}(?::\d{2})?|\d{1,2}(?::\d{2}){0,2}\s*[ap]\.?m\.?)$/i

function guessTime(texts: readonly string[]): FieldDefinition | null {
  return texts.every((text) => timeForm.test(text) && readWrittenTime(text) !== undefined) ? { type: 'time' } : null
}

const optionForm = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/

function guessSelect(texts: readonly string[], count: number): FieldDefinition | null {
  if (texts.length > maxOptions || count < minChoiceRows || texts.length * 3 > count) return null
  if (texts.some((text) => text.length > maxOptionLength || /\p{Cc}/u.test(text))) return null
  // Options are found by label without regard to case, so labels that differ by case only would become one.
  if (new Set(texts.map((text) => text.toLowerCase())).size !== texts.length) return null
  const taken = new Set(texts.filter((text) => optionForm.test(text)))
  const options = texts.map((label) => {
    const value = taken.has(label) ? label : freeOption(label, taken)
    taken.add(value)
    return { value, label }
  })
  return { type: 'select', options } as FieldDefinition
}

function freeOption(label: string, taken: ReadonlySet<string>): string {
  const plain = normalForm(label, 'NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
  const word = plain.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '') || 'option'
  let value = word
  for (let number = 2; taken.has(value); number++) value = `${word}_${number}`
  return value
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function hasLineBreak(value: unknown): boolean {
  return typeof value === 'string' && /[\r\n]/.test(value)
}

/** Length of the longest value as text, in UTF-16 units. */
function longest(all: readonly unknown[]): number {
  let most = 0
  for (const value of all) {
    if (value === undefined || value === null) continue
    const length =
      typeof value === 'string' ? value.length : typeof value === 'object' ? JSON.stringify(value).length : 30
    if (length > most) most = length
  }
  return most
}
