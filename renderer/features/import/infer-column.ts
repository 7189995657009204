// Owns guessing what a column holds: the shared inference decides; where it sees words only, one notation of numbers or
// days that fits every value is looked for, because a whole column tells what a single cell does not. Pure.
import { inferFields } from '#shared/field-types/infer.ts'
import { readDate, readNumber } from './cell-values.ts'
import type { DateOrder, DecimalMark } from './cell-values.ts'
import type { ColumnGuess } from './table-types.ts'

const nullWords = new Set(['na', 'n/a', 'null', 'none', '-', '–', '#n/a', 'nan'])

/** Whether a cell means "no value". */
export function isBlankCell(text: string): boolean {
  const trimmed = text.trim()
  return trimmed === '' || nullWords.has(trimmed.toLowerCase())
}

/**
 * Guesses a column from its title and all its cells; costs a pass over them per type that is tried.
 * @param mark what marks the fraction where both marks fit: 1.500 is one and a half, or fifteen hundred
 */
export function inferColumn(title: string, cells: readonly string[], mark: DecimalMark = '.'): ColumnGuess {
  const values = cells.map((cell) => (isBlankCell(cell) ? null : cell))
  const guessed = definitionOf(title, values)
  const spoken = hasChoices(guessed) && definitionOf(title, withNone(cells))
  const { type, ...settings } = spoken && hasChoices(spoken) ? spoken : guessed
  const filled = values.filter((value) => value !== null).map((value) => value.trim())
  const isGrouped = mark === ',' && type === 'number' && filled.some((value) => groupedByDots.test(value))
  if (type !== 'text' && !(isGrouped && numberNotation(filled, mark)?.decimal === mark)) return { type, settings }
  // Words such as "None" were left out above: a text column keeps them.
  return (filled.length > 0 && (numberNotation(filled, mark) ?? dayNotation(filled))) || { type: 'text' }
}

function definitionOf(name: string, values: readonly (string | null)[]) {
  const [field] = inferFields([{ name, values }])
  return field?.definition ?? { type: 'text' }
}

const hasChoices = (definition: object): boolean => 'options' in definition

/** Among choices "None" is one, such as of damage; the other words are none anywhere. */
function withNone(cells: readonly string[]): (string | null)[] {
  return cells.map((cell) => (isBlankCell(cell) && cell.trim().toLowerCase() !== 'none' ? null : cell))
}

const signed: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY', '₹': 'INR' }

const groupedByDots = /^\D*\d{1,3}(\.\d{3})+\D*$/

function numberNotation(values: readonly string[], first: DecimalMark): ColumnGuess | undefined {
  const marks = first === '.' ? (['.', ','] as const) : ([',', '.'] as const)
  const decimal = marks.find((mark) => values.every((value) => readNumber(value, mark) !== null))
  // Without any mark the shared inference had a reason to see words: codes, versions.
  if (!decimal || !values.some((value) => /[.,'\s]\d{3}|,\d|\p{Sc}/u.test(value))) return undefined
  const signs = new Set(values.map((value) => /\p{Sc}/u.exec(value)?.[0] ?? ''))
  const [sign = ''] = signs
  if (signs.size === 1 && sign in signed) {
    return { type: 'currency', settings: { currencyConfig: { defaultCurrency: signed[sign] } }, decimal }
  }
  if (signs.size !== 1 || sign !== '') return undefined
  if (values.every((value) => value.endsWith('%'))) return { type: 'percent', decimal }
  const whole = values.every((value) => Number.isInteger(readNumber(value, decimal)))
  return { type: 'number', settings: whole ? { scale: 0 } : {}, decimal }
}

function dayNotation(values: readonly string[]): ColumnGuess | undefined {
  const fitting = (['mdy', 'dmy'] as const satisfies readonly DateOrder[]).filter((order) =>
    values.every((value) => readDate(value, order) !== null),
  )
  const [dateOrder] = fitting
  // Both fit: 03/04 could be either, and a wrong day is worse than a word. Named months fit both and mean the same.
  const ambiguous = fitting.length === 2 && values.some((value) => /^\d{1,2}[-/.]\d{1,2}[-/.]/.test(value))
  if (!dateOrder || ambiguous) return undefined
  const withTime = values.some((value) => (readDate(value, dateOrder)?.time ?? '00:00:00') !== '00:00:00')
  return { type: withTime ? 'datetime' : 'date', dateOrder }
}
