// Merges the segments of an index in small steps, in the transactions that add documents. FTS5 would do it by itself,
// but in one go for every 64 pages it has written: tens of milliseconds in the COMMIT of whoever comes then. Each merge
// first writes what FTS5 has gathered in memory, so there is one at the end of a job: in the midst of a bulk they would
// cut it into many small segments, which are merged again and again.
import type { Tx } from '#main/kernel/database.ts'
import { mergeSegments } from '../store.ts'

/** Pages merged at once: about a millisecond. */
const pagesPerStep = 8

/** The merger of one host. */
export interface IndexMerger {
  /** Notes a document that was added to an index, and merges as much as it makes necessary in the long run. */
  added(tx: Tx, objectUid: string, texts: readonly string[]): void
  /** Forgets an index that is gone. */
  forget(objectUid: string): void
}

/** Makes a merger. */
export function createIndexMerger(): IndexMerger {
  const owed = new Map<string, number>()
  const mergeOwed = (due: readonly { tx: Tx; objectUid: string }[]): void => {
    for (const { tx, objectUid } of due) {
      const pages = owed.get(objectUid) ?? 0
      if (pages < pagesPerStep) continue
      mergeSegments(tx, objectUid, Math.floor(pages))
      owed.set(objectUid, 0)
    }
  }
  return {
    added(tx, objectUid, texts) {
      const pages = (owed.get(objectUid) ?? 0) + pagesOwed(texts)
      owed.set(objectUid, pages)
      if (pages >= pagesPerStep) tx.gather(mergeOwed, { tx, objectUid })
    },
    forget: (objectUid) => void owed.delete(objectUid),
  }
}

/**
 * Pages to merge for a document. The words of 2,000 characters fill about a quarter of a page of 4 kB, and are written
 * again on each of five or so levels; twice of that leaves nothing behind.
 */
function pagesOwed(texts: readonly string[]): number {
  return 0.5 + texts.reduce((sum, text) => sum + text.length, 0) / 1_000
}
