// Questions to a language model: it is told what the caller may ask for, and its answer is a query only once it was checked.
import { z } from 'zod'
import { AiQuery } from '#shared/contracts/ai.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { aiError } from '../errors.ts'
import type { StructuredQuery } from './draft.ts'
import type { UnderstoodQuery } from './embedded-query.ts'
import { suggestionsFor } from './embedded-query.ts'
import type { Lexicon } from './lexicon.ts'
import type { ModelAnswer, ModelMessage } from './model-client.ts'
import { objectIn } from './model-client.ts'

/** Most objects a model is told of, and options of a field. */
const maxObjects = 40
const maxOptions = 30

const Answer = z.object({
  query: AiQuery.partial({ filter: true, sort: true, top: true }),
  explanation: z.string().max(2_000).optional(),
  confidence: z.number().min(0).max(1).optional(),
})

/** What a model is told before a question. */
export function questionMessages(
  lexicon: Lexicon,
  text: string,
  given: ObjectSchema | null,
  today: string,
): ModelMessage[] {
  const objects = given === null ? lexicon.objects.slice(0, maxObjects) : [given]
  const system = [
    'You turn a question about records into a JSON query. Answer with one JSON object and nothing else:',
    '{"query": {"object": string, "filter": object, "sort": [{"field": string, "order": "asc"|"desc"}], "top": integer,',
    '"groupBy"?: [string], "aggregations"?: [{"function": "count|sum|avg|min|max|count_distinct", "field"?: string, "alias": string}]},',
    '"explanation": string, "confidence": number from 0 to 1}',
    'A filter maps fields to values or to {"$eq","$ne","$gt","$gte","$lt","$lte","$in","$contains","$startsWith","$null","$during"};',
    '$and, $or and $not combine filters. Paths over relations are dotted. {"$user":"id"} is the caller.',
    'Days are ISO dates, {"$today":"-7d"} or, with $during, names like last_month and last_7_days.',
    `Today is ${today}. Objects and their fields:`,
    ...objects.map((schema) => describe(schema, lexicon)),
  ]
  return [
    { role: 'system', content: system.join('\n') },
    { role: 'user', content: text },
  ]
}

/**
 * The query of a model's answer.
 * @throws ai_provider_failed when it is no query, or one the caller may not ask
 */
export function readModelQuery(
  data: DataService,
  ctx: RequestContext,
  lexicon: Lexicon,
  { content }: ModelAnswer,
  given: ObjectSchema | null,
): UnderstoodQuery {
  const text = objectIn(content)
  let found: z.output<typeof Answer>
  try {
    found = Answer.parse(JSON.parse(text))
  } catch {
    throw aiError('ai_provider_failed', { reason: 'no_query' })
  }
  const { query } = found
  const schema = lexicon.objects.find(({ name }) => name === query.object)
  if (schema === undefined || (given !== null && schema !== given))
    throw aiError('ai_provider_failed', { reason: 'no_query' })
  const structured = {
    object: schema.name,
    filter: query.filter ?? {},
    sort: query.sort ?? [],
    top: Math.min(Math.max(query.top ?? 20, 1), 1_000),
    ...(query.groupBy === undefined ? {} : { groupBy: query.groupBy }),
    ...(query.aggregations === undefined ? {} : { aggregations: query.aggregations }),
  } as StructuredQuery
  try {
    data.explain(ctx, schema.name, wordsOfQuery(structured))
  } catch {
    throw aiError('ai_provider_failed', { reason: 'no_query' })
  }
  return {
    query: structured,
    explanation: found.explanation ?? `Records of ${schema.pluralLabel}.`,
    // What a model says of itself is not taken at its word.
    confidence: Math.min(found.confidence ?? 0.7, 0.8),
    suggestions: suggestionsFor(schema, lexicon),
  }
}

/** A structured query in the words of the data service. */
export function wordsOfQuery({ object: _object, ...words }: StructuredQuery): Record<string, unknown> {
  return words
}

function describe(schema: ObjectSchema, lexicon: Lexicon): string {
  const of = lexicon.of(schema)
  const fields = of.fields.map((field) => {
    const options = field.options.slice(0, maxOptions).map(({ value }) => value)
    const to = of.targetOf(field)
    const target = to === undefined ? '' : ` -> ${to.name}`
    return `${field.name} (${field.label}): ${field.type}${field.multiple ? '[]' : ''}${target}${options.length === 0 ? '' : ` {${options.join(', ')}}`}`
  })
  return `- ${schema.name} (${schema.pluralLabel}): ${fields.join('; ')}`
}
