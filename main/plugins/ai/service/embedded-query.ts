// The embedded provider's questions: finds the object, understands the words, looks titles up, and says how sure it is.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { aiError } from '../errors.ts'
import { objectIn } from './chosen-fields.ts'
import type { Draft, StructuredQuery } from './draft.ts'
import { explain, queryOf } from './draft.ts'
import type { Lexicon } from './lexicon.ts'
import { isDay } from './lexicon.ts'
import { findTitles } from './titles.ts'
import { understand } from './understand.ts'
import { fillers } from './vocabulary.ts'
import { wordsOf } from './words.ts'

/** An answer to a question. */
export interface UnderstoodQuery {
  readonly query: StructuredQuery
  readonly explanation: string
  readonly confidence: number
  readonly suggestions: string[]
}

/** What a question is asked with. */
export interface QuestionScope {
  readonly data: DataService
  readonly lexicon: Lexicon
  /** The present day of the workspace. */
  readonly today: string
}

/** The most that is ever claimed, and what is claimed at most once a word is left over. */
const surest = 0.95
const unsure = 0.6

/**
 * Understands a question.
 * @param given the object the caller names, or the one spoken of last; null for none
 * @throws ai_query_not_understood with suggestions
 */
export async function askEmbedded(
  { data, lexicon, today }: QuestionScope,
  ctx: RequestContext,
  text: string,
  given: { readonly schema: ObjectSchema; readonly isExplicit: boolean } | null,
): Promise<UnderstoodQuery> {
  const words = wordsOf(text)
  const named = objectIn(words, lexicon)
  const schema =
    given?.isExplicit === true ? given.schema : (named?.value ?? given?.schema ?? onlyFit(words, lexicon, today))
  if (schema === null || words.length === 0) throw notUnderstood(lexicon)
  const draft = understand(words, lexicon.of(schema), lexicon, today)
  await findTitles(data, ctx, draft)
  const left = words.filter(({ stem, kind }, at) => !draft.used.has(at) && kind !== 'sign' && !fillers.has(stem)).length
  const isNamed = named !== null && named.value === schema
  const said =
    draft.conditions.length + draft.sort.length + (draft.measure === null ? 0 : 1) + (draft.group === null ? 0 : 1)
  if (!isNamed && said === 0) throw notUnderstood(lexicon, schema)
  // Words nobody knows, and nothing else but the object: the question is about something else.
  if (said === 0 && left > 2) throw notUnderstood(lexicon, schema)
  let confidence = surest * draft.trust
  if (left > 0) confidence = Math.min(unsure, confidence) * 0.7 ** (left - 1)
  if (!isNamed) confidence = Math.min(confidence * (given === null ? 0.7 : 0.95), given === null ? 0.7 : surest)
  return {
    query: queryOf(draft),
    explanation: explain(draft),
    confidence: Math.round(Math.max(0.05, confidence) * 100) / 100,
    suggestions: suggestionsFor(draft.of.schema, lexicon).filter((one) => one.toLowerCase() !== text.toLowerCase()),
  }
}

/** Questions that are understood, about one object or about several. */
export function suggestionsFor(schema: ObjectSchema | null, lexicon: Lexicon): string[] {
  if (schema === null) return lexicon.objects.slice(0, 3).map(({ pluralLabel }) => `Show all ${pluralLabel}`)
  const of = lexicon.of(schema)
  const option = of.optionPhrases[0]?.means
  const days = of.fields.find((field) => isDay(field) && !field.system)
  const number = of.fields.find((field) => field.type === 'currency' || field.type === 'number')
  return [
    ...(option === undefined ? [] : [`${schema.pluralLabel} with ${option.field.label} ${option.label}`]),
    ...(option === undefined ? [] : [`How many ${schema.pluralLabel} by ${option.field.label}`]),
    ...(days === undefined ? [] : [`${schema.pluralLabel} with ${days.label} this month`]),
    ...(number === undefined ? [] : [`Top 5 ${schema.pluralLabel} by ${number.label}`]),
    `${schema.pluralLabel} created last week`,
  ].slice(0, 4)
}

/** The one object a question fits that names none. */
function onlyFit(words: ReturnType<typeof wordsOf>, lexicon: Lexicon, today: string): ObjectSchema | null {
  const fits = lexicon.objects.slice(0, 100).filter((schema) => {
    const draft: Draft = understand(words, lexicon.of(schema), lexicon, today)
    const ownCondition = draft.conditions.some(({ field }) => field !== null && !field.system)
    const hasOwn = ownCondition || (draft.measure?.field ?? null) !== null
    const left = words.filter(({ stem }, at) => !draft.used.has(at) && !fillers.has(stem)).length
    return hasOwn && left === 0
  })
  return fits.length === 1 ? fits[0]! : null
}

function notUnderstood(lexicon: Lexicon, schema: ObjectSchema | null = null): Error {
  return aiError('ai_query_not_understood', { suggestions: suggestionsFor(schema, lexicon) })
}
