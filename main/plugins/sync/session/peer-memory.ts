// What is remembered of peers beyond one connection: what each has acknowledged, how its clock differs, why it is not
// spoken to. Knows vectors, no link; where it is kept is the business of a port.
import type { Timers } from '#main/replication/channel/timers.ts'
import type { Vector } from '#main/replication/core/types.ts'
import { covers, sameVector } from '#main/replication/wire/vector-codec.ts'
import type { Position } from '#main/replication/wire/vector-codec.ts'

/** Where the acknowledgements of peers are kept over restarts. */
export interface AckStore {
  load(): Iterable<readonly [peer: string, acked: Vector]>
  save(peer: string, acked: Vector, seen: { readonly lastSeenAt: string; readonly clockOffsetMs: number }): void
}

/** What is remembered of one peer. */
export interface PeerRecord {
  acked: Vector
  lastSeenAt: string
  /** When it was last seen as it was kept; '' where something new is not kept yet. */
  savedAt: string
  /** The last measures of its clock, the newest last. */
  offsets: number[]
}

/** How often what is remembered of a peer is written at most. */
const saveMs = 1_000
const measures = 5

/** Reads what was kept. */
export function createPeerMemory(store: AckStore, timers: Pick<Timers, 'after'>) {
  const records = new Map<string, PeerRecord>()
  for (const [peer, acked] of store.load()) records.set(peer, { acked, lastSeenAt: '', savedAt: '', offsets: [] })
  let isPlanned = false

  const of = (peer: string): PeerRecord => {
    const found = records.get(peer) ?? { acked: new Map(), lastSeenAt: '', savedAt: '', offsets: [] }
    records.set(peer, found)
    return found
  }
  const offsetOf = ({ offsets }: PeerRecord): number | undefined =>
    offsets.toSorted((a, b) => a - b)[Math.floor((offsets.length - 1) / 2)]

  function flush(): void {
    for (const [peer, record] of records) {
      if (record.lastSeenAt === record.savedAt) continue
      store.save(peer, record.acked, { lastSeenAt: record.lastSeenAt, clockOffsetMs: offsetOf(record) ?? 0 })
      record.savedAt = record.lastSeenAt
    }
  }

  return {
    peers: (): ReadonlyMap<string, Readonly<PeerRecord>> => records,
    /** Notes what a peer has acknowledged; a peer that lost something has less than before. */
    note(peer: string, acked: Vector, lastSeenAt: string): void {
      const record = of(peer)
      const isNews = record.savedAt === '' || !sameVector(record.acked, acked)
      record.lastSeenAt = lastSeenAt
      if (isNews) record.savedAt = ''
      record.acked = new Map(acked)
      if (!isNews || isPlanned) return
      isPlanned = true
      timers.after(saveMs, () => {
        isPlanned = false
        flush()
      })
    },
    measured(peer: string, offsetMs: number): void {
      const record = of(peer)
      record.offsets = [...record.offsets, offsetMs].slice(-measures)
    },
    /** Median of the last five measures. @source sync.md section 16 */
    clockOffset: (peer: string): number | undefined => {
      const record = records.get(peer)
      return record && offsetOf(record)
    },
    /** Peers that have not acknowledged an envelope. */
    missingOn: (position: Position): string[] =>
      [...records].filter(([, { acked }]) => !covers(acked, position)).map(([peer]) => peer),
    forget: (peer: string): void => void records.delete(peer),
    /** Writes what was not written yet. */
    flush,
  }
}
