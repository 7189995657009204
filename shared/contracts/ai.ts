// Contracts of the AI endpoints: questions in words, conversations, suggestions, insights, and the provider behind them
// (D-178, D-179, D-290 to D-293).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { QueryInteger } from './common.ts'

/** Who answers. */
export const AiProvider = z.enum(['embedded', 'openai_compatible'])

/** The provider as it is shown; the key is a mask. */
export const AiConfig = z
  .object({
    provider: AiProvider,
    baseUrl: z.string().nullable(),
    model: z.string().nullable(),
    apiKey: z.string().nullable(),
    timeoutMs: z.int(),
  })
  .meta({ id: 'AiConfig' })

const AiConfigInput = z.strictObject({
  provider: AiProvider.optional(),
  baseUrl: z.string().max(2_000).nullable().optional(),
  model: z.string().max(200).nullable().optional(),
  apiKey: z.string().max(10_000).nullable().optional(),
  timeoutMs: z.int().min(1_000).max(120_000).optional(),
})

/** A question as a query of the data endpoints. */
export const AiQuery = z.object({
  object: z.string(),
  filter: z.record(z.string(), z.unknown()),
  sort: z.array(z.object({ field: z.string(), order: z.enum(['asc', 'desc']) })),
  top: z.int(),
  groupBy: z.array(z.unknown()).optional(),
  aggregations: z.array(z.record(z.string(), z.unknown())).optional(),
})

const Usage = z.object({ promptTokens: z.int(), completionTokens: z.int(), totalTokens: z.int() })

const ChatMessage = z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string().max(20_000) })

const Citation = z.object({ object: z.string(), recordId: z.string(), title: z.string() })

const Conversation = z.object({
  id: z.string(),
  title: z.string(),
  messageCount: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})

const shared = { mount: 'versioned', channel: 'ai', tag: 'ai', rateLimit: 'heavy' } as const
const asks = { ...shared, method: 'POST', permission: 'session', keepsAnswer: false } as const
const managed = { ...shared, path: '/ai/config', permission: { system: 'manage_ai' }, response: AiConfig } as const
const IdParams = z.object({ id: z.string() })

/** The routes of the `ai` plugin. */
export const aiRoutes = defineRoutes({
  getAiConfig: defineRoute({
    ...managed,
    operationId: 'getAiConfig',
    method: 'GET',
    errors: [],
    summary: 'Who answers questions; the key is masked.',
  }),
  setAiConfig: defineRoute({
    ...managed,
    operationId: 'setAiConfig',
    method: 'PUT',
    body: AiConfigInput,
    errors: [],
    keepsAnswer: false,
    summary: 'Choose who answers questions.',
  }),
  askAi: defineRoute({
    ...asks,
    operationId: 'askAi',
    path: '/ai/nlq',
    body: z.object({
      query: z.string().max(2_000),
      object: z.string().optional(),
      conversationId: z.string().optional(),
      execute: z.boolean().optional(),
    }),
    response: z.object({
      query: AiQuery,
      explanation: z.string(),
      confidence: z.number().min(0).max(1),
      suggestions: z.array(z.string()),
      conversationId: z.string(),
      provider: AiProvider,
      result: z.record(z.string(), z.unknown()).optional(),
    }),
    errors: ['ai_query_not_understood', 'ai_provider_failed', 'invalid_query', 'resource_not_found'],
    timeoutMs: 30_000,
    summary: 'Turn a question into a query, and run it when asked to.',
  }),
  chatWithAi: defineRoute({
    ...asks,
    operationId: 'chatWithAi',
    path: '/ai/chat',
    body: z.object({
      messages: z.array(ChatMessage).min(1).max(100).optional(),
      message: z.string().max(20_000).optional(),
      conversationId: z.string().optional(),
      context: z.object({ object: z.string().optional(), recordId: z.string().optional() }).optional(),
      stream: z.boolean().optional(),
    }),
    response: z.object({
      conversationId: z.string(),
      message: z.object({ role: z.literal('assistant'), content: z.string() }),
      citations: z.array(Citation),
      usage: Usage,
      provider: AiProvider,
    }),
    errors: ['ai_provider_failed', 'resource_not_found'],
    timeoutMs: 30_000,
    produces: ['text/event-stream'],
    sends: ['X-Accel-Buffering'],
    summary: 'Talk about records; with stream as server-sent events delta and done.',
  }),
  suggestWithAi: defineRoute({
    ...asks,
    operationId: 'suggestWithAi',
    path: '/ai/suggest',
    body: z.object({
      object: z.string(),
      field: z.string().optional(),
      recordId: z.string().optional(),
      partial: z.string().max(500).optional(),
      values: z.record(z.string(), z.unknown()).optional(),
    }),
    response: z.object({
      suggestions: z.array(
        z.object({
          value: z.unknown(),
          label: z.string(),
          field: z.string().optional(),
          confidence: z.number().min(0).max(1),
          reason: z.string().optional(),
        }),
      ),
      provider: AiProvider.optional(),
    }),
    errors: ['invalid_query', 'resource_not_found'],
    timeoutMs: 15_000,
    summary: 'Values for fields, most likely first.',
  }),
  getAiInsights: defineRoute({
    ...asks,
    operationId: 'getAiInsights',
    path: '/ai/insights',
    body: z.object({
      object: z.string(),
      recordId: z.string().optional(),
      type: z.enum(['summary', 'trends', 'anomalies', 'recommendations']).optional(),
    }),
    response: z.object({
      insights: z.array(
        z.object({
          type: z.enum(['summary', 'trends', 'anomalies', 'recommendations']),
          title: z.string(),
          description: z.string(),
          confidence: z.number().min(0).max(1),
          data: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
      provider: AiProvider.optional(),
    }),
    errors: ['resource_not_found'],
    timeoutMs: 60_000,
    summary: 'What stands out in the records of an object, or in one record.',
  }),
  listAiConversations: defineRoute({
    ...shared,
    operationId: 'listAiConversations',
    method: 'GET',
    path: '/ai/conversations',
    permission: 'session',
    query: z.object({ limit: QueryInteger.optional(), cursor: z.string().optional() }),
    response: z.object({
      conversations: z.array(Conversation),
      hasMore: z.boolean(),
      nextCursor: z.string().optional(),
    }),
    errors: [],
    summary: 'The caller’s conversations, the latest first.',
  }),
  getAiConversation: defineRoute({
    ...shared,
    operationId: 'getAiConversation',
    method: 'GET',
    path: '/ai/conversations/:id',
    permission: 'session',
    params: IdParams,
    response: z.object({
      id: z.string(),
      messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string(), createdAt: z.string() })),
    }),
    errors: [],
    summary: 'What was said in a conversation.',
  }),
  deleteAiConversation: defineRoute({
    ...shared,
    operationId: 'deleteAiConversation',
    method: 'DELETE',
    path: '/ai/conversations/:id',
    permission: 'session',
    params: IdParams,
    response: z.object({ id: z.string(), success: z.literal(true) }),
    errors: [],
    summary: 'Remove a conversation.',
  }),
})
