// What a relay still has to send to one device: everything it lacks, in the order of arrival, as far as the window
// allows, and then that this was all. Knows the store's runs, no socket.
import type { Vector } from '#main/replication/core/types.ts'
import type { SendWindow } from '#main/replication/wire/credit.ts'
import { createSendWindow } from '#main/replication/wire/credit.ts'
import { envelopeSize } from '#main/replication/wire/envelope-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { packRun } from '#main/replication/wire/pack-run.ts'
import type { SequenceRange } from '#main/replication/wire/vector-codec.ts'
import { mergeVectors } from '#main/replication/wire/vector-codec.ts'
import type { StoredRun, StoredRuns } from './stored-runs.ts'

/** The sending side of one connection. */
export interface Outbox {
  /** The frames that may be sent now. */
  next(): Frame[]
  /** Notes what the device has acknowledged. */
  acknowledged(vector: Vector): void
  /** Notes what the device has because it sent it. */
  has(vector: Vector): void
  /** Sends a range again; false when too many are waiting already. */
  want(range: SequenceRange): boolean
}

/** Ranges that may wait to be sent again. */
const wantedLimit = 64

/** What a run weighs in the window beside its bytes: its head and its frame, and what a message costs in memory. */
const runOverhead = 1024

const weightOf = ({ bytes }: StoredRun): number => bytes + runOverhead

/** Makes the outbox for a device that has what its vector says. */
export function createOutbox(runs: StoredRuns, workspace: number, start: Vector): Outbox {
  const window: SendWindow = createSendWindow()
  /** What the device has or what is on the way to it. */
  let cursor: Vector = start
  let wanted: SequenceRange[] = []
  let isDoneSaid = false
  /** Weight of the run the window has no room for: a device that does not read must not cost a read at each commit. */
  let heldWeight: number | undefined

  const isHeld = (run: StoredRun): boolean => {
    const weight = weightOf(run)
    heldWeight = window.admits(weight) ? undefined : weight
    return heldWeight !== undefined
  }

  const send = (run: StoredRun, frames: Frame[]): void => {
    frames.push(...packRun(run.envelopes, run.heads))
    for (const envelope of run.envelopes)
      window.sent(envelope, envelopeSize(envelope) + (envelope.seq === run.to ? runOverhead : 0))
    isDoneSaid = false
  }

  /** The next run to send again; what the store does not have is not asked for twice. */
  const nextWanted = (): StoredRun | undefined => {
    for (let range = wanted[0]; range; range = wanted[0]) {
      const run = runs.after(workspace, range.inc, range.from - 1)
      if (run) return run
      wanted.shift()
    }
    return undefined
  }

  return {
    next() {
      const frames: Frame[] = []
      if (heldWeight !== undefined && !window.admits(heldWeight)) return frames
      for (let run = nextWanted(); run; run = nextWanted()) {
        if (isHeld(run)) return frames
        send(run, frames)
        const [range, ...others] = wanted as [SequenceRange, ...SequenceRange[]]
        wanted = run.to < range.to ? [{ ...range, from: run.to + 1 }, ...others] : others
      }
      for (let run = runs.next(workspace, cursor); run; run = runs.next(workspace, cursor)) {
        if (isHeld(run)) return frames
        send(run, frames)
        cursor = mergeVectors(cursor, new Map([[run.inc, run.to]]))
      }
      if (!isDoneSaid) frames.push({ kind: 'DONE', vector: runs.vector(workspace) })
      isDoneSaid = true
      return frames
    },
    acknowledged(vector) {
      heldWeight = undefined
      window.acknowledged(vector)
      cursor = mergeVectors(cursor, vector)
    },
    has(vector) {
      heldWeight = undefined
      cursor = mergeVectors(cursor, vector)
    },
    want(range) {
      if (wanted.length >= wantedLimit) return false
      heldWeight = undefined
      wanted = [...wanted, range]
      return true
    },
  }
}
