// The connections of this machine: the place others connect to, one dialler per peer with an address, and one link per
// peer that is handed on to its session. Knows no frame and no document.
import type { Logger } from '#main/kernel/logger.ts'
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import { createLinkTable } from '#main/replication/channel/link-table.ts'
import { watchNetwork } from '#main/replication/channel/network-watch.ts'
import type { PeerAddress } from '#main/replication/channel/peer-dial.ts'
import { createPeerDialler } from '#main/replication/channel/peer-dialler.ts'
import type { DialStatus, PeerDialler } from '#main/replication/channel/peer-dialler.ts'
import type { LinkClose, LinkEnd } from '#main/replication/channel/link-close.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { createPeerListener } from '#main/replication/channel/peer-listener.ts'
import type { Admission, PeerListener } from '#main/replication/channel/peer-listener.ts'
import { formatAddress } from './addresses.ts'

/** A peer to keep connected. */
export interface NetworkPeer {
  readonly id: string
  readonly fingerprint: string
  readonly addresses: readonly PeerAddress[]
}

/** Where to listen; null: nowhere. */
export type ListenAt = { readonly addresses: readonly string[]; readonly port: number } | null

/** What the connections work with. */
export interface NetworkParts {
  readonly keys: DeviceKeys
  readonly log: Logger
  admit(fingerprint: string): Admission
  /** A link to a device of the workspace or the relay, the only one to it. */
  onLink(link: PeerLink): void
  /** A stranger that came for a pairing. */
  onVisitor(link: PeerLink): void
  /** A link has ended. */
  onEnd(link: PeerLink, close: LinkClose): void
  changed(): void
}

interface Kept {
  readonly peer: NetworkPeer
  readonly dialler: PeerDialler
  /** Asked by the dialler before each try. */
  addresses: readonly PeerAddress[]
}

/** Makes the connections; nothing is listened on or dialled yet. */
export function createNetwork(parts: NetworkParts) {
  const { keys, log } = parts
  const table = createLinkTable(keys.fingerprint)
  const kept = new Map<string, Kept>()
  const open = new Set<PeerLink>()
  let listener: PeerListener | undefined
  let isStopped = false
  const watch = watchNetwork({ back: () => tryNow() })

  function take(link: PeerLink): void {
    open.add(link)
    link.onClose(() => open.delete(link))
    if (link.purpose === 'pairing') {
      parts.onVisitor(link)
      return
    }
    table
      .add(link)
      .then((isKept) => {
        if (!isKept || isStopped) return
        link.onClose((close) => parts.onEnd(link, close))
        parts.onLink(link)
      })
      // One device never ends the program for all.
      .catch((error: unknown) => {
        log.error({ err: error }, 'A connection to a device could not be taken.')
        link.close('failed')
      })
  }

  function dial(peer: NetworkPeer): void {
    const entry: { addresses: readonly PeerAddress[] } = { addresses: peer.addresses }
    const dialler = createPeerDialler({
      identity: keys.channel,
      peer: peer.fingerprint,
      addresses: () => entry.addresses,
      isNeeded: () => table.of(peer.fingerprint) === undefined,
      onLink: take,
      changed: () => parts.changed(),
    })
    kept.set(peer.id, Object.assign(entry, { peer, dialler }))
  }

  /** Tries to reach a peer at once, or every peer. */
  function tryNow(id?: string): void {
    for (const [one, { dialler }] of kept) if (id === undefined || one === id) dialler.networkBack()
  }

  async function unlisten(): Promise<void> {
    const before = listener
    listener = undefined
    await before?.close()
  }

  return {
    /** Listens there instead. @throws Error when it cannot be bound; nothing is listened on then */
    async listen(at: ListenAt) {
      await unlisten()
      if (at === null || at.addresses.length === 0) return
      const next = createPeerListener({
        identity: keys.channel,
        fingerprint: keys.fingerprint,
        admit: parts.admit,
        onLink: take,
        onRefused: (refusal) => log.info({ ...refusal }, 'A connection of another machine was refused.'),
      })
      await next.listen(at.addresses, at.port)
      listener = next
    },
    /** `host:port` where this machine can be reached now. */
    listening: (): readonly string[] =>
      (listener?.listening() ?? []).map(({ address, port }) => formatAddress({ host: address, port })),
    /** Keeps these peers connected, and no others. */
    keep(peers: readonly NetworkPeer[]) {
      const wanted = new Map(peers.map((peer) => [peer.id, peer]))
      for (const [id, { peer, dialler }] of kept) {
        const next = wanted.get(id)
        if (next !== undefined && next.fingerprint === peer.fingerprint && next.addresses.length > 0) continue
        dialler.stop()
        kept.delete(id)
      }
      for (const peer of peers) {
        if (peer.addresses.length === 0) continue
        const before = kept.get(peer.id)
        if (before === undefined) dial(peer)
        else if (before.addresses.map(formatAddress).join() !== peer.addresses.map(formatAddress).join()) {
          before.addresses = peer.addresses
          before.dialler.networkBack()
        }
      }
    },
    dialStatus: (id: string): DialStatus | undefined => kept.get(id)?.dialler.status(),
    tryNow,
    /** Ends the links of a device. */
    disconnect(fingerprint: string, reason: Exclude<LinkEnd, 'lost'>) {
      table.of(fingerprint)?.close(reason)
      listener?.disconnect(fingerprint, reason)
    },
    async stop() {
      isStopped = true
      watch.stop()
      for (const { dialler } of kept.values()) dialler.stop()
      kept.clear()
      // Whoever speaks over a link must not outlive what it speaks of.
      const ended = [...open].map((link) => new Promise<void>((resolve) => link.onClose(() => resolve())))
      for (const link of open) link.close('stopping')
      await unlisten()
      await Promise.all(ended)
    },
  }
}
