// What comes of the log: runs are stored one after the other, acknowledged once they are on disk, and asked for again
// where something is missing. Knows the replica and frames, no link.
import type { Vector } from '#main/replication/core/types.ts'
import type { Received, Replica } from '../engine/replica.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { runLimitBytes, runLimitCount, windowLimit } from '#main/replication/wire/limits.ts'
import type { Position } from '#main/replication/wire/vector-codec.ts'
import { mergeVectors, missingRanges } from '#main/replication/wire/vector-codec.ts'
import type { HeadedRun } from './open-runs.ts'
import type { PeerKind } from './types.ts'

/** Bytes of runs that may wait to be stored before the peer has to wait. */
const waitingLimit = windowLimit

/** Bytes after which an acknowledgement is due though more is waiting: the peer's window never runs empty. */
const ackBytes = windowLimit / 4

/** How long to wait for what was asked for before it is asked for again, and how long at most. */
const wantMs = 5_000
const wantLongestMs = 300_000

/** How often news are taken as a reason to ask again for what was refused. */
const reconsiderMs = 2_000

type Refusal = Exclude<Received, { readonly ok: true } | { readonly reason: 'gap' }>['reason']

/** Whether what the roster says later may let in what was refused for this. */
const mayChange = (reason: Refusal): boolean => reason === 'unknown_device' || reason === 'revoked'

/** What the receiving side works with. */
export interface ReceiveLogParts {
  readonly replica: Pick<Replica, 'identity' | 'vector' | 'receive'>
  readonly kind: PeerKind
  /** Milliseconds by a clock that nobody sets. */
  readonly now: () => number
  /** Calls back after so many milliseconds. */
  readonly later: (ms: number, run: () => void) => void
  readonly say: (frame: Frame) => void
  /** So many envelopes were stored; the peer has them up to here. */
  readonly stored: (upTo: Position, count: number) => void
  /** A run of an incarnation came and is not on disk. */
  readonly notStored: (inc: number) => void
  /** Something could not be taken. `isFault`: the peer should not have sent it. */
  readonly refused: (code: string, item: Position, isFault: boolean) => void
  /** Calls back once the peer has read everything said so far. */
  readonly roundTrip: (run: () => void) => void
  /** The store does not answer. */
  readonly failed: (error: unknown) => void
}

interface Refused {
  readonly reason: Refusal
  /** Whether the peer knows of the refusal. */
  isTold: boolean
}

interface Asked {
  readonly from: number
  readonly tries: number
  readonly until: number
}

/** Makes the receiving side. */
export function createReceiveLog(parts: ReceiveLogParts) {
  const { replica, kind, now, later, say } = parts
  const queue: HeadedRun[] = []
  const idle: (() => void)[] = []
  const refused = new Map<number, Refused>()
  /** Incarnations whose refusal was held against the peer already. */
  const blamed = new Set<number>()
  const asked = new Map<number, Asked>()
  const wakers: (() => void)[] = []
  let promised: Vector = new Map()
  /** Ends of refused runs: a relay is told they came, or they would fill its window for good. */
  let settled: Vector = new Map()
  let waiting = 0
  let unacknowledged = 0
  let isBusy = false
  let isStopped = false
  let recheckAt = Infinity
  let isReconsidering = false

  function acknowledge(): void {
    unacknowledged = 0
    const vector = replica.vector()
    say({ kind: 'ACK', vector: settled.size === 0 ? vector : mergeVectors(vector, settled) })
  }

  /** Asks for everything of an incarnation from a place on, unless that was done a short while ago. */
  function want(inc: number, from: number, to: number): void {
    const earlier = asked.get(inc)
    const isSame = earlier?.from === from
    if (isSame && earlier.until > now()) {
      recheckIn(earlier.until - now())
      return
    }
    const tries = isSame ? earlier.tries + 1 : 0
    const wait = Math.min(wantLongestMs, wantMs * 2 ** tries)
    asked.set(inc, { from, tries, until: now() + wait })
    refused.delete(inc)
    recheckIn(wait)
    say({ kind: 'WANT', inc, from, to })
  }

  function recheckIn(ms: number): void {
    if (ms === Infinity || now() + ms >= recheckAt) return
    recheckAt = now() + ms
    later(ms + 1, () => {
      if (now() < recheckAt) return
      recheckAt = Infinity
      recheck()
    })
  }

  function recheck(): void {
    if (isStopped || isBusy || queue.length > 0) return
    for (const { inc, from, to } of missingRanges(replica.vector(), promised)) want(inc, from, to)
  }

  function refuse(run: HeadedRun, reason: Refusal): void {
    const { inc, seq } = run.envelopes[0] ?? run.head
    const state: Refused = { reason, isTold: false }
    refused.set(inc, state)
    // A fork is not asked for again: the same would come.
    const until = reason === 'fork' ? Infinity : now() + wantMs
    const from = (replica.vector().get(inc) ?? 0) + 1
    if (asked.get(inc)?.from !== from || until === Infinity) asked.set(inc, { from, tries: 0, until })
    if (kind === 'relay') settled = mergeVectors(settled, new Map([[inc, run.head.seq]]))
    // It is there to be asked for once its device is known here. What an unpaired one wrote may never count.
    if (reason === 'unknown_device') promised = mergeVectors(promised, new Map([[inc, run.head.seq]]))
    // Forged runs cannot have passed an honest device; the other ones may have, before it knew better.
    const isForged = reason === 'bad_signature' || reason === 'invalid'
    const isFault = kind === 'device' && (isForged || !blamed.has(inc))
    blamed.add(inc)
    parts.refused(reason, { inc, seq }, isFault)
    parts.roundTrip(() => void (state.isTold = true))
    recheckIn(wantMs)
  }

  /** Runs of an incarnation that was refused a moment ago are not looked at: the peer may not know yet. */
  function skip(run: HeadedRun): boolean {
    const state = refused.get(run.head.inc)
    if (state === undefined || state.reason === 'bad_signature' || state.reason === 'invalid') return false
    parts.notStored(run.head.inc)
    if (kind === 'relay') settled = mergeVectors(settled, new Map([[run.head.inc, run.head.seq]]))
    else if (state.isTold) parts.refused(state.reason, run.head, true)
    return true
  }

  /** The next runs as one, where they are of one incarnation and within the bounds of a run. */
  function nextBatch(): readonly HeadedRun[] {
    const batch: HeadedRun[] = []
    let count = 0
    let bytes = 0
    for (const run of queue) {
      count += run.envelopes.length
      bytes += run.bytes
      const isFirst = batch.length === 0
      const follows = run.envelopes[0]?.seq === (batch.at(-1)?.head.seq ?? 0) + 1
      const isSame = run.head.inc === batch[0]?.head.inc && follows
      if (!isFirst && (!isSame || count > runLimitCount || bytes > runLimitBytes)) break
      batch.push(run)
    }
    queue.splice(0, batch.length)
    return batch
  }

  async function store(batch: readonly HeadedRun[]): Promise<void> {
    const first = batch[0]!
    const { head } = batch.at(-1)!
    const result = await replica.receive(
      batch.flatMap(({ envelopes }) => envelopes),
      head,
    )
    if (isStopped) return
    if (result.ok) {
      refused.delete(head.inc)
      unacknowledged += batch.reduce((sum, { bytes }) => sum + bytes, 0)
      parts.stored({ inc: head.inc, seq: head.seq }, result.stored)
      if (queue.length === 0 || unacknowledged >= ackBytes) acknowledge()
      return
    }
    parts.notStored(head.inc)
    if (result.reason === 'gap') want(head.inc, result.from, Math.max(head.seq, result.from))
    // One bad run must not take the good ones before it along.
    else if (batch.length > 1) for (const run of batch) await storeAlone(run)
    else refuse(first, result.reason)
  }

  async function storeAlone(run: HeadedRun): Promise<void> {
    if (!isStopped && !skip(run)) await store([run])
  }

  async function storeAll(): Promise<void> {
    isBusy = true
    try {
      while (queue.length > 0 && !isStopped) {
        const batch = nextBatch()
        if (!skip(batch[0]!)) await store(batch)
        waiting -= batch.reduce((sum, { bytes }) => sum + bytes, 0)
        if (waiting <= waitingLimit / 2) for (const run of wakers.splice(0)) run()
      }
    } catch (error) {
      if (!isStopped) parts.failed(error)
      stop()
    }
    isBusy = false
    if (isStopped) return
    if (unacknowledged > 0 || settled.size > 0) acknowledge()
    settled = new Map()
    for (const run of idle.splice(0)) run()
    recheck()
  }

  function stop(): void {
    isStopped = true
    queue.length = 0
    for (const run of wakers.splice(0)) run()
  }

  return {
    /** Takes a run. A promise: the peer has to wait until it resolves. */
    take(run: HeadedRun): Promise<void> | undefined {
      if (isStopped) return undefined
      queue.push(run)
      waiting += run.bytes
      if (!isBusy) void storeAll()
      return waiting <= waitingLimit ? undefined : new Promise((resolve) => void wakers.push(resolve))
    },
    /** The peer says that everything up to a vector has been sent: what is missing then was lost. */
    done(vector: Vector): void {
      promised = mergeVectors(promised, vector)
      recheck()
    },
    /** Something became known here that may let in what was refused: it is asked for again. */
    reconsider(): void {
      if (isReconsidering || refused.size === 0) return
      isReconsidering = true
      later(reconsiderMs, () => {
        isReconsidering = false
        for (const [inc, { reason }] of refused) if (mayChange(reason)) asked.delete(inc)
        recheck()
      })
    },
    /** Calls back once what came so far is on disk, after it was acknowledged. */
    whenIdle(run: () => void): void {
      if (isBusy || queue.length > 0) idle.push(run)
      else run()
    },
    /** Nothing is sent or taken any more. */
    stop,
  }
}
