// A client of the chat completions protocol that many providers of language models speak. Knows no records.
import type { Outbound } from '#main/kernel/outbound.ts'
import { OutboundError } from '#main/kernel/outbound.ts'
import { aiError } from '../errors.ts'

/** One message to a model. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What a model answered. */
export interface ModelAnswer {
  readonly content: string
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number; readonly totalTokens: number }
}

/** Where a model is. */
export interface ModelTarget {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string | null
  readonly timeoutMs: number
}

/** Most characters of an answer that are used. */
const maxContent = 50_000

/**
 * Asks a model.
 * @param isJson whether the answer has to be a JSON object
 * @throws ai_provider_failed with the reason; neither key nor address is in it
 */
export async function askModel(
  outbound: Outbound,
  target: ModelTarget,
  messages: readonly ModelMessage[],
  { isJson, signal }: { readonly isJson: boolean; readonly signal: AbortSignal },
): Promise<ModelAnswer> {
  const body = {
    model: target.model,
    messages,
    temperature: 0,
    ...(isJson ? { response_format: { type: 'json_object' } } : {}),
  }
  let answer
  try {
    answer = await outbound.send({
      url: `${target.baseUrl.replace(/\/+$/, '')}/chat/completions`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(target.apiKey === null ? {} : { authorization: `Bearer ${target.apiKey}` }),
      },
      body: JSON.stringify(body),
      timeoutMs: target.timeoutMs,
      signal,
    })
  } catch (error) {
    throw aiError('ai_provider_failed', { reason: error instanceof OutboundError ? error.reason : 'unreachable' })
  }
  if (answer.status < 200 || answer.status > 299)
    throw aiError('ai_provider_failed', { reason: 'status', status: answer.status })
  if (answer.isCut) throw aiError('ai_provider_failed', { reason: 'too_long' })
  return readAnswer(answer.body.toString('utf8'))
}

function readAnswer(text: string): ModelAnswer {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw aiError('ai_provider_failed', { reason: 'no_json' })
  }
  const { choices, usage } = (body ?? {}) as { choices?: unknown; usage?: unknown }
  const [first] = Array.isArray(choices) ? (choices as { message?: { content?: unknown } }[]) : []
  const content = first?.message?.content
  if (typeof content !== 'string' || content.trim() === '') throw aiError('ai_provider_failed', { reason: 'empty' })
  const counts = (typeof usage === 'object' && usage !== null ? usage : {}) as Record<string, unknown>
  const count = (name: string): number => {
    const value = counts[name]
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0
  }
  const [promptTokens, completionTokens] = [count('prompt_tokens'), count('completion_tokens')]
  return {
    content: content.slice(0, maxContent),
    usage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens },
  }
}
