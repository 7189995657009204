// SQL of what is known of each peer between connections: where it is, when it was there, and what it had. Knows no link.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
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
}

interface Row {
  readonly peer: string
  readonly acked: Uint8Array
  readonly lastSeenAt: string | null
  readonly address: string | null
  readonly paused: number
  readonly clockOffset: number
}

/** What is stored of every peer, by its id. */
export function readPeers(read: Pick<Reads, 'all'>): Map<string, StoredPeer> {
  const sql =
    'SELECT peer, acked, last_seen_at AS lastSeenAt, address, paused, clock_offset AS clockOffset FROM sync_peer'
  return new Map(read.all(statement<Row>(sql)).map((row) => [row.peer, peerOf(row)]))
}

/** A peer nothing is known of yet. */
export function newPeer(peer: string): StoredPeer {
  return { peer, addresses: [], paused: false, lastSeenAt: null, acked: new Map(), clockOffsetMs: 0 }
}

/** Stores a peer. */
export function putPeer(tx: Pick<Tx, 'run'>, peer: StoredPeer): void {
  const { addresses, paused, lastSeenAt, acked, clockOffsetMs } = peer
  tx.run(
    statement(
      `INSERT INTO sync_peer (peer, acked, last_seen_at, address, paused, clock_offset) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (peer) DO UPDATE SET acked = excluded.acked, last_seen_at = excluded.last_seen_at,
         address = excluded.address, paused = excluded.paused, clock_offset = excluded.clock_offset`,
      [
        peer.peer,
        encodeVector(acked),
        lastSeenAt,
        addresses.length === 0 ? null : addresses.join(' '),
        paused ? 1 : 0,
        Math.round(clockOffsetMs),
      ],
    ),
  )
}

function peerOf(row: Row): StoredPeer {
  return {
    peer: row.peer,
    addresses: row.address === null ? [] : row.address.split(' '),
    paused: row.paused === 1,
    lastSeenAt: row.lastSeenAt,
    acked: ackedOf(row.acked),
    clockOffsetMs: row.clockOffset,
  }
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
