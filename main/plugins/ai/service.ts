// The AI service: the chosen provider answers, and where it fails the embedded one, always with the caller's rights.
import { dateInZone } from '#shared/calendar/iso.ts'
import { PlatformError, invalidQuery, notFound, validationError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction, requireOpenRecords } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Outbound } from '#main/kernel/outbound.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import type { AiInput, AiOutput, AiService } from './api.ts'
import { aiError } from './errors.ts'
import type { ProviderConfig } from './service/config.ts'
import { createConversations, shownMessages } from './service/conversations.ts'
import type { ChatAnswer, ChatContext, Citation } from './service/embedded-chat.ts'
import { answerEmbedded, answerQuestion, citationOf, tellRecord } from './service/embedded-chat.ts'
import type { QuestionScope, UnderstoodQuery } from './service/embedded-query.ts'
import { askEmbedded } from './service/embedded-query.ts'
import type { FormScope } from './service/form-values.ts'
import { readForm, valuesOfSimilar } from './service/form-values.ts'
import type { Insight, InsightType } from './service/insights.ts'
import { insightsOf } from './service/insights.ts'
import { lexiconOf } from './service/lexicon.ts'
import type { ModelMessage } from './service/model-client.ts'
import { askModel } from './service/model-client.ts'
import { insightMessages, readModelInsight } from './service/model-insights.ts'
import { promptMessages, readModelObject } from './service/model-prompt.ts'
import { questionMessages, readModelQuery, wordsOfQuery } from './service/model-query.ts'
import { askableFields, formMessages, readModelValues } from './service/model-values.ts'
import type { Suggestion } from './service/suggest.ts'
import { suggestValues } from './service/suggest.ts'

/** What the service is made from. */
export interface AiParts {
  readonly data: DataService
  readonly metadata: MetadataService
  readonly permissions: Pick<PermissionsService, 'visibleObjects'>
  readonly authorizer: () => Authorizer
  readonly timeZone: () => string
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly outbound: Outbound
  readonly config: ProviderConfig
}

/** Messages of a conversation a model is told again. */
const toldMessages = 20

/** Makes the service. @source D-178, D-179, D-290 to D-293 */
export function createAiService(parts: AiParts): AiService {
  const { data, metadata, outbound, config } = parts
  const conversations = createConversations(parts)

  const scopeOf = (ctx: RequestContext): QuestionScope => {
    requireOpenRecords(parts.authorizer(), ctx)
    return { data, lexicon: lexiconOf(parts, ctx), today: dateInZone(parts.clock.now(), parts.timeZone()) }
  }
  /** @throws resource_not_found, permission_denied */
  const objectOf = (ctx: RequestContext, name: string): ObjectSchema => {
    requireObjectAction(parts.authorizer(), ctx, name, 'read')
    const schema = metadata.objectSchema(name)
    if (schema === undefined || schema.abstract || !schema.enable.apiEnabled) throw notFound('object', name)
    return schema
  }
  const recordOf = async (ctx: RequestContext, schema: ObjectSchema, id: string): Promise<PlatformRecord> =>
    (await data.get(ctx, { object: schema.name, id })).record

  const ask: AiService['ask'] = async (ctx, { query: text, object, conversationId, execute = false }) => {
    if (text.trim() === '')
      throw validationError([{ field: 'query', code: 'required', message: 'The question is missing.' }])
    const scope = scopeOf(ctx)
    const named = object === undefined ? null : objectOf(ctx, object)
    const conversation = conversations.find(ctx, conversationId)
    const spokenOf =
      conversation?.object === null
        ? undefined
        : scope.lexicon.objects.find(({ name }) => name === conversation?.object)
    const byModel = await queryByModel(ctx, scope, text, named)
    const given =
      named === null
        ? spokenOf === undefined
          ? null
          : { schema: spokenOf, isExplicit: false }
        : { schema: named, isExplicit: true }
    const understood = byModel ?? (await askEmbedded(scope, ctx, text, given))
    const { query, explanation } = understood
    if (byModel === null) data.explain(ctx, query.object, wordsOfQuery(query))
    const result = execute
      ? { ...(await data.find(ctx, query.object, { ...wordsOfQuery(query), count: true })) }
      : undefined
    const id = await conversations.add(ctx, conversation, { question: text, answer: explanation, object: query.object })
    return {
      ...understood,
      conversationId: id,
      provider: byModel === null ? 'embedded' : 'openai_compatible',
      ...(result === undefined ? {} : { result }),
    }
  }

  /** Null where the embedded provider is to answer: because it was chosen, or because the model failed. */
  const queryByModel = async (
    ctx: RequestContext,
    scope: QuestionScope,
    text: string,
    named: ObjectSchema | null,
  ): Promise<UnderstoodQuery | null> => {
    const target = await config.target()
    if (target === null) return null
    try {
      const messages = questionMessages(scope.lexicon, text, named, scope.today)
      const answer = await askModel(outbound, target, { messages, isJson: true, signal: ctx.signal })
      return readModelQuery(data, ctx, scope.lexicon, answer, named)
    } catch (error) {
      if (isProviderFailure(error)) return null
      throw error
    }
  }

  const chat: AiService['chat'] = async (ctx, input, onText) => {
    const scope = scopeOf(ctx)
    const conversation = conversations.find(ctx, input.conversationId)
    const said = saidOf(input)
    const spokenOf = scope.lexicon.objects.find(({ name }) => name === conversation?.object) ?? null
    const context = await contextOf(ctx, input.context, spokenOf)
    const history =
      conversation === null
        ? said.slice(0, -1)
        : [...conversations.messages(conversation, toldMessages), ...said.slice(0, -1)]
    const question = said.at(-1)!.content
    const byModel = await chatByModel(ctx, scope, { history, question, context, onText })
    const answer = byModel ?? { ...(await answerEmbedded(scope, ctx, question, context)), usage: noUsage }
    const { content, citations, usage } = answer
    const id = await conversations.add(ctx, conversation, { question, answer: content, object: answer.object })
    return {
      conversationId: id,
      message: { role: 'assistant', content },
      citations,
      usage,
      provider: byModel === null ? 'embedded' : 'openai_compatible',
    }
  }

  const contextOf = async (
    ctx: RequestContext,
    given: AiInput<'chatWithAi'>['context'],
    spokenOf: ObjectSchema | null,
  ): Promise<ChatContext> => {
    const { object, recordId } = given ?? {}
    if (object === undefined) {
      if (recordId === undefined) return { schema: spokenOf, record: null }
      const message = 'A record needs its object.'
      throw validationError([{ field: 'context.object', code: 'required', message }])
    }
    const schema = objectOf(ctx, object)
    return { schema, record: recordId === undefined ? null : await recordOf(ctx, schema, recordId) }
  }

  const chatByModel = async (
    ctx: RequestContext,
    scope: QuestionScope,
    talk: {
      history: readonly ModelMessage[]
      question: string
      context: ChatContext
      onText: ((text: string) => void) | undefined
    },
  ): Promise<(ChatAnswer & { usage: AiOutput<'chatWithAi'>['usage'] }) | null> => {
    const target = await config.target()
    if (target === null) return null
    const { schema, record } = talk.context
    // What the model may rest on is looked up here, with the caller's rights; it has no other way to records.
    const facts = await answerEmbedded(scope, ctx, talk.question, talk.context).catch(() => null)
    const citations: Citation[] =
      schema !== null && record !== null ? [citationOf(schema, record)] : (facts?.citations ?? [])
    const known = schema !== null && record !== null ? tellRecord(scope, schema, record) : (facts?.content ?? '')
    const system = `You answer questions about records briefly. Use only what follows and what the user says. Today is ${scope.today}.\n${known}`
    try {
      const messages: ModelMessage[] = [
        { role: 'system', content: system },
        ...talk.history.slice(-toldMessages).map(({ role, content }) => ({ role, content })),
        { role: 'user', content: talk.question },
      ]
      const question = { messages, isJson: false, signal: ctx.signal, onText: talk.onText }
      const { content, usage } = await askModel(outbound, target, question)
      return { content, citations, usage, object: schema?.name ?? facts?.object ?? null }
    } catch (error) {
      // Nobody waits for another answer.
      ctx.signal.throwIfAborted()
      if (isProviderFailure(error)) return null
      throw error
    }
  }

  const prompt: AiService['prompt'] = async (ctx, { prompt: text, schema }) => {
    const target = await config.target()
    if (target === null && schema !== undefined) throw aiError('ai_provider_failed', noModel)
    try {
      if (target !== null) {
        const question = { messages: promptMessages(text, schema), isJson: schema !== undefined, signal: ctx.signal }
        const answer = await askModel(outbound, target, question)
        return schema === undefined ? answer.content : readModelObject(answer, schema)
      }
    } catch (error) {
      if (schema !== undefined || !isProviderFailure(error)) throw error
    }
    return (await answerQuestion(scopeOf(ctx), ctx, text, null)).content
  }

  /** A model's values come before those of similar records; without one, or where it fails, there are only these. */
  const suggestForForm = async (ctx: RequestContext, form: FormScope): Promise<AiOutput<'suggestWithAi'>> => {
    const byModel = await valuesByModel(ctx, form)
    const taken = new Set(byModel?.map(({ field }) => field))
    const others = (await valuesOfSimilar(form)).filter(({ field }) => !taken.has(field))
    const suggestions = [...(byModel ?? []), ...others].toSorted((a, b) => b.confidence - a.confidence)
    return {
      suggestions: suggestions.slice(0, maxFormValues),
      provider: byModel === null ? 'embedded' : 'openai_compatible',
    }
  }

  /** Null without a model, without insights, and where the model fails: what was counted stands for itself. */
  const tellByModel = async (
    ctx: RequestContext,
    plural: string,
    type: InsightType,
    insights: readonly Insight[],
  ): Promise<Insight | null> => {
    const target = await config.target()
    if (target === null || insights.length === 0) return null
    try {
      const limited = { ...target, timeoutMs: Math.min(target.timeoutMs, maxTellMs) }
      const messages = insightMessages(plural, insights)
      return readModelInsight(
        await askModel(outbound, limited, { messages, isJson: true, signal: ctx.signal }),
        type,
        insights,
      )
    } catch (error) {
      if (isProviderFailure(error)) return null
      throw error
    }
  }

  const valuesByModel = async (ctx: RequestContext, form: FormScope): Promise<Suggestion[] | null> => {
    const target = await config.target()
    const fields = askableFields(form)
    if (target === null || fields.length === 0 || form.similar.length === 0) return null
    try {
      const messages = formMessages(form, fields)
      const limited = { ...target, timeoutMs: Math.min(target.timeoutMs, maxFormMs) }
      const answer = await askModel(outbound, limited, { messages, isJson: true, signal: ctx.signal })
      return readModelValues(answer, fields, form.similar.length)
    } catch (error) {
      if (isProviderFailure(error)) return null
      throw error
    }
  }

  return {
    config: config.shown,
    setConfig: config.set,
    ask,
    chat,
    prompt,
    async suggest(ctx, { object, field, recordId, partial = '', values }) {
      requireOpenRecords(parts.authorizer(), ctx)
      const schema = objectOf(ctx, object)
      const record = recordId === undefined ? null : await recordOf(ctx, schema, recordId)
      const of = lexiconOf(parts, ctx).of(schema)
      if (field !== undefined && field.trim() === '') throw invalidQuery('field', 'The field is missing.', { path: '' })
      if (values !== undefined && field === undefined) return suggestForForm(ctx, await readForm(data, ctx, of, values))
      return { suggestions: await suggestValues(data, ctx, of, { field, partial, record }) }
    },
    async insights(ctx, { object, recordId, type = 'summary' }) {
      const { lexicon } = scopeOf(ctx)
      const schema = objectOf(ctx, object)
      const record = recordId === undefined ? null : await recordOf(ctx, schema, recordId)
      const insights = await insightsOf({ data, ctx, of: lexicon.of(schema), lexicon, record }, type)
      const told = await tellByModel(ctx, schema.pluralLabel, type, insights)
      return told === null
        ? { insights, provider: 'embedded' }
        : { insights: [told, ...insights], provider: 'openai_compatible' }
    },
    conversations: async (ctx, page) => conversations.list(ctx, page),
    async conversation(ctx, id) {
      const found = conversations.find(ctx, id)!
      const messages = conversations.messages(found, shownMessages)
      return {
        id: found.id,
        messages: messages.map(({ role, content, created_at: createdAt }) => ({ role, content, createdAt })),
      }
    },
    async forget(ctx, id) {
      await conversations.remove(ctx, id)
      return { id: id.toLowerCase(), success: true }
    },
  }
}

/** Most values for one form (D-179), and the milliseconds a model has for them within the 15 s of the request. */
const maxFormValues = 10
const maxFormMs = 12_000
/** Milliseconds a model has for its words about insights, within the 60 s of the request. */
const maxTellMs = 45_000

const noModel = {
  reason: 'no_model',
  message: 'A prompt with a schema needs a language model: choose the provider openai_compatible.',
}

const noUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }

/** What was said, the question last. @throws validation_error without one */
function saidOf({ messages, message }: AiInput<'chatWithAi'>): ModelMessage[] {
  const said = [...(messages ?? []), ...(message === undefined ? [] : [{ role: 'user' as const, content: message }])]
  const last = said.at(-1)
  if (last === undefined || last.role !== 'user' || last.content.trim() === '') {
    const field = messages === undefined ? 'message' : 'messages'
    throw validationError([{ field, code: 'required', message: 'The last message must be one of the user.' }])
  }
  return said
}

function isProviderFailure(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'ai_provider_failed'
}
