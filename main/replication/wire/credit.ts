// The send window: how many bytes may be on the way to one peer before it has acknowledged some. Knows positions and
// sizes, no frame and no socket.
import type { Vector } from '../core/types.ts'
import { windowLimit } from './limits.ts'
import type { Position, SequenceRange } from './vector-codec.ts'

/** The window to one peer over one connection. */
export interface SendWindow {
  /** Whether so many bytes may be sent now. Something larger than the window may go alone, or it would never go. */
  admits(bytes: number): boolean
  /** Notes an envelope as sent. One that is on the way already counts once. */
  sent(position: Position, bytes: number): void
  /** Notes what the peer has made durable, and answers how many bytes that set free. */
  acknowledged(vector: Vector): number
  /** Takes back envelopes the peer refused, so that they may be sent again later; answers the bytes set free. */
  withdrawn(range: SequenceRange): number
  /** Bytes on the way. */
  inFlight(): number
  /** Forgets everything on the way: a new connection starts with an empty window. */
  reset(): void
}

interface Sent {
  readonly seq: number
  readonly bytes: number
}

/** Makes an empty window. */
export function createSendWindow(limit: number = windowLimit): SendWindow {
  /** By incarnation, by rising sequence number. */
  const waiting = new Map<number, Sent[]>()
  let bytesInFlight = 0

  const release = (inc: number, from: number, to: number): number => {
    const list = waiting.get(inc)
    if (list === undefined) return 0
    const start = firstAt(list, from)
    const freed = list.splice(start, firstAt(list, to + 1) - start).reduce((sum, { bytes }) => sum + bytes, 0)
    if (list.length === 0) waiting.delete(inc)
    bytesInFlight -= freed
    return freed
  }

  return {
    admits: (bytes) => bytesInFlight === 0 || bytesInFlight + bytes <= limit,
    sent({ inc, seq }, bytes) {
      const list = waiting.get(inc) ?? []
      waiting.set(inc, list)
      const place = firstAt(list, seq)
      if (list[place]?.seq === seq) return
      list.splice(place, 0, { seq, bytes })
      bytesInFlight += bytes
    },
    acknowledged(vector) {
      let freed = 0
      for (const inc of [...waiting.keys()]) freed += release(inc, 0, vector.get(inc) ?? 0)
      return freed
    },
    withdrawn: ({ inc, from, to }) => release(inc, from, to),
    inFlight: () => bytesInFlight,
    reset() {
      waiting.clear()
      bytesInFlight = 0
    },
  }
}

/** Place of the first entry with at least this sequence number. */
function firstAt(list: readonly Sent[], seq: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list[middle]!.seq < seq) low = middle + 1
    else high = middle
  }
  return low
}
