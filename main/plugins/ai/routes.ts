// Handlers of the AI routes; a streamed answer comes as server-sent events.
import { PassThrough } from 'node:stream'
import type { aiRoutes } from '#shared/contracts/ai.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { AiOutput, AiService } from './api.ts'

/** Binds the routes to the service. */
export function aiHandlers(service: AiService): Handlers<typeof aiRoutes> {
  return {
    getAiConfig: () => service.config(),
    setAiConfig: (ctx, { body }) => service.setConfig(ctx, body),
    askAi: (ctx, { body }) => service.ask(ctx, body),
    async chatWithAi(ctx, { body }) {
      if (body.stream !== true) return service.chat(ctx, body)
      return streamed((onText, left) =>
        service.chat({ ...ctx, signal: AbortSignal.any([ctx.signal, left]) }, body, onText),
      )
    },
    suggestWithAi: (ctx, { body }) => service.suggest(ctx, body),
    getAiInsights: (ctx, { body }) => service.insights(ctx, body),
    listAiConversations: (ctx, { query: { limit, cursor } }) =>
      service.conversations(ctx, {
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    getAiConversation: (ctx, { params }) => service.conversation(ctx, params.id),
    deleteAiConversation: (ctx, { params }) => service.forget(ctx, params.id),
  }
}

type ChatAnswer = AiOutput<'chatWithAi'>

/**
 * The answer in events: its text in pieces as it is written, then all of it. What fails before the first piece is an
 * answer like any other.
 */
async function streamed(
  chat: (onText: (text: string) => void, left: AbortSignal) => Promise<ChatAnswer>,
): Promise<Reply<ByteStream>> {
  const stream = new PassThrough()
  const left = new AbortController()
  stream.on('close', () => left.abort(new Error('The client went away.')))
  // Whoever reads it hears of its end as well; a failure before there is a reader is nobody's to catch.
  stream.on('error', () => undefined)
  const begun = Promise.withResolvers<void>()
  let hasText = false
  const send = (event: string, data: unknown): void => {
    if (!stream.destroyed) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  const end = async (): Promise<void> => {
    const answer = await chat((text) => {
      hasText = true
      send('delta', { text })
      begun.resolve()
    }, left.signal)
    if (!hasText) for (const text of piecesOf(answer.message.content)) send('delta', { text })
    send('done', answer)
  }
  end().then(
    () => {
      stream.end()
      begun.resolve()
    },
    (error: Error) => {
      // Behind the first piece there is no status left to say it with: a stream without its end is one that failed.
      if (hasText) stream.destroy(error)
      else begun.reject(error)
    },
  )
  await begun.promise
  return new Reply(new ByteStream(stream, 'text/event-stream; charset=utf-8'), {
    headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  })
}

/** A text in pieces that end with a word. */
function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,60}(?:\s|$)|[\s\S]{1,60}/g) ?? []
}
