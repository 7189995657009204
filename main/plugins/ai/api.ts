// What other plugins may ask of AI. Types only.
import type { z } from 'zod'
import type { aiRoutes } from '#shared/contracts/ai.ts'
import type { RequestContext } from '#main/kernel/context.ts'

/** The body of a request. */
export type AiInput<K extends 'setAiConfig' | 'askAi' | 'chatWithAi' | 'suggestWithAi' | 'getAiInsights'> = z.output<
  (typeof aiRoutes)[K]['body']
>

/** The body of an answer. */
export type AiOutput<K extends keyof typeof aiRoutes> = z.output<(typeof aiRoutes)[K]['response']>

/** A prompt of a flow. */
export interface AiPrompt {
  readonly prompt: string
  /** JSON Schema of the object that is to be answered. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
}

/** Answers questions about records with the caller's rights; nothing of it writes records. */
export interface AiService {
  config(): AiOutput<'getAiConfig'>
  /** @throws validation_error for an address that cannot be one */
  setConfig(ctx: RequestContext, input: AiInput<'setAiConfig'>): Promise<AiOutput<'setAiConfig'>>
  /** @throws ai_query_not_understood, resource_not_found, permission_denied, ai_provider_failed */
  ask(ctx: RequestContext, input: AiInput<'askAi'>): Promise<AiOutput<'askAi'>>
  /**
   * @param onText hears the text of a model as it is written; the answer counts, which is another one when the model fails
   * @throws validation_error without anything to answer, resource_not_found
   */
  chat(
    ctx: RequestContext,
    input: AiInput<'chatWithAi'>,
    onText?: (text: string) => void,
  ): Promise<AiOutput<'chatWithAi'>>
  /**
   * What is answered to a prompt: text, or with a schema an object that fits it. It is kept in no conversation.
   * @throws ai_provider_failed where only a model could answer, and there is none or it fails; ai_query_not_understood for a
   *   prompt the embedded provider has no answer to; validation_error for a schema that is none
   */
  prompt(ctx: RequestContext, input: AiPrompt): Promise<string | Readonly<Record<string, unknown>>>
  /** @throws resource_not_found, permission_denied, invalid_query */
  suggest(ctx: RequestContext, input: AiInput<'suggestWithAi'>): Promise<AiOutput<'suggestWithAi'>>
  /** @throws resource_not_found, permission_denied */
  insights(ctx: RequestContext, input: AiInput<'getAiInsights'>): Promise<AiOutput<'getAiInsights'>>
  conversations(
    ctx: RequestContext,
    page: { limit?: number; cursor?: string },
  ): Promise<AiOutput<'listAiConversations'>>
  /** @throws resource_not_found also for a conversation of somebody else */
  conversation(ctx: RequestContext, id: string): Promise<AiOutput<'getAiConversation'>>
  /** @throws resource_not_found */
  forget(ctx: RequestContext, id: string): Promise<AiOutput<'deleteAiConversation'>>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    ai: AiService
  }
}
