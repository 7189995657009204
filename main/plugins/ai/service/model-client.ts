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

/**
 * What may be the JSON object of an answer: from its first bracket to its last, empty where there is none. Found from both
 * ends: an expression would look for the last bracket once more from every first one.
 */
export function objectIn(content: string): string {
  const from = content.indexOf('{')
  return from === -1 ? '' : content.slice(from, content.lastIndexOf('}') + 1)
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

/** How a model is asked. */
export interface ModelQuestion {
  readonly messages: readonly ModelMessage[]
  /** Whether the answer has to be a JSON object. */
  readonly isJson: boolean
  readonly signal: AbortSignal
  /** Hears the text in pieces as the model writes it; a provider that cannot do so answers as a whole. */
  readonly onText?: ((text: string) => void) | undefined
}

/**
 * Asks a model.
 * @throws ai_provider_failed with the reason; neither key nor address is in it
 */
export async function askModel(
  outbound: Outbound,
  target: ModelTarget,
  { messages, isJson, signal, onText }: ModelQuestion,
): Promise<ModelAnswer> {
  const body = {
    model: target.model,
    messages,
    temperature: 0,
    ...(isJson ? { response_format: { type: 'json_object' } } : {}),
    ...(onText === undefined ? {} : { stream: true, stream_options: { include_usage: true } }),
  }
  const streamed = readStream(onText)
  let answer
  try {
    answer = await outbound.send({
      url: `${target.baseUrl.replace(/\/+$/, '')}/chat/completions`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: onText === undefined ? 'application/json' : 'text/event-stream, application/json',
        ...(target.apiKey === null ? {} : { authorization: `Bearer ${target.apiKey}` }),
      },
      body: JSON.stringify(body),
      timeoutMs: target.timeoutMs,
      signal,
      ...(onText === undefined ? {} : { onBytes: streamed.take }),
    })
  } catch (error) {
    throw aiError('ai_provider_failed', { reason: error instanceof OutboundError ? error.reason : 'unreachable' })
  }
  if (answer.status < 200 || answer.status > 299)
    throw aiError('ai_provider_failed', { reason: 'status', status: answer.status })
  if (answer.isCut) throw aiError('ai_provider_failed', { reason: 'too_long' })
  const isStream = String(answer.headers['content-type']).startsWith('text/event-stream')
  return isStream ? streamed.end() : readAnswer(answer.body.toString('utf8'))
}

/** Reads an answer that comes in server-sent events, each with the next piece of the text, the last one with the usage. */
function readStream(onText: ModelQuestion['onText']): { take(bytes: Buffer): void; end(): ModelAnswer } {
  const decoder = new TextDecoder()
  let rest = ''
  let content = ''
  let usage: unknown
  let isDone = false
  const read = (line: string): void => {
    const data = /^data: ?(.*)$/.exec(line)?.[1]?.trim()
    if (data === undefined || data === '') return
    if (data === '[DONE]') {
      isDone = true
      return
    }
    let event: unknown
    try {
      event = JSON.parse(data)
    } catch {
      // A piece that cannot be read leaves a text with a hole: nothing that may stand as an answer.
      throw aiError('ai_provider_failed', { reason: 'no_json' })
    }
    const { choices, usage: counted } = (event ?? {}) as { choices?: unknown; usage?: unknown }
    usage = counted ?? usage
    const [first] = Array.isArray(choices) ? (choices as { delta?: { content?: unknown } }[]) : []
    const text = first?.delta?.content
    if (typeof text !== 'string' || text === '' || content.length >= maxContent) return
    content += text
    onText?.(text)
  }
  let broken: unknown
  return {
    take(bytes) {
      if (broken !== undefined) return
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/)
      rest = lines.pop()!
      try {
        for (const line of lines) read(line)
      } catch (error) {
        broken = error
      }
    },
    end() {
      if (broken !== undefined) throw broken
      read(rest)
      if (!isDone) throw aiError('ai_provider_failed', { reason: 'cut' })
      return answerOf(content, usage)
    },
  }
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
  return answerOf(first?.message?.content, usage)
}

/** @throws ai_provider_failed without a text */
function answerOf(content: unknown, usage: unknown): ModelAnswer {
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
