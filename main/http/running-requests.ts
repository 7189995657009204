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

/** Connections that are held before those that ended are looked for: once for so many new ones, not with each. */
const heldAtLeast = 256

/**
 * Makes them. A connection answers in the order it was asked, so its last answer tells of all before it, and nothing has to
 * be told when one ends. A connection outlives the host that answers on it, since the next leader goes on with it: nothing
 * is hung on it.
 */
export function createRunningRequests(
  lasting: ReadonlyMap<ServerResponse, unknown>,
  last = new Map<Socket, ServerResponse>(),
): RunningRequests {
  let sweepAt = heldAtLeast
  const sweep = (): void => {
    for (const socket of last.keys()) if (socket.destroyed) last.delete(socket)
    sweepAt = Math.max(heldAtLeast, last.size * 2)
  }
  return {
    begin({ socket }, response) {
      last.set(socket, response)
      if (last.size > sweepAt) sweep()
    },
    count: () => [...last.values()].filter((response) => !response.closed && !lasting.has(response)).length,
  }
}
