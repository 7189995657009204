// What a peer lacks of the log: which run comes next, how much may be on the way, and what it has refused for now. Knows
// the replica and frames, no link.
import type { Vector } from '#main/replication/core/types.ts'
import type { LogRun, Replica } from '../engine/replica.ts'
import { createSendWindow } from '#main/replication/wire/credit.ts'
import { decodeBody, envelopeSize, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { packRun } from '#main/replication/wire/pack-run.ts'
import type { Position, SequenceRange } from '#main/replication/wire/vector-codec.ts'
import { lacks, mergeVectors, missingRanges } from '#main/replication/wire/vector-codec.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'

/** Bytes of a run that is read at once: well below what takes ten milliseconds. */
const runBytes = 128 * 1024

/** Runs that are kept because they were read for their stamp. */
const peekedLimit = 4

/** How long a refused incarnation is left alone, and how long at most. */
const refusedMs = 30_000
const refusedLongestMs = 600_000

/** How long what cannot be read is left alone: a log that is written to has no head until its end is on disk. */
const unreadableMs = 50

/** How long the log must be quiet before DONE is said again. */
const doneMs = 200

/** The sending side of the log. */
export type SendLog = ReturnType<typeof createSendLog>

/** What the sending side works with. */
export interface SendLogParts {
  readonly replica: Pick<Replica, 'identity' | 'vector' | 'read' | 'beforeSending'>
  /** Milliseconds by a clock that nobody sets. */
  readonly now: () => number
  /** Asks for another {@link SendLog.next} after so many milliseconds. */
  readonly wakeIn: (ms: number) => void
}

interface Blocked {
  readonly until: number
  readonly tries: number
}

/** Makes the sending side; nothing leaves before it is started. */
export function createSendLog({ replica, now, wakeIn }: SendLogParts) {
  const window = createSendWindow()
  /** What the peer has or what is on the way to it; undefined before it said so. */
  let cursor: Map<number, number> | undefined
  let acked: Vector = new Map()
  let frames: Frame[] = []
  let place = 0
  let notedSeq = 0
  /** The time from which DONE may be said; undefined when it was said since the last envelope. */
  let doneAt: number | undefined
  const blocked = new Map<number, Blocked>()
  const peeked = new Map<number, { readonly from: number; readonly run: LogRun }>()
  const stamps = new Map<number, { readonly seq: number; readonly stamp: number }>()
  let bars: { readonly id: number; readonly target: Vector }[] = []

  const isBlocked = (inc: number): boolean => (blocked.get(inc)?.until ?? 0) > now()

  const runAt = (range: SequenceRange): LogRun => {
    const found = peeked.get(range.inc)
    if (found?.from === range.from) return found.run
    const run = replica.read(range, runBytes)
    peeked.delete(range.inc)
    peeked.set(range.inc, { from: range.from, run })
    const oldest = peeked.keys().next()
    if (peeked.size > peekedLimit && !oldest.done) peeked.delete(oldest.value)
    return run
  }

  const stampAt = (range: SequenceRange): number => {
    const known = stamps.get(range.inc)
    if (known?.seq === range.from) return known.stamp
    const stamp = stampOf(runAt(range))
    stamps.set(range.inc, { seq: range.from, stamp })
    return stamp
  }

  const missing = (has: Vector): SequenceRange[] =>
    missingRanges(has, replica.vector()).filter(({ inc }) => !isBlocked(inc))

  /** The range whose first envelope was made first: what others depend on goes before them. */
  const earliest = (has: Vector): SequenceRange | undefined => {
    const ranges = missing(has)
    if (ranges.length < 2) return ranges[0]
    const stamped = ranges.map((range) => ({ range, stamp: stampAt(range) }))
    return stamped.reduce((first, one) => (one.stamp < first.stamp ? one : first)).range
  }

  const load = (has: Map<number, number>): boolean => {
    const range = earliest(has)
    if (range === undefined) return false
    const run = runAt(range)
    const last = run.envelopes.at(-1)
    if (last === undefined) {
      // What the vector names cannot be read: others go on, and it is tried again.
      peeked.delete(range.inc)
      stamps.delete(range.inc)
      blocked.set(range.inc, { until: now() + unreadableMs, tries: blocked.get(range.inc)?.tries ?? 0 })
      return load(has)
    }
    const bytes = run.envelopes.reduce((sum, envelope) => sum + envelopeSize(envelope), 0)
    if (!window.admits(bytes)) return false
    peeked.delete(range.inc)
    if (range.inc === replica.identity().inc && last.seq > notedSeq) {
      replica.beforeSending(last.seq)
      notedSeq = last.seq
    }
    for (const envelope of run.envelopes) window.sent(envelope, envelopeSize(envelope))
    has.set(range.inc, last.seq)
    frames = [...packRun(run.envelopes, run.heads)]
    place = 0
    doneAt = doneAt === undefined ? now() + doneMs : Math.max(doneAt, now())
    return true
  }

  function block(inc: number, isForGood = false): void {
    const tries = blocked.get(inc)?.tries ?? 0
    const wait = isForGood ? Infinity : Math.min(refusedLongestMs, refusedMs * 2 ** tries)
    blocked.set(inc, { until: now() + wait, tries: tries + 1 })
    if (wait !== Infinity) wakeIn(wait + 1)
  }

  /** Asked for with each look: of several calls only the nearest is sure to come. */
  function wakeForBlocked(): void {
    const due = [...blocked.values()].map(({ until }) => until).filter((until) => until > now() && until !== Infinity)
    if (due.length > 0) wakeIn(Math.min(...due) - now() + 1)
  }

  const take = (): Frame | undefined => {
    const frame = frames[place]
    place += 1
    if (frame === undefined || place < frames.length) return frame
    frames = []
    place = 0
    return frame
  }

  const done = (has: Vector): Frame | undefined => {
    if (doneAt === undefined || lacks(has, replica.vector())) return undefined
    const wait = doneAt - now()
    if (wait > 0) {
      wakeIn(wait + 1)
      return undefined
    }
    doneAt = undefined
    return { kind: 'DONE', vector: replica.vector() }
  }

  return {
    /** The peer has said what it has: sending may begin. */
    start(theirs: Vector): void {
      cursor = new Map(theirs)
      acked = theirs
      doneAt = now()
    },
    /** The next frame that may be sent now. */
    next(): Frame | undefined {
      if (cursor === undefined) return undefined
      const frame = take()
      if (frame) return frame
      const has = cursor
      const bar = bars.find(({ target }) => !lacks(has, target))
      if (bar) {
        bars = bars.filter((one) => one !== bar)
        return { kind: 'BARRIER', id: bar.id, reply: false }
      }
      if (load(has)) return take()
      const last = done(has)
      if (last === undefined) wakeForBlocked()
      return last
    },
    /** The peer waits for DONE again, whether or not anything is sent before it. */
    sayDone(): void {
      doneAt ??= now()
    },
    /** Notes what the peer has on disk. */
    acknowledged(vector: Vector): void {
      window.acknowledged(vector)
      for (const [inc, seq] of vector) {
        if (seq > (cursor?.get(inc) ?? 0)) cursor?.set(inc, seq)
        if (seq > (acked.get(inc) ?? 0)) blocked.delete(inc)
      }
      acked = mergeVectors(acked, vector)
    },
    /** Notes what comes from the peer itself: it is not sent back. */
    came({ inc, seq }: Position): void {
      if (seq > (cursor?.get(inc) ?? 0)) cursor?.set(inc, seq)
    },
    /**
     * Takes {@link came} back: it could not be stored. Should it be here one day by another way, the peer is sent it, and its
     * acknowledgement tells that it has it; nothing else would.
     */
    notStored(inc: number): void {
      const at = cursor?.get(inc) ?? 0
      const from = (acked.get(inc) ?? 0) + 1
      if (at < from) return
      window.withdrawn({ inc, from, to: at })
      cursor?.set(inc, from - 1)
    },
    /** Sends a range again. @returns false: the peer has acknowledged it before */
    want({ inc, from }: SequenceRange): boolean {
      if (cursor === undefined || from <= (acked.get(inc) ?? 0)) return false
      const at = cursor.get(inc) ?? 0
      if (blocked.get(inc)?.until !== Infinity) blocked.delete(inc)
      if (from > at) return true
      window.withdrawn({ inc, from, to: at })
      cursor.set(inc, from - 1)
      return true
    },
    /** The peer does not take an incarnation from this place on; it is left alone for a while, after a fork for good. */
    refused({ inc, seq }: Position, code: string): void {
      if (cursor === undefined) return
      const at = cursor.get(inc) ?? 0
      const from = Math.min(seq, (acked.get(inc) ?? 0) + 1)
      if (at < from) return
      window.withdrawn({ inc, from, to: at })
      cursor.set(inc, from - 1)
      block(inc, code === 'fork')
    },
    /** Calls for a BARRIER after everything up to a vector. */
    bar: (id: number, target: Vector): void => void bars.push({ id, target }),
    /** Takes {@link bar} back where it was not sent yet. */
    unbar: (id: number): void => void (bars = bars.filter((one) => one.id !== id)),
    /** Whether everything that may be sent has been. */
    isDone: (): boolean => cursor !== undefined && place >= frames.length && missing(cursor).length === 0,
  }
}

/** When the first envelope of a run was made; what cannot be read goes first, since nobody can tell. */
function stampOf({ envelopes: [first] }: LogRun): number {
  if (first === undefined || first.seal !== 0) return 0
  try {
    const body = decodeBody(first.body)
    return isOpaque(body) ? 0 : body.hlc.ms + body.hlc.ctr / 0x1_00_00
  } catch (error) {
    if (error instanceof WireError) return 0
    throw error
  }
}
