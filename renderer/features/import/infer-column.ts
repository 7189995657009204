// Owns guessing what a column holds: one notation and one type that fits every value, never one that would lose any.
// Pure. A guess costs one pass over at most {@link maxValues} values.
import { readDate, readNumber, readYesNo } from './cell-values.ts'
import type { DateOrder, DecimalMark } from './cell-values.ts'
import type { ColumnGuess } from './table-types.ts'

const maxValues = 5_000
/** Distinct values up to which a repeating column is a choice. */
const maxOptions = 20
const maxTextLength = 1_000

const email = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const url = /^https?:\/\/[^\s]+$/i
const phone = /^\+?[\d\s().-]{7,20}$/
const nullWords = new Set(['na', 'n/a', 'null', 'none', '-', '–', '#n/a', 'nan'])

/** Whether a cell means "no value". */
export function isBlankCell(text: string): boolean {
  const trimmed = text.trim()
  return trimmed === '' || nullWords.has(trimmed.toLowerCase())
}

/** Guesses a column from its title and its cells. */
export function inferColumn(title: string, cells: readonly string[]): ColumnGuess {
  const values = sample(cells)
  if (values.length === 0) return { type: 'text' }
  return (
    yesNoGuess(values) ??
    numberGuess(title, values) ??
    dateGuess(values) ??
    (values.every((value) => email.test(value)) ? { type: 'email' } : undefined) ??
    (values.every((value) => url.test(value)) ? { type: 'url' } : undefined) ??
    phoneGuess(title, values) ??
    choiceGuess(cells, values) ??
    textGuess(cells)
  )
}

// Evenly over the column, so that a table sorted by kind is seen as a whole.
function sample(cells: readonly string[]): string[] {
  const step = Math.max(1, Math.floor(cells.length / maxValues))
  const values: string[] = []
  for (let index = 0; index < cells.length; index += step) {
    const cell = cells[index] ?? ''
    if (!isBlankCell(cell)) values.push(cell.trim())
  }
  return values
}

function yesNoGuess(values: readonly string[]): ColumnGuess | undefined {
  return values.every((value) => readYesNo(value) !== null) ? { type: 'boolean' } : undefined
}

function numberGuess(title: string, values: readonly string[]): ColumnGuess | undefined {
  const mark = (['.', ','] as const).find((candidate) => values.every((value) => readNumber(value, candidate) !== null))
  if (!mark) return undefined
  // Years and codes are counted by nobody, but they sort and compare as numbers all the same.
  if (values.every((value) => value.endsWith('%'))) return { type: 'percent', decimal: mark }
  const signs = values.map((value) => /\p{Sc}|\b(?:USD|EUR|GBP|CHF|JPY)\b/u.exec(value)?.[0])
  const sign = signs[0]
  if (sign && signs.every((other) => other === sign)) {
    const settings = { currencyConfig: { precision: 2, defaultCurrency: currencyOf(sign) } }
    return { type: 'currency', decimal: mark, settings }
  }
  const whole = values.every((value) => Number.isInteger(readNumber(value, mark)))
  const isYear = /year|jahr|année/i.test(title)
  return { type: 'number', decimal: mark, settings: whole ? { scale: 0 } : isYear ? { scale: 0 } : {} }
}

const currencyBySign: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY', '₹': 'INR' }

function currencyOf(sign: string): string {
  return currencyBySign[sign] ?? (/^[A-Z]{3}$/.test(sign) ? sign : 'USD')
}

function dateGuess(values: readonly string[]): ColumnGuess | undefined {
  const orders: readonly DateOrder[] = ['mdy', 'dmy']
  const order = orders.find((candidate) => values.every((value) => readDate(value, candidate) !== null))
  if (!order) return undefined
  const withTime = values.some((value) => (readDate(value, order)?.time ?? '00:00:00') !== '00:00:00')
  return { type: withTime ? 'datetime' : 'date', dateOrder: order }
}

function phoneGuess(title: string, values: readonly string[]): ColumnGuess | undefined {
  if (!/phone|tel|mobile|fax/i.test(title)) return undefined
  return values.every((value) => phone.test(value)) ? { type: 'phone' } : undefined
}

function choiceGuess(cells: readonly string[], values: readonly string[]): ColumnGuess | undefined {
  const distinct = new Set<string>()
  for (const cell of cells) {
    if (isBlankCell(cell)) continue
    distinct.add(cell.trim())
    if (distinct.size > maxOptions) return undefined
  }
  const repeats = values.length >= 10 && distinct.size <= values.length / 3
  const short = [...distinct].every((value) => value.length <= 60 && !value.includes('\n'))
  // Labels that differ by case only would be one choice to the host.
  const folded = new Set([...distinct].map((value) => value.toLowerCase()))
  if (!repeats || !short || folded.size !== distinct.size) return undefined
  return { type: 'select', options: [...distinct].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })) }
}

function textGuess(cells: readonly string[]): ColumnGuess {
  const long = cells.some((cell) => cell.length > maxTextLength || /[\r\n]/.test(cell.trim()))
  return { type: long ? 'textarea' : 'text' }
}

/** The decimal mark to read a column with. */
export function decimalOf(guess: ColumnGuess): DecimalMark {
  return guess.decimal ?? '.'
}
