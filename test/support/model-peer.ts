// A server on a free port of loopback that speaks the chat completions protocol and answers what a test says.
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A request as it arrived. */
export interface ModelCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: {
    model: string
    messages: { role: string; content: string }[]
    response_format?: unknown
    stream?: boolean
  }
}

/** A running server. */
export interface ModelPeer {
  /** With the path behind which the protocol lies. */
  readonly baseUrl: string
  readonly calls: ModelCall[]
  /** The content of the next answers; null leaves requests without one, other values than text are sent as the whole body. */
  answer: unknown
  /** Pieces of the next answers where they are asked for as a stream; null ends it without its closing line. */
  pieces: readonly (string | null)[] | undefined
  status: number
  /** Answers that nobody waited for to their end. */
  left: number
  stop(): Promise<void>
}

/** Starts the server. */
export async function startModelPeer(): Promise<ModelPeer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    response.on('close', () => (peer.left += response.writableFinished ? 0 : 1))
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url = '', headers } = request
      peer.calls.push({ path: url, headers, body: JSON.parse(Buffer.concat(chunks).toString()) as ModelCall['body'] })
      if (peer.answer === null) return
      if (peer.pieces !== undefined && peer.calls.at(-1)!.body.stream === true)
        return void stream(response, peer.pieces)
      const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
      const choices = [{ index: 0, message: { role: 'assistant', content: peer.answer }, finish_reason: 'stop' }]
      const body =
        typeof peer.answer === 'string' ? { id: '1', object: 'chat.completion', choices, usage } : peer.answer
      response.writeHead(peer.status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const peer: ModelPeer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls: [],
    answer: 'Hello',
    pieces: undefined,
    status: 200,
    left: 0,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return peer
}

/** Writes pieces in events of their own, some time apart, one of them cut in the middle of its line. */
async function stream(response: ServerResponse, pieces: readonly (string | null)[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) {
    if (response.destroyed) return
    if (piece === null) return void response.end()
    const line = Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: piece } }] })}\n\n`)
    response.write(line.subarray(0, line.length - 9))
    await pause(30)
    response.write(line.subarray(line.length - 9))
  }
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`)
}
