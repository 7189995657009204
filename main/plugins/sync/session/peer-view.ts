// What a peer has, as far as this machine knows, and how far the two are apart. Knows vectors, no frame.
import type { Vector } from '#main/replication/core/types.ts'
import type { Replica } from '../engine/replica.ts'
import { compareVectors, mergeVectors, missingRanges, vectorLimit } from '#main/replication/wire/vector-codec.ts'

/** What is known of a peer's log. */
export interface PeerView {
  /** What it has on disk by its own word. */
  vector(): Vector
  /**
   * Notes what it has.
   * @returns whether that was news; `too_much` when it would name more incarnations than a vector may, and is not noted
   */
  has(vector: Vector): 'news' | 'known' | 'too_much'
  /** Leaves an incarnation out of what this machine lacks: nobody will ever take it. */
  leaveOut(inc: number): void
  /** Notes that so many envelopes of an incarnation were stored here: it is not left out any more. */
  stored(inc: number, count: number): void
  /** What is to come, and how much it was since this machine last lacked nothing. */
  incoming(): { readonly remaining: number; readonly total: number }
  /** Whether both have the same. */
  isEqual(): boolean
  /** Envelopes it has and this machine lacks. */
  behindThem(): number
  /** Envelopes this machine has and it lacks. */
  behindUs(): number
}

/** Makes the view of a peer that has nothing. */
export function createPeerView(replica: Pick<Replica, 'vector'>): PeerView {
  let theirs: Vector = new Map()
  const leftOut = new Set<number>()
  let came = 0
  let most = 0

  /** Without what nobody will ever take. */
  const wanted = (): Vector => {
    if (leftOut.size === 0) return theirs
    const mine = replica.vector()
    const within = new Map(theirs)
    for (const inc of leftOut) within.set(inc, Math.min(theirs.get(inc) ?? 0, mine.get(inc) ?? 0))
    return within
  }

  const behindThem = (): number => countMissing(replica.vector(), wanted())

  return {
    vector: () => theirs,
    has(vector) {
      if (behindThem() === 0) came = most = 0
      const order = compareVectors(theirs, vector)
      if (order === 'equal' || order === 'ahead') return 'known'
      const merged = mergeVectors(theirs, vector)
      if (merged.size > vectorLimit) return 'too_much'
      theirs = merged
      most = Math.max(most, came + behindThem())
      return 'news'
    },
    leaveOut: (inc) => void leftOut.add(inc),
    stored(inc, count) {
      leftOut.delete(inc)
      came += count
    },
    incoming() {
      const remaining = behindThem()
      return { remaining, total: remaining === 0 ? came : most }
    },
    isEqual: () => compareVectors(replica.vector(), wanted()) === 'equal',
    behindThem,
    behindUs: () => countMissing(theirs, replica.vector()),
  }
}

/** How many envelopes `theirs` has that `mine` lacks. */
export function countMissing(mine: Vector, theirs: Vector): number {
  return missingRanges(mine, theirs).reduce((sum, { from, to }) => sum + to - from + 1, 0)
}
