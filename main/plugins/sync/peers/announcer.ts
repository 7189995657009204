// Tells listeners of the channel `sync` what has changed, at most four times a second. Knows no socket.
import type { PluginHost } from '#main/kernel/plugin.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { PeerView } from './peer-list.ts'
import type { StatusView } from './status.ts'

/** What peers raise. */
export const peerEvents = ['sync.status_changed', 'sync.peer.updated', 'sync.pairing.updated'] as const

const everyMs = 250

/** Makes an announcer; the first look tells what there is. */
export function createAnnouncer({
  host,
  status,
  peers,
}: {
  readonly host: Pick<PluginHost, 'write' | 'log' | 'ids'>
  status(): StatusView
  peers(): readonly PeerView[]
}) {
  const pairings = new Map<string, object>()
  const told = new Map<string, string>()
  let lastStatus = ''
  let timer: NodeJS.Timeout | undefined
  let telling: Promise<void> = Promise.resolve()
  let isStopped = false

  function collect(): { type: (typeof peerEvents)[number]; payload: object }[] {
    const found: ReturnType<typeof collect> = [...pairings.values()].map((payload) => ({
      type: 'sync.pairing.updated',
      payload,
    }))
    pairings.clear()
    const now = status()
    // The size of the log grows with every change and is nobody's news.
    const text = JSON.stringify({ ...now, logBytes: 0 })
    if (text !== lastStatus) found.push({ type: 'sync.status_changed', payload: now })
    lastStatus = text
    for (const peer of peers()) {
      // What rises with every message is told with the next change.
      const { bytesIn: _in, bytesOut: _out, lastSeenAt: _seen, clockOffsetMs: _offset, ...rest } = peer
      const seen = JSON.stringify(rest)
      if (told.get(peer.id) !== seen) found.push({ type: 'sync.peer.updated', payload: peer })
      told.set(peer.id, seen)
    }
    return found
  }

  async function tell(): Promise<void> {
    const found = collect()
    if (found.length === 0) return
    const ctx = internalContext(host.ids.uuid())
    await host.write('sync.announce', (tx) => {
      for (const { type, payload } of found) tx.emit(ctx, { type, payload })
    })
  }

  /** Something may have changed: it is looked at within a quarter of a second. */
  function look(): void {
    if (isStopped) return
    timer ??= setTimeout(() => {
      timer = undefined
      telling = telling
        .then(tell)
        .catch((error: unknown) => host.log.warn({ err: error }, 'A change of sync was not announced.'))
    }, everyMs).unref()
  }

  return {
    look,
    /** A pairing moved on; of several moves of one the last is told. */
    pairing(id: string, payload: object) {
      pairings.set(id, payload)
      look()
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await telling
    },
  }
}
