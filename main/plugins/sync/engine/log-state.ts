// What memory keeps of the log and the documents: the vector that is on disk, how far each incarnation is applied, and
// the digest. Follows COMMITs; knows no SQL and no socket.
import type { Digest } from '#main/replication/core/digest.ts'
import { createDigest } from '#main/replication/core/digest.ts'
import type { Vector } from '#main/replication/core/types.ts'
import type { Quarantined } from './replica.ts'

type QuarantineListener = (quarantined: Quarantined) => void

/** The state of one host's log. */
export interface LogState {
  /** What is stored without a gap and on disk. */
  vector(): Vector
  /** What is stored and committed, by incarnation. */
  stored(inc: number): number
  applied(inc: number): number
  incarnations(): readonly number[]
  /** Envelopes stored and not yet applied. */
  waiting(): number
  /** True when all that is committed is on disk and applied. */
  isSettled(): boolean
  readonly digest: Digest
  /** To be called after COMMIT with what a job stored or applied. */
  committed(inc: number, storedSeq: number, appliedSeq: number): void
  /** To be called when the rows are on disk. */
  onDisk(inc: number, storedSeq: number): void
  problems(): { readonly parked: number; readonly quarantined: number }
  setProblems(counts: { readonly parked: number; readonly quarantined: number }): void
  onGrown(listener: () => void): () => void
  /** Hears of envelopes that were laid aside for good. Answers how to stop. */
  onQuarantined(listener: QuarantineListener): () => void
  tellQuarantined(quarantined: Quarantined): void
  onApplied(listener: () => void): () => void
  /** Tells those who hear {@link onApplied}. */
  tellApplied(): void
}

/** Makes the state from what is stored. */
export function createLogState(
  rows: readonly { inc: number; storedSeq: number; appliedSeq: number }[],
  digestBytes: Uint8Array,
): LogState {
  const stored = new Map(rows.map((row) => [row.inc, row.storedSeq]))
  const applied = new Map(rows.map((row) => [row.inc, row.appliedSeq]))
  const durable = new Map(stored)
  const grown = new Set<() => void>()
  const appliedListeners = new Set<() => void>()
  const quarantineListeners = new Set<QuarantineListener>()
  let problems = { parked: 0, quarantined: 0 }

  const listen = <L>(set: Set<L>, listener: L): (() => void) => {
    set.add(listener)
    return () => set.delete(listener)
  }

  return {
    vector: () => new Map([...durable].filter(([, seq]) => seq > 0)),
    stored: (inc) => stored.get(inc) ?? 0,
    applied: (inc) => applied.get(inc) ?? 0,
    incarnations: () => [...stored.keys()],
    waiting: () => [...stored].reduce((sum, [inc, seq]) => sum + seq - (applied.get(inc) ?? 0), 0),
    isSettled: () => [...stored].every(([inc, seq]) => durable.get(inc) === seq && applied.get(inc) === seq),
    digest: createDigest(digestBytes),
    committed(inc, storedSeq, appliedSeq) {
      stored.set(inc, storedSeq)
      applied.set(inc, appliedSeq)
    },
    onDisk(inc, storedSeq) {
      if ((durable.get(inc) ?? 0) >= storedSeq) return
      durable.set(inc, storedSeq)
      for (const listener of grown) listener()
    },
    problems: () => problems,
    setProblems(counts) {
      problems = counts
    },
    onGrown: (listener) => listen(grown, listener),
    onApplied: (listener) => listen(appliedListeners, listener),
    onQuarantined: (listener) => listen(quarantineListeners, listener),
    tellQuarantined(quarantined) {
      for (const listener of quarantineListeners) listener(quarantined)
    },
    tellApplied() {
      for (const listener of appliedListeners) listener()
    },
  }
}
