// Which field or object is meant where a question does not say it: by names that speak, or because there is only one.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { Found } from './date-words.ts'
import { phraseAt } from './date-words.ts'
import type { Lexicon, ObjectWords } from './lexicon.ts'
import { isDay, isFlag, isNumber } from './lexicon.ts'
import { groupWords } from './vocabulary.ts'
import type { Word } from './words.ts'
import { stemsOf } from './words.ts'

/** Words that end the life of a record: what has them is not overdue. */
const endedValues =
  /^(?:done|closed|complete|completed|finished|resolved|cancel|canceled|cancelled|won|lost|archived|paid|erledigt|abgeschlossen|geschlossen|fertig)$/i
const dueNames = /(?:^|_)(?:due|deadline|fällig|expires?|until)(?:_|$)/
const personNames = /(?:assign|responsible|assignee|agent|zuständig|bearbeiter)/

/** The object a question names first, and where; an object behind a word of grouping is what groups are made by. */
export function objectIn(
  words: readonly Word[],
  lexicon: Lexicon,
): (Found<Lexicon['objects'][number]> & { at: number }) | null {
  for (let at = 0; at < words.length; at += 1) {
    const found = phraseAt(words, at, lexicon.objectPhrases)
    if (found === null) continue
    const isGroup = groupWords.some(({ stems }) => stems.length === 1 && stems[0] === words[at - 1]?.stem)
    if (!isGroup) return { ...found, at }
    at = found.end - 1
  }
  return null
}

/** The field for "my" and "unassigned", and whether another one may be meant; undefined where there is none. */
export function personField({
  fields,
}: ObjectWords): { readonly field: FieldSchema; readonly isGuess: boolean } | undefined {
  const people = fields.filter((field) => field.type === 'user')
  const own = people.filter((field) => !field.system)
  const named = own.find(({ name }) => personNames.test(name))
  const field = named ?? (own.length === 1 ? own[0] : people.find(({ name }) => name === 'owner'))
  return field === undefined ? undefined : { field, isGuess: named === undefined && own.length > 1 }
}

/** The field for "overdue", and whether another one may be meant. */
export function dueField({
  fields,
}: ObjectWords): { readonly field: FieldSchema; readonly isGuess: boolean } | undefined {
  const days = fields.filter((field) => isDay(field) && !field.system)
  const named = days.filter(({ name }) => dueNames.test(name))
  const field = named[0] ?? (days.length === 1 ? days[0] : undefined)
  return field === undefined ? undefined : { field, isGuess: named.length !== 1 }
}

/** Conditions that a record is not finished. */
export function unfinished({ fields }: ObjectWords): Record<string, unknown>[] {
  return fields.flatMap((field): Record<string, unknown>[] => {
    if (isFlag(field)) return endedValues.test(field.name) ? [{ [field.name]: { $ne: true } }] : []
    const options = field.multiple ? [] : field.options
    const ended = options.filter(({ value, label }) => endedValues.test(value) || endedValues.test(label))
    return ended.length === 0 ? [] : [{ [field.name]: { $nin: ended.map(({ value }) => value) } }]
  })
}

/** The number that is meant where none is named: the only one, or the only amount of money. */
export function onlyNumber({ fields }: ObjectWords): FieldSchema | undefined {
  const numbers = fields.filter(isNumber)
  const money = numbers.filter(({ type }) => type === 'currency')
  return numbers.length === 1 ? numbers[0] : money.length === 1 ? money[0] : undefined
}

/** The one field of days of the object, or when a record was made. */
export function onlyDay({ fields, schema }: ObjectWords): FieldSchema {
  const own = fields.filter((field) => isDay(field) && !field.system)
  const due = own.filter(({ name }) => dueNames.test(name))
  if (due.length === 1) return due[0]!
  return own.length === 1 ? own[0]! : schema.byName.get('created_at')!
}

/** The field of days a verb means, such as "Close date" for "closing". */
export function verbField({ fields }: ObjectWords, stem: string): FieldSchema | undefined {
  const base = baseOf(stem)
  const isMeant = (label: string): boolean =>
    stemsOf(label).some((word) => word.length > 3 && word !== 'date' && baseOf(word) === base)
  return fields.find((field) => isDay(field) && !field.system && isMeant(field.label))
}

/** A verb without its ending. */
function baseOf(stem: string): string {
  return stem.replace(/(?:ing|ed|e)$/, '')
}
