// A receiver of webhooks on a free port of loopback that keeps what it gets.
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it arrived. */
export interface ReceivedHook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** A running receiver. */
export interface HookPeer {
  readonly url: string
  readonly hooks: ReceivedHook[]
  /** The status of the next answers; null leaves requests without one. */
  status: number | null
  /** What the next answers wait for. */
  held: Promise<unknown>
  /** Headers of the next answers. */
  headers: Record<string, string>
  /** Waits until so many have come and answers them; gives up when none comes for five seconds. */
  wait(count: number): Promise<ReceivedHook[]>
  stop(): Promise<void>
}

/** Starts the receiver. */
export async function startHookPeer(): Promise<HookPeer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url = '', headers } = request
      peer.hooks.push({ path: url, headers, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown })
      void peer.held.then(() => {
        if (peer.status !== null) response.writeHead(peer.status, peer.headers).end('ok')
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const peer: HookPeer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hooks: [],
    status: 200,
    held: Promise.resolve(),
    headers: {},
    async wait(count) {
      let had = -1
      for (let tries = 0; tries < 250 && peer.hooks.length < count; tries = had < peer.hooks.length ? 0 : tries + 1) {
        had = peer.hooks.length
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      if (peer.hooks.length < count) throw new Error(`${peer.hooks.length} of ${count} hooks arrived.`)
      return peer.hooks
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return peer
}
