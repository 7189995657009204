// Handlers of the AI routes; a streamed answer comes as server-sent events.
import type { aiRoutes } from '#shared/contracts/ai.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { AiOutput, AiService } from './api.ts'

/** Binds the routes to the service. */
export function aiHandlers(service: AiService): Handlers<typeof aiRoutes> {
  return {
    getAiConfig: () => service.config(),
    setAiConfig: (_ctx, { body }) => service.setConfig(body),
    askAi: (ctx, { body }) => service.ask(ctx, body),
    async chatWithAi(ctx, { body }) {
      const answer = await service.chat(ctx, body)
      return body.stream === true ? streamOf(answer) : answer
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

/** The answer in events: its text in pieces that end with a word, then all of it. */
function streamOf(answer: AiOutput<'chatWithAi'>): Reply<ByteStream> {
  const pieces = answer.message.content.match(/[\s\S]{1,60}(?:\s|$)|[\s\S]{1,60}/g) ?? []
  const events = pieces.map((text) => `event: delta\ndata: ${JSON.stringify({ text })}\n\n`)
  const text = `${events.join('')}event: done\ndata: ${JSON.stringify(answer)}\n\n`
  return new Reply(new ByteStream(text, 'text/event-stream; charset=utf-8'), {
    headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  })
}
