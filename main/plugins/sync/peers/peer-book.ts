// What is known of each peer, in memory and on disk: changes of what a person set are stored at once, what a connection
// tells is stored now and then. Knows no link.
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { StoredPeer } from './peer-store.ts'
import { newPeer, putPeer, readPeers } from './peer-store.ts'

/** Everything known of the peers. */
export interface PeerBook {
  of(peer: string): StoredPeer
  /** Stores what a person set. */
  set(peer: string, change: Partial<Pick<StoredPeer, 'addresses' | 'paused'>>): Promise<void>
  /** Notes what a connection told; on disk within a few seconds. */
  note(peer: string, change: Partial<Pick<StoredPeer, 'addresses' | 'lastSeenAt' | 'acked' | 'clockOffsetMs'>>): void
  /** The last thing that went wrong with a peer; undefined takes it back. */
  setError(peer: string, reason: string | undefined): void
  errorOf(peer: string): { readonly reason: string; readonly at: string } | undefined
  /** Stores what is not stored yet. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const flushMs = 3_000

/** Opens the book on what is stored. */
export function openPeerBook(host: Pick<PluginHost, 'read' | 'write' | 'clock' | 'log'>): PeerBook {
  const peers = readPeers(host.read)
  const errors = new Map<string, { reason: string; at: string }>()
  const dirty = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const of = (peer: string): StoredPeer => peers.get(peer) ?? newPeer(peer)

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (dirty.size === 0) return
    const changed = [...dirty].map(of)
    dirty.clear()
    await host.write('sync.peers', (tx) => {
      for (const peer of changed) putPeer(tx, peer)
    })
  }

  return {
    of,
    async set(peer, change) {
      peers.set(peer, { ...of(peer), ...change })
      dirty.add(peer)
      await flush()
    },
    note(peer, change) {
      peers.set(peer, { ...of(peer), ...change })
      dirty.add(peer)
      timer ??= setTimeout(() => {
        flush().catch((error: unknown) => host.log.warn({ err: error }, 'What a peer told was not stored.'))
      }, flushMs).unref()
    },
    setError(peer, reason) {
      if (reason === undefined) errors.delete(peer)
      else errors.set(peer, { reason, at: host.clock.iso() })
    },
    errorOf: (peer) => errors.get(peer),
    flush,
    stop: flush,
  }
}
