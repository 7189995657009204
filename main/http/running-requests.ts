// Which requests have no whole answer yet: asked once, when a hub's leader hands over, and paid for with every request.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The requests of a server that hands over. */
export interface RunningRequests {
  /** Takes note of a request that arrived. */
  begin(request: IncomingMessage, response: ServerResponse): void
  /** Number of connections whose last request has no whole answer; those of `lasting`, which end with the host, are none. */
  count(): number
}

/**
 * Makes them. A connection answers in the order it was asked, so its last answer tells of all before it, and nothing has to
 * be told when one ends.
 */
export function createRunningRequests(lasting: ReadonlyMap<ServerResponse, unknown>): RunningRequests {
  const last = new Map<Socket, ServerResponse>()
  return {
    begin({ socket }, response) {
      if (!last.has(socket)) socket.once('close', () => last.delete(socket))
      last.set(socket, response)
    },
    count: () => [...last.values()].filter((response) => !response.closed && !lasting.has(response)).length,
  }
}
