// The embedded provider's conversations: it answers questions about records by asking for them, tells of a record that is
// given, and says what it can do otherwise.
import { PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { PlatformRecord, RecordPage } from '#main/plugins/data/api.ts'
import type { QuestionScope, UnderstoodQuery } from './embedded-query.ts'
import { askEmbedded, suggestionsFor } from './embedded-query.ts'
import { wordsOfQuery } from './model-query.ts'
import { tell, titleOf } from './telling.ts'

/** A record an answer rests on. */
export interface Citation {
  readonly object: string
  readonly recordId: string
  readonly title: string
}

/** An answer in words. */
export interface ChatAnswer {
  readonly content: string
  readonly citations: Citation[]
  /** The object it was about; null for none. */
  readonly object: string | null
}

/** What a conversation is about. */
export interface ChatContext {
  readonly schema: ObjectSchema | null
  readonly record: PlatformRecord | null
}

/** Records an answer names, and fields it tells of one. */
const namedRecords = 5
const toldFields = 12

/** Answers the last thing that was said. */
export async function answerEmbedded(
  scope: QuestionScope,
  ctx: RequestContext,
  text: string,
  { schema, record }: ChatContext,
): Promise<ChatAnswer> {
  if (schema !== null && record !== null) {
    return { content: tellRecord(scope, schema, record), citations: [citationOf(schema, record)], object: schema.name }
  }
  try {
    return await answerQuestion(scope, ctx, text, schema)
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'ai_query_not_understood')
      return { content: help(scope, schema), citations: [], object: schema?.name ?? null }
    throw error
  }
}

/** Answers a question over records; `schema` is what was spoken of. @throws ai_query_not_understood */
export async function answerQuestion(
  scope: QuestionScope,
  ctx: RequestContext,
  text: string,
  schema: ObjectSchema | null,
): Promise<ChatAnswer> {
  const understood = await askEmbedded(scope, ctx, text, schema === null ? null : { schema, isExplicit: false })
  const { query } = understood
  const about = scope.lexicon.objects.find(({ name }) => name === query.object)!
  const isGroup = query.aggregations !== undefined
  const page = await scope.data.find(ctx, query.object, { ...wordsOfQuery(query), ...(isGroup ? {} : { count: true }) })
  const content = isGroup ? tellGroups(understood, page) : tellList(understood, about, page)
  const citations = isGroup ? [] : page.records.slice(0, namedRecords).map((one) => citationOf(about, one))
  return { content, citations, object: about.name }
}

/** A record as an answer names it. */
export function citationOf(schema: ObjectSchema, record: PlatformRecord): Citation {
  return { object: schema.name, recordId: String(record['id']), title: titleOf(schema, record) }
}

/** What a record says, in lines. */
export function tellRecord(
  { lexicon }: Pick<QuestionScope, 'lexicon'>,
  schema: ObjectSchema,
  record: PlatformRecord,
): string {
  const lines = lexicon
    .of(schema)
    .fields.filter((field) => !field.system && field !== schema.displayField)
    .flatMap((field) => {
      const said = tell(field, record[field.name])
      return said === null ? [] : [`${field.label}: ${said}`]
    })
  return [`${schema.label} "${titleOf(schema, record)}"`, ...lines.slice(0, toldFields)].join('\n')
}

function tellList({ explanation }: UnderstoodQuery, schema: ObjectSchema, { records, total = 0 }: RecordPage): string {
  if (records.length === 0) return `${explanation} There are none.`
  const names = records.slice(0, namedRecords).map((record) => `- ${titleOf(schema, record)}`)
  const more = total > names.length ? [`… and ${total - names.length} more.`] : []
  return [`${explanation} I found ${total}:`, ...names, ...more].join('\n')
}

function tellGroups({ explanation }: UnderstoodQuery, { records }: RecordPage): string {
  if (records.length === 0) return `${explanation} There are none.`
  const lines = records.slice(0, 20).map((group) => {
    const values = Object.values(group).map((value) =>
      value === null ? 'none' : typeof value === 'number' ? String(value) : String(value as string),
    )
    return values.length === 1 ? values[0]! : `- ${values.slice(0, -1).join(', ')}: ${values.at(-1)}`
  })
  return lines.length === 1 && !lines[0]!.startsWith('-')
    ? `${explanation} ${lines[0]}`
    : [explanation, ...lines].join('\n')
}

function help({ lexicon }: QuestionScope, schema: ObjectSchema | null): string {
  const examples = suggestionsFor(schema, lexicon)
  if (examples.length === 0) return 'I answer questions about records, but there are none you may read.'
  return ['I answer questions about your records. You could ask:', ...examples.map((example) => `- ${example}`)].join(
    '\n',
  )
}
