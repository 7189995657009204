// What a peer has, as far as this machine knows, and how far the two are apart. Knows vectors, no frame.
import type { Vector } from '#main/replication/core/types.ts'
import type { Replica } from '../engine/replica.ts'
import { countMissing, lacks, mergeVectors, sameVector, vectorLimit } from '#main/replication/wire/vector-codec.ts'

/** Makes the view of a peer that has nothing. */
export function createPeerView(replica: Pick<Replica, 'vector'>) {
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
    /** What it has on disk by its own word. */
    vector: (): Vector => theirs,
    /**
     * Notes what it has.
     * @returns whether that was news; `too_much` when it would name more incarnations than a vector may, and is not noted
     */
    has(vector: Vector): 'news' | 'known' | 'too_much' {
      if (behindThem() === 0) came = most = 0
      if (!lacks(theirs, vector)) return 'known'
      const merged = mergeVectors(theirs, vector)
      if (merged.size > vectorLimit) return 'too_much'
      theirs = merged
      most = Math.max(most, came + behindThem())
      return 'news'
    },
    /** Leaves an incarnation out of what this machine lacks: nobody will ever take it. */
    leaveOut: (inc: number): void => void leftOut.add(inc),
    /** Notes that so many envelopes of an incarnation were stored here: it is not left out any more. */
    stored(inc: number, count: number): void {
      leftOut.delete(inc)
      came += count
    },
    /** What is to come, and how much it was since this machine last lacked nothing. */
    incoming(): { readonly remaining: number; readonly total: number } {
      const remaining = behindThem()
      return { remaining, total: remaining === 0 ? came : most }
    },
    /** Whether both have the same. */
    isEqual: (): boolean => sameVector(replica.vector(), wanted()),
    /** Envelopes it has and this machine lacks. */
    behindThem,
    /** Envelopes this machine has and it lacks. */
    behindUs: (): number => countMissing(theirs, replica.vector()),
  }
}
