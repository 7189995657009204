// What memory keeps of the log and the documents: the vector that is on disk, how far each incarnation is applied, and
// the digest. Follows COMMITs; knows no SQL and no socket.
import { createDigest } from '#main/replication/core/digest.ts'
import type { Vector } from '#main/replication/core/types.ts'
import type { Quarantined } from './replica.ts'

/** The state of one host's log. */
export type LogState = ReturnType<typeof createLogState>

/** Makes the state from what is stored. */
export function createLogState(
  rows: readonly { inc: number; storedSeq: number; appliedSeq: number }[],
  digestBytes: Uint8Array,
) {
  const stored = new Map(rows.map((row) => [row.inc, row.storedSeq]))
  const applied = new Map(rows.map((row) => [row.inc, row.appliedSeq]))
  const durable = new Map(stored)
  const grown = createListeners()
  const someApplied = createListeners()
  const quarantined = createListeners<Quarantined>()
  const damaged = createListeners<string>()
  let problems = { parked: 0, quarantined: 0 }

  return {
    /** What is stored without a gap and on disk. */
    vector: (): Vector => new Map([...durable].filter(([, seq]) => seq > 0)),
    /** What is stored and committed, by incarnation. */
    stored: (inc: number) => stored.get(inc) ?? 0,
    applied: (inc: number) => applied.get(inc) ?? 0,
    incarnations: () => [...stored.keys()],
    /** Envelopes stored and not yet applied. */
    waiting: () => [...stored].reduce((sum, [inc, seq]) => sum + seq - (applied.get(inc) ?? 0), 0),
    /** True when all that is committed is on disk and applied. */
    isSettled: () => [...stored].every(([inc, seq]) => durable.get(inc) === seq && applied.get(inc) === seq),
    digest: createDigest(digestBytes),
    /** To be called after COMMIT with what a job stored or applied. */
    committed(inc: number, storedSeq: number, appliedSeq: number) {
      stored.set(inc, storedSeq)
      applied.set(inc, appliedSeq)
    },
    /** To be called when the rows are on disk. */
    onDisk(inc: number, storedSeq: number) {
      if ((durable.get(inc) ?? 0) >= storedSeq) return
      durable.set(inc, storedSeq)
      grown.tell()
    },
    problems: () => problems,
    setProblems(counts: { readonly parked: number; readonly quarantined: number }) {
      problems = counts
    },
    onGrown: grown.add,
    onApplied: someApplied.add,
    /** Tells those who hear of what was applied. */
    tellApplied: () => someApplied.tell(),
    /** Hears of envelopes that were laid aside for good. Answers how to stop. */
    onQuarantined: quarantined.add,
    tellQuarantined: quarantined.tell,
    /** Hears the names of documents that were found damaged. Answers how to stop. */
    onDamaged: damaged.add,
    tellDamaged: damaged.tell,
  }
}

/** Those who hear of something. */
export function createListeners<T = void>() {
  const listeners = new Set<(news: T) => void>()
  return {
    add(listener: (news: T) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell(news: T) {
      for (const listener of listeners) listener(news)
    },
  }
}
