// What is known of each peer between connections: where it is, when it was there, and what it had. In memory and on disk:
// what a person set is stored at once, what a connection tells is stored now and then. Knows no link.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { Vector } from '#main/replication/core/types.ts'
import { decodeVector, encodeVector } from '#main/replication/wire/vector-codec.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'

/** The id of the relay among peers; devices have 32 hexadecimal digits. */
export const relayId = 'relay'

/** A peer between connections. */
export interface StoredPeer {
  readonly peer: string
  /** `host:port`, best first. */
  readonly addresses: readonly string[]
  readonly paused: boolean
  readonly lastSeenAt: string | null
  /** What was durable there when it was last heard. */
  readonly acked: Vector
  /** Milliseconds its clock was ahead. */
  readonly clockOffsetMs: number
  /** Whether it said that this machine was unpaired, and has not let it in since. */
  readonly shutOut: boolean
  /** Where it was told last that this machine listens; null before it was told anything, as pairing told it. */
  readonly toldPlace: string | null
}

/** Everything known of the peers. */
export type PeerStore = ReturnType<typeof openPeerStore>

const flushMs = 3_000
const unknown = { addresses: [], paused: false, lastSeenAt: null, clockOffsetMs: 0, shutOut: false, toldPlace: null }

/** Opens the store on what is on disk. */
export function openPeerStore(host: Pick<PluginHost, 'read' | 'write' | 'clock' | 'log'>) {
  const peers = readPeers(host.read)
  const errors = new Map<string, { readonly reason: string; readonly at: string }>()
  for (const { peer, shutOut, lastSeenAt } of peers.values())
    if (shutOut) errors.set(peer, { reason: 'unpaired', at: lastSeenAt ?? host.clock.iso() })
  const dirty = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const of = (peer: string): StoredPeer => peers.get(peer) ?? { ...unknown, peer, acked: new Map() }

  const change = (peer: string, changed: Partial<Omit<StoredPeer, 'peer'>>): void => {
    peers.set(peer, { ...of(peer), ...changed })
    dirty.add(peer)
  }

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
    /** Stores what a person set. */
    async set(peer: string, changed: Partial<Pick<StoredPeer, 'addresses' | 'paused'>>) {
      change(peer, changed)
      await flush()
    },
    /** Notes what a connection told; on disk within a few seconds. */
    note(peer: string, changed: Partial<Omit<StoredPeer, 'peer' | 'paused'>>) {
      change(peer, changed)
      timer ??= setTimeout(() => {
        flush().catch((error: unknown) => host.log.warn({ err: error }, 'What a peer told was not stored.'))
      }, flushMs).unref()
    },
    /** The last thing that went wrong with a peer; undefined takes it back. */
    setError(peer: string, reason: string | undefined) {
      if (reason === undefined) errors.delete(peer)
      else errors.set(peer, { reason, at: host.clock.iso() })
    },
    errorOf: (peer: string) => errors.get(peer),
    /** Peers that said that this machine was unpaired. */
    shutOutBy: (): string[] => [...peers.values()].filter(({ shutOut }) => shutOut).map(({ peer }) => peer),
    /** Stores what is not stored yet. */
    stop: flush,
  }
}

interface Row {
  readonly shutOut: number
  readonly toldPlace: string | null
  readonly peer: string
  readonly acked: Uint8Array
  readonly lastSeenAt: string | null
  readonly address: string | null
  readonly paused: number
  readonly clockOffsetMs: number
}

function readPeers(read: Pick<Reads, 'all'>): Map<string, StoredPeer> {
  const sql = `SELECT peer, acked, last_seen_at AS lastSeenAt, address, paused, clock_offset AS clockOffsetMs,
    shut_out AS shutOut, told_place AS toldPlace FROM sync_peer`
  return new Map(
    read.all(statement<Row>(sql)).map(({ address, paused, acked, shutOut, ...row }): [string, StoredPeer] => {
      const addresses = address === null ? [] : address.split(' ')
      return [row.peer, { ...row, addresses, paused: paused === 1, acked: ackedOf(acked), shutOut: shutOut === 1 }]
    }),
  )
}

function putPeer(tx: Pick<Tx, 'run'>, stored: StoredPeer): void {
  const { peer, acked, lastSeenAt, addresses, paused, clockOffsetMs, shutOut, toldPlace } = stored
  const address = addresses.length === 0 ? null : addresses.join(' ')
  tx.run(
    statement(
      `INSERT INTO sync_peer (peer, acked, last_seen_at, address, paused, clock_offset, shut_out, told_place)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (peer) DO UPDATE SET acked = excluded.acked, last_seen_at = excluded.last_seen_at,
         address = excluded.address, paused = excluded.paused, clock_offset = excluded.clock_offset, shut_out = excluded.shut_out,
         told_place = excluded.told_place`,
      [
        peer,
        encodeVector(acked),
        lastSeenAt,
        address,
        paused ? 1 : 0,
        Math.round(clockOffsetMs),
        shutOut ? 1 : 0,
        toldPlace,
      ],
    ),
  )
}

/** What cannot be read was written by an earlier version: the peer tells it again with its next greeting. */
function ackedOf(bytes: Uint8Array): Vector {
  try {
    return decodeVector(bytes)
  } catch (error) {
    if (error instanceof WireError) return new Map()
    throw error
  }
}
