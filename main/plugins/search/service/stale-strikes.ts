// Takes many stale documents out of an index: strikes them, merges the index, and removes their marks, in steps of a few
// milliseconds each. It costs a tenth of taking their words out one by one, and rewrites the whole index, so it is for
// when they are many. Searches go on meanwhile. A step that was the last of a process is followed by the next one's first.
import type { Tx } from '#main/kernel/database.ts'
import { deleteStruck, mergeAll, mergeSegments, readSize, readStale, strikeDocuments } from '../store.ts'

/** The strikes of one index. */
export interface StaleStrikes {
  /** Does the next step; answers whether there is another. Each call may be a transaction of its own. */
  step(tx: Tx): boolean
}

/** Documents struck per step, and the pages merged with them: FTS5 would merge by itself what too many steps leave. */
const strikesPerStep = 100
const pagesPerStrike = 48
/** Pages per step of the merge that ends a round. */
const pagesPerMerge = 64
const marksPerStep = 2_000

/** A round strikes half of the documents, or so many where fewer are left: a merge that keeps nothing has no end to its steps. */
const leastPerRound = 4_000

/** Documents in the index for each stale one above which words are better taken out one by one. */
const worthUpTo = 20

/** Whether striking is the cheaper way, or has been begun. @param least stale documents for which it is worth a thought */
export function isWorthStriking(tx: Tx, objectUid: string, least: number): boolean {
  const { documents, stale, struck } = readSize(tx, objectUid)
  return struck > 0 || (stale >= least && stale * worthUpTo >= documents)
}

/** Begins to strike an index. */
export function createStaleStrikes(objectUid: string): StaleStrikes {
  let phase: 'begin' | 'strike' | 'merge' | 'unmark' = 'begin'
  let left = 0
  let isMerging = false

  const strike = (tx: Tx): void => {
    const limit = Math.min(left, strikesPerStep)
    const documents = readStale(tx, objectUid, { from: 0, to: Number.MAX_SAFE_INTEGER, limit })
    strikeDocuments(tx, objectUid, documents)
    mergeSegments(tx, objectUid, pagesPerStrike)
    left -= documents.length
    if (left === 0 || documents.length < limit) phase = 'merge'
  }

  return {
    step(tx) {
      if (phase === 'begin') {
        const { documents, stale, struck } = readSize(tx, objectUid)
        if (stale === 0) return false
        // What an earlier process has struck is merged first.
        left = struck > 0 ? 0 : Math.min(stale, Math.max(leastPerRound, Math.floor(documents / 2)))
        phase = left > 0 ? 'strike' : 'merge'
        isMerging = false
      } else if (phase === 'strike') {
        strike(tx)
      } else if (phase === 'merge') {
        if (mergeAll(tx, objectUid, pagesPerMerge, !isMerging)) phase = 'unmark'
        isMerging = true
      } else if (deleteStruck(tx, objectUid, marksPerStep) < marksPerStep) {
        phase = 'begin'
      }
      return true
    },
  }
}
