// Whether this machine and a peer have the same documents: digests are compared whenever both have the same log, and what
// differs is repaired. Keeps the proof, and knows when it is worth nothing any more.
import { createHash } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import type { Timers } from '#main/replication/channel/timers.ts'
import { compareDigests } from '#main/replication/core/digest.ts'
import type { Vector } from '#main/replication/core/types.ts'
import type { Replica } from '../engine/replica.ts'
import type { Frame, FrameOf } from '#main/replication/wire/frames.ts'
import { lacks, sameVector } from '#main/replication/wire/vector-codec.ts'
import { createRepairs } from './repair-documents.ts'
import { createAlarm } from './session-times.ts'
import type { PeerKind, Proof } from './types.ts'

/** How long changes must have settled, and how often digests may be sent at most. */
const settleMs = 1_000
const betweenMs = 1_500

/** How long after an answer a digest is no question. */
const replyMs = 1_000

/** How often they are compared when nothing changes. */
const hourMs = 3_600_000

/** How long a comparison may stand still before it is given up. */
const stuckMs = 30_000

/** How long a question may go without an answer: the peer may have taken it for one. */
const answerMs = 4_000

/** Comparisons of one state of the log: each but the last is followed by repairs. */
const roundLimit = 4

/** What a comparison works with. */
export interface CheckParts {
  readonly replica: Replica
  readonly peer: string
  readonly kind: PeerKind
  readonly clock: Pick<Clock, 'iso'>
  /** They end with the session. */
  readonly timers: Timers
  readonly say: (...frames: readonly Frame[]) => void
  readonly bad: (code: string) => void
  /** Whether the peer has acknowledged everything this machine has, and the other way round. */
  readonly isEqual: () => boolean
  /** Whether the peer may have everything that is here. */
  readonly mayHave: () => boolean
  readonly onChange: () => void
  /** Documents stay different whatever was done. */
  readonly differs: () => void
}

/** What this side has. */
interface Known {
  readonly vector: Vector
  readonly buckets: Uint8Array
  /** SHA-256 of the buckets, in hexadecimal digits. */
  readonly hash: string
}

/** What the peer has, as it said so: the buckets only where it was asked for more than what they come to. */
interface Said extends Omit<Known, 'buckets'> {
  readonly buckets?: Uint8Array
}

/** How much of a digest travels. */
type Extent = 'hash' | 'buckets'

/** Makes a comparison that waits for its start. */
export function createDocumentCheck(parts: CheckParts) {
  const { replica, peer, kind, clock, timers, say } = parts
  let isStarted = false
  let isStopped = false
  /** What the peer sent last, until it was compared. */
  let theirs: Said | undefined
  /** The vector of a digest that waits for the peer's. */
  let awaited: Vector | undefined
  /** The peer waits for a digest of this extent. */
  let owed: Extent | undefined
  /** The buckets were shown since the peer last said what its own come to, and how often since the log changed. */
  let isShown = false
  let shown = 0
  let shownAt = -Infinity
  /** A question went without an answer: a peer of an earlier version knows the whole digest alone. */
  let isSpokenToInFull = false
  let sentVector: Vector | undefined
  let sentAt = -Infinity
  let repliedAt = -Infinity
  let changedAt = -Infinity
  let seenVector: Vector = new Map()
  let rounds = 0
  let repaired = 0
  let proved: { readonly proof: Proof; readonly vector: Vector } | undefined
  let waiters: ((proof: Proof | null) => void)[] = []
  const next = createAlarm(timers)
  const stuck = createAlarm(timers)
  const forced = createAlarm(timers)
  const hour = createAlarm(timers)

  const repairs = createRepairs({
    replica,
    peer,
    say,
    bad: parts.bad,
    mayHave: parts.mayHave,
    mayAnswer: () => parts.mayHave() && sentVector !== undefined && sameVector(sentVector, replica.vector()),
    repaired() {
      repaired += 1
      proved = undefined
      parts.onChange()
    },
    moved: () => watch(),
    finished() {
      stuck.cancel()
      send()
      compare()
    },
  })

  /** The digest, while both sides have the same log and all of it is applied. */
  const current = (): Known | null => {
    if (!parts.isEqual()) return null
    const known = replica.digest()
    if (known === null || !sameVector(known.vector, replica.vector())) return null
    return { ...known, hash: hashOf(known.buckets) }
  }

  function watch(ms = stuckMs): void {
    stuck.set(ms, () => {
      repairs.abandon()
      isSpokenToInFull ||= awaited !== undefined
      awaited = undefined
      plan()
    })
  }

  function prove(known: Known, compared: Proof['compared']): void {
    const proof: Proof = { at: clock.iso(), peer, digest: known.hash, compared }
    proved = { proof, vector: known.vector }
    rounds = 0
    repairs.forget()
    for (const resolve of waiters.splice(0)) resolve(proof)
    parts.onChange()
  }

  /** Says what the documents come to; an answer to whoever asked for more says more. */
  function send(): void {
    const known = current()
    if (known === null || isStopped) return
    const extent = owed ?? (isSpokenToInFull ? 'buckets' : 'hash')
    sentAt = timers.now()
    sentVector = known.vector
    if (owed !== undefined) repliedAt = sentAt
    awaited = owed === undefined ? known.vector : undefined
    owed = undefined
    isShown = false
    if (extent === 'buckets') show(known)
    else say({ kind: 'DIGESTHASH', vector: known.vector, hash: Buffer.from(known.hash, 'hex') })
    if (awaited !== undefined) watch(answerMs)
  }

  /** Shows the buckets, so that the peer sees where it differs: once in each round. */
  function show(known: Known): void {
    const isOften = shown >= 2 * roundLimit && timers.now() < shownAt + replyMs
    if (isShown || isOften) return
    isShown = true
    shown += 1
    shownAt = timers.now()
    sentVector = known.vector
    repairs.refill()
    say({ kind: 'DIGEST', vector: known.vector, buckets: known.buckets })
  }

  /** Compares what the peer sent, as soon as this side stands where it stood. */
  function compare(): void {
    if (theirs === undefined || repairs.isBusy()) return
    const known = current()
    if (known === null) return
    if (!sameVector(known.vector, theirs.vector)) {
      // What the peer sent belongs to a past that does not come back.
      if (lacks(known.vector, theirs.vector)) return
      theirs = undefined
      owed = undefined
      return
    }
    const { hash, buckets } = theirs
    theirs = undefined
    stuck.cancel()
    if (owed !== undefined) send()
    if (hash === known.hash) return prove(known, 'digest')
    proved = undefined
    show(known)
    if (buckets === undefined) {
      // The peer shows its own as soon as it has seen that they differ.
      watch(answerMs)
      parts.onChange()
      return
    }
    rounds += 1
    if (rounds < roundLimit) {
      repairs.start(compareDigests(known.buckets, buckets))
      watch()
    } else if (rounds === roundLimit) parts.differs()
    parts.onChange()
  }

  function plan(): void {
    next.cancel()
    if (!isStarted || isStopped || holds() || repairs.isBusy() || rounds >= roundLimit) return
    if (kind === 'device' && awaited !== undefined) return
    const wait = Math.max(changedAt + settleMs, sentAt + betweenMs) - timers.now()
    if (wait <= 0 || sentVector === undefined) attempt()
    else next.set(wait, attempt)
  }

  function attempt(): void {
    const known = current()
    if (known === null || holds()) return
    if (kind === 'device') return send()
    // A relay has no documents: that it has the whole signed log is all there is to prove.
    sentVector = known.vector
    prove(known, 'log')
  }

  function hourly(): void {
    hour.set(hourMs, hourly)
    compareNow()
  }

  function compareNow(): void {
    proved = undefined
    rounds = 0
    shown = 0
    awaited = undefined
    repairs.forget()
    // The peer takes a digest for a question only when its last answer is some time ago.
    const wait = kind === 'device' ? sentAt + replyMs * 1.2 - timers.now() : 0
    forced.set(Math.max(0, wait), () => (kind === 'device' ? send() : attempt()))
  }

  function holds(): boolean {
    if (proved === undefined || !parts.isEqual()) return false
    if (!sameVector(proved.vector, replica.vector())) return false
    const known = replica.digest()
    return known !== null && hashOf(known.buckets) === proved.proof.digest
  }

  hour.set(hourMs, hourly)

  return {
    /** The first exchange is over: comparing may begin. */
    start(): void {
      isStarted = true
      plan()
      compare()
    },
    /** The log or the documents here, or what the peer has, may have changed. */
    changed(): void {
      const vector = replica.vector()
      if (!sameVector(vector, seenVector)) {
        seenVector = vector
        changedAt = timers.now()
        rounds = 0
        shown = 0
        awaited = undefined
        // A question about a log this machine has only now reached still wants its answer.
        const isDue = theirs !== undefined && (sameVector(vector, theirs.vector) || lacks(vector, theirs.vector))
        if (!isDue) owed = undefined
        repairs.forget()
        repairs.abandon()
      }
      compare()
      plan()
    },
    digest(frame: FrameOf<'DIGEST' | 'DIGESTHASH'>): void {
      const { vector } = frame
      if (frame.kind === 'DIGEST') {
        const buckets = frame.buckets.slice()
        theirs = { vector, buckets, hash: hashOf(buckets) }
      } else {
        theirs = { vector, hash: Buffer.from(frame.hash).toString('hex') }
        isShown = false
        isSpokenToInFull = false
      }
      const isAnswer = awaited !== undefined && sameVector(awaited, vector)
      if (isAnswer) awaited = undefined
      // Two sides that both take an answer for a question would answer each other without end. Buckets follow where both
      // sides have seen that they differ: only unasked for they are a question.
      else if (timers.now() < repliedAt + replyMs) owed = undefined
      else if (frame.kind === 'DIGESTHASH') owed = 'hash'
      else owed = isShown ? undefined : 'buckets'
      compare()
    },
    bucket: repairs.bucket,
    docSync: repairs.docSync,
    notSent: repairs.notSent,
    mend: repairs.mend,
    /** Compares now; resolves with the proof, or null when there is none in time. */
    verify(timeoutMs: number): Promise<Proof | null> {
      return new Promise((resolve) => {
        const answer = (proof: Proof | null): void => {
          cancel()
          waiters = waiters.filter((one) => one !== answer)
          resolve(proof)
        }
        const cancel = timers.after(timeoutMs, () => answer(null))
        waiters.push(answer)
        compareNow()
      })
    },
    /** The proof, if it holds at this moment. */
    proof: (): Proof | undefined => (holds() ? proved?.proof : undefined),
    repairs: (): number => repaired,
    stop(): void {
      isStopped = true
      for (const resolve of waiters.splice(0)) resolve(null)
    },
  }
}

function hashOf(buckets: Uint8Array): string {
  return createHash('sha256').update(buckets).digest('hex')
}
