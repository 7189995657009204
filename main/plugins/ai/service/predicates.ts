// What is said of a field: comparisons, ranges, lists of options, days, missing values.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { DayCondition, Days, Found } from './date-words.ts'
import { dayConditionAt, daysAt, phraseAt } from './date-words.ts'
import type { DraftCondition } from './draft.ts'
import type { ObjectWords, OptionWord } from './lexicon.ts'
import { isDay, isFlag, isNumber } from './lexicon.ts'
import { andWords, comparisonWords, negationWords, orWords, presenceWords, truthWords } from './vocabulary.ts'
import type { Word } from './words.ts'

/** Where predicates are read. */
export interface PredicateScope {
  readonly words: readonly Word[]
  readonly of: ObjectWords
  /** The present day of the workspace. */
  readonly today: string
}

const opposites: Readonly<Record<string, string>> = {
  $eq: '$ne',
  $ne: '$eq',
  $gt: '$lte',
  $gte: '$lt',
  $lt: '$gte',
  $lte: '$gt',
  $contains: '$notContains',
  $notContains: '$contains',
}
const spoken: Readonly<Record<string, string>> = {
  $eq: 'is',
  $ne: 'is not',
  $gt: 'is over',
  $gte: 'is at least',
  $lt: 'is under',
  $lte: 'is at most',
  $contains: 'contains',
  $notContains: 'does not contain',
  $startsWith: 'starts with',
  $endsWith: 'ends with',
}

/** What is said of a field right behind its name; null when nothing is. */
export function predicateAt(
  scope: PredicateScope,
  field: FieldSchema,
  at: number,
  isNegated: boolean,
): Found<DraftCondition> | null {
  const { words, today } = scope
  const presence = phraseAt(words, at, presenceWords)
  if (presence !== null && presence.end - at > 0 && !isOptionAt(scope, field, at))
    return { value: missing(field, presence.value !== isNegated), end: presence.end }
  if (isDay(field)) {
    const day = dayConditionAt(words, skipCopula(words, at), today)
    return day === null ? null : { value: dayCondition(field, day.value, isNegated), end: day.end }
  }
  let end = at
  let operator = '$eq'
  const comparison = phraseAt(words, end, comparisonWords)
  if (comparison !== null) {
    operator = comparison.value
    end = comparison.end
    // "is over 500", "is not open"
    const second = operator === '$eq' ? phraseAt(words, end, comparisonWords) : null
    if (second !== null) {
      operator = second.value
      end = second.end
    }
  }
  const negation = phraseAt(words, end, negationWords)
  if (negation !== null) {
    operator = opposites[operator] ?? operator
    end = negation.end
  }
  if (isNegated) operator = opposites[operator] ?? operator
  if (operator === '$between') return between(scope, field, end)
  return valueAt(scope, field, operator, end, comparison !== null)
}

/** A comparison without a field before it, such as "over 500". */
export function bareComparisonAt(
  words: readonly Word[],
  at: number,
): Found<{ operator: string; values: readonly number[] }> | null {
  const comparison = phraseAt(words, at, comparisonWords)
  const first = comparison === null ? undefined : words[comparison.end]
  if (comparison === null || first?.kind !== 'number') return null
  if (comparison.value !== '$between') {
    if (!['$gt', '$gte', '$lt', '$lte'].includes(comparison.value)) return null
    return { value: { operator: comparison.value, values: [first.value!] }, end: comparison.end + 1 }
  }
  const and = phraseAt(words, comparison.end + 1, andWords)
  const second = and === null ? undefined : words[and.end]
  if (second?.kind !== 'number') return null
  return { value: { operator: '$between', values: [first.value!, second.value!] }, end: and!.end + 1 }
}

/** A condition on a number. */
export function numberCondition(field: FieldSchema, operator: string, values: readonly number[]): DraftCondition {
  const text = `${field.label} ${operator === '$between' ? `is between ${values[0]} and ${values[1]}` : `${spoken[operator]} ${values[0]}`}`
  if (operator === '$between') return { field, filter: { [field.name]: { $between: values } }, text }
  return { field, filter: { [field.name]: operator === '$eq' ? values[0] : { [operator]: values[0] } }, text }
}

/** A condition on an option. */
export function optionCondition({ field, value, label }: OptionWord, isNegated: boolean): DraftCondition {
  const text = `${field.label} ${isNegated ? 'is not' : 'is'} ${label}`
  if (field.multiple)
    return { field, filter: { [field.name]: { [isNegated ? '$notContains' : '$contains']: value } }, text }
  if (isNegated) return { field, filter: { [field.name]: { $ne: value } }, text }
  return { field, filter: { [field.name]: value }, text, equals: { value, label } }
}

/** A condition on a day. */
export function dayCondition(
  field: FieldSchema,
  { operator, days, until }: DayCondition,
  isNegated: boolean,
): DraftCondition {
  const filter = { [field.name]: dayFilter(operator, days, until) }
  const words = { $during: 'is in', $gte: 'is since', $gt: 'is after', $lt: 'is before', $lte: 'is until' } as const
  const end = until === undefined ? days.text : `${days.text} to ${until.text}`
  const text = `${field.label} ${words[operator]} ${end}`
  return isNegated ? { field, filter: { $not: filter }, text: `not ${text}` } : { field, filter, text }
}

/** Whether a value is missing. */
export function missing(field: FieldSchema, isMissing: boolean): DraftCondition {
  return {
    field,
    filter: { [field.name]: { $null: isMissing } },
    text: `${field.label} is ${isMissing ? 'empty' : 'not empty'}`,
  }
}

/** Whether a flag is set. */
export function flagCondition(field: FieldSchema, value: boolean): DraftCondition {
  // Where nothing was said, it is not set either.
  const filter = { [field.name]: value ? true : { $ne: true } }
  return { field, filter, text: `${field.label} is ${value ? 'set' : 'not set'}` }
}

function dayFilter(operator: DayCondition['operator'], days: Days, until: Days | undefined): Record<string, unknown> {
  if (until !== undefined) return { ...startOf(days, '$gte'), ...endOf(until, '$lte') }
  if (operator === '$during' && days.kind === 'named') return { $during: days.name }
  switch (operator) {
    case '$during':
      return { ...startOf(days, '$gte'), ...endOf(days, '$lte') }
    case '$gte':
    case '$lt':
      return startOf(days, operator)
    case '$gt':
    case '$lte':
      return endOf(days, operator)
  }
}

const macros: Readonly<Record<string, string>> = { today: '', yesterday: '-1d', tomorrow: '+1d' }
const shifts: Readonly<Record<string, number>> = { this: 0, last: -1, next: 1 }
const lengths: Readonly<Record<string, string>> = { week: 'w', month: 'M', quarter: 'q', year: 'y' }

function startOf(days: Days, operator: '$gte' | '$lt'): Record<string, unknown> {
  if (days.kind === 'range') return { [operator]: days.from }
  const day = macros[days.name]
  if (day !== undefined) return { [operator]: { $today: day } }
  const [side = '', unit = ''] = days.name.split('_')
  const span = /^(last|next)_(\d+)_days$/.exec(days.name)
  if (span !== null) return { [operator]: { $today: span[1] === 'last' ? `-${Number(span[2]) - 1}d` : '+1d' } }
  return { [operator]: periodStart(unit, shifts[side] ?? 0) }
}

/** The end of a range is the last day in it; of periods the first day after them. */
function endOf(days: Days, operator: '$gt' | '$lte'): Record<string, unknown> {
  if (days.kind === 'range') return operator === '$gt' ? { $gte: days.before } : { $lt: days.before }
  const day = macros[days.name]
  if (day !== undefined) return { [operator]: { $today: day } }
  const [side = '', unit = ''] = days.name.split('_')
  const span = /^(last|next)_(\d+)_days$/.exec(days.name)
  if (span !== null) return { [operator]: { $today: span[1] === 'last' ? '' : `+${span[2]}d` } }
  return { [operator === '$gt' ? '$gte' : '$lt']: periodStart(unit, (shifts[side] ?? 0) + 1) }
}

function periodStart(unit: string, shift: number): Record<string, unknown> {
  const offset = shift === 0 ? '' : `${shift > 0 ? '+' : '-'}${Math.abs(shift)}${lengths[unit]}`
  return { $startOf: unit, offset }
}

function between(scope: PredicateScope, field: FieldSchema, at: number): Found<DraftCondition> | null {
  const found = isNumber(field) ? bareNumbers(scope.words, at) : null
  return found === null ? null : { value: numberCondition(field, '$between', found.value), end: found.end }
}

function bareNumbers(words: readonly Word[], at: number): Found<readonly number[]> | null {
  const and = phraseAt(words, at + 1, andWords)
  const [first, second] = [words[at], and === null ? undefined : words[and.end]]
  if (first?.kind !== 'number' || second?.kind !== 'number') return null
  return { value: [first.value!, second.value!], end: and!.end + 1 }
}

function valueAt(
  scope: PredicateScope,
  field: FieldSchema,
  operator: string,
  at: number,
  isCompared: boolean,
): Found<DraftCondition> | null {
  const { words, of } = scope
  const word = words[at]
  if (word === undefined) return null
  if (field.options.length > 0) return optionsAt(scope, field, operator, at)
  if (isFlag(field)) {
    const truth = phraseAt(words, at, truthWords)
    return truth === null ? null : { value: flagCondition(field, truth.value === (operator !== '$ne')), end: truth.end }
  }
  if (isNumber(field)) {
    if (word.kind !== 'number' || spoken[operator] === undefined) return null
    return { value: numberCondition(field, operator, [word.value!]), end: at + 1 }
  }
  const isText = field.sqlType === 'TEXT' && fieldTypeOf(field).relation !== true
  if (!isText || (word.kind !== 'text' && at === 0)) return null
  // A record is called by a part of its name; other texts are what they are.
  const isLoose = operator === '$eq' && word.kind === 'word' && !isCompared && field === of.schema.displayField
  if (word.kind !== 'text' && word.kind !== 'number' && operator === '$eq' && !isName(word)) return null
  const first = nameAt(words, at)
  const value = first.value
  let { end } = first
  if (field.multiple)
    return {
      value: { field, filter: { [field.name]: { $contains: value } }, text: `${field.label} has ${value}` },
      end,
    }
  const used = isLoose ? '$contains' : operator
  const others: string[] = []
  for (let or = phraseAt(words, end, orWords); or !== null; or = phraseAt(words, end, orWords)) {
    if (!isAnother(scope, or.end)) break
    const next = nameAt(words, or.end)
    others.push(next.value)
    end = next.end
  }
  if (others.length > 0 && lists[used] !== undefined) {
    const values = [value, ...others]
    const text = `${field.label} ${spoken[used]} ${values.map((one) => `"${one}"`).join(' or ')}`
    return { value: { field, filter: { [field.name]: { [lists[used]]: values } }, text }, end }
  }
  if (others.length > 0) end = first.end
  return {
    value: { field, filter: { [field.name]: { [used]: value } }, text: `${field.label} ${spoken[used]} "${value}"` },
    end,
  }
}

/** The operators that take several values in place of one. */
const lists: Readonly<Record<string, '$in' | '$nin' | undefined>> = { $eq: '$in', $ne: '$nin' }

/** A text in quotes or a number, or a name of several words. */
function nameAt(words: readonly Word[], at: number): Found<string> {
  let end = at + 1
  while (words[at]!.kind === 'word' && isName(words[end])) end += 1
  const value = words
    .slice(at, end)
    .map(({ raw }) => raw)
    .join(' ')
  return { value, end }
}

/** Whether a further value stands behind "or", and no field or option of its own. */
function isAnother({ words, of }: PredicateScope, at: number): boolean {
  const word = words[at]
  if (word?.kind !== 'text' && !isName(word)) return false
  return phraseAt(words, at, of.fieldPhrases) === null && phraseAt(words, at, of.optionPhrases, true) === null
}

/** A word that begins with a capital or is a number: part of a name. */
function isName(word: Word | undefined): boolean {
  return word !== undefined && word.kind === 'word' && /^\p{Lu}/u.test(word.raw)
}

function optionsAt(
  { words, of }: PredicateScope,
  field: FieldSchema,
  operator: string,
  at: number,
): Found<DraftCondition> | null {
  const own = of.optionPhrases.filter(({ means }) => means.field === field)
  const values: OptionWord[] = []
  let end = at
  for (let place = at; ;) {
    const option = phraseAt(words, place, own, true)
    if (option === null) break
    values.push(option.value)
    end = option.end
    const joint = phraseAt(words, end, orWords) ?? phraseAt(words, end, andWords)
    place = joint?.end ?? end
  }
  if (values.length === 0) return null
  const isNegated = operator === '$ne' || operator === '$notContains'
  if (values.length === 1) {
    const order = ['$gt', '$gte', '$lt', '$lte'].includes(operator) ? operator : null
    if (order === null || field.multiple) return { value: optionCondition(values[0]!, isNegated), end }
    const [{ value, label }] = values as [OptionWord]
    return {
      value: { field, filter: { [field.name]: { [order]: value } }, text: `${field.label} ${spoken[order]} ${label}` },
      end,
    }
  }
  const list = values.map(({ value }) => value)
  const label = values.map((option) => option.label).join(' or ')
  const word = field.multiple ? '$any' : isNegated ? '$nin' : '$in'
  const filter = { [field.name]: { [word]: list } }
  const text = `${field.label} ${isNegated ? 'is not' : 'is'} ${label}`
  return {
    value: field.multiple && isNegated ? { field, filter: { $not: filter }, text } : { field, filter, text },
    end,
  }
}

function isOptionAt({ words, of }: PredicateScope, field: FieldSchema, at: number): boolean {
  return (
    phraseAt(
      words,
      at,
      of.optionPhrases.filter(({ means }) => means.field === field),
    ) !== null
  )
}

/** "due is before", "due on": what joins a field of days to its days. */
function skipCopula(words: readonly Word[], at: number): number {
  const comparison = phraseAt(words, at, comparisonWords)
  if (comparison === null || comparison.value !== '$eq') return at
  return daysAt(words, comparison.end, '2000-01-01') !== null || words[comparison.end] !== undefined
    ? comparison.end
    : at
}
