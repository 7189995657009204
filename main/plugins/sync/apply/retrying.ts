// Tries again what lies aside: what waits, after something new was applied; what was refused, when rights may be others. A
// call of a record is tried as a whole, and whatever never fits takes a small part of the machine's time.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { LogState } from '../engine/log-state.ts'
import { targetOf } from '../refusals/refusal-doc.ts'
import type { Refusing } from '../refusals/refusing.ts'
import { readEnvelope, readIncarnation } from '../store/log-store.ts'
import {
  noteProblemClosed,
  readFailed,
  readForbidden,
  readParked,
  readProblem,
  removeProblem,
} from '../store/problem-store.ts'
import type { Problem, ProblemReason } from '../store/problem-store.ts'
import type { Read } from './calls.ts'
import { aboutOf, readBody, wholeGroup } from './calls.ts'

/** What it works with. */
export interface RetryingParts {
  readonly read: Reads
  readonly write: Write
  readonly state: Pick<LogState, 'problems'>
  readonly refusing: Pick<Refusing, 'retry'>
  /** Applies what a call does to one record, or lays it aside; answers what was merged. */
  applyPart(tx: Tx, device: string, part: readonly Read[]): readonly Read[]
  /** Something does not lie aside any more. */
  recount(tx: Tx): void
  /** What was put off may be tried now. */
  again(): void
}

/** What lies aside, by its place in the log. */
type Place = Pick<Problem, 'inc' | 'seq'>

/** Work of one transaction. */
export const sliceMs = 20
/** What is stored is applied anew at the next start, from where the file says that it ended. */
export const repeatable = { repeatable: true } as const
/** Parked envelopes that are tried in one go. */
const retryLimit = 1_000
/** Envelopes that lie aside and are read at once. */
const retryRead = 64
/** A round of so many that takes longer, and finds nothing, is not begun again at once. */
const costlyRetry = { count: 256, ms: 100 } as const

const beginning: Place = { inc: -1, seq: 0 }

/** Makes it. */
export function createRetrying(parts: RetryingParts) {
  const { read, write, state, refusing } = parts
  /** When parked envelopes may be tried again, by a clock nobody sets. */
  let retryAt = 0
  let timer: NodeJS.Timeout | undefined
  /** Where the last round ended: the next one goes on behind it, or logs with high numbers would never have their turn. */
  let place = beginning
  /** How many have not been tried since something new came. */
  let due = 0
  let isStopped = false

  /** The envelopes of a call that are about the same record as one of them, as far as they are parked. */
  const waitingWith = (tx: Tx, one: Read): readonly Read[] => {
    const target = aboutOf(one)
    const call = one.body?.group
    if (call === undefined || target === null || call.count > wholeGroup) return [one]
    const { inc } = one.envelope
    return readParked(tx, { inc, seq: call.first - 1 }, call.count)
      .filter((other) => other.inc === inc && other.seq < call.first + call.count && targetOf(other.doc) === target)
      .flatMap(({ seq }) => readEnvelope(tx, inc, seq) ?? [])
      .map(readBody)
      .filter((other) => aboutOf(other) === target)
  }

  /** Tries one; answers whether anything came in. */
  const one = (tx: Tx, { inc, seq }: Place): boolean => {
    const envelope = readEnvelope(tx, inc, seq)
    const device = readIncarnation(tx, inc)?.device
    const problem = readProblem(tx, inc, seq)
    // With what it was refused with it may have come in meanwhile.
    if (envelope === undefined || device === undefined || problem === undefined) return false
    const found = readBody(envelope)
    const isTaken =
      problem.reason === 'forbidden' && found.body !== null ? refusing.retry(tx, device, found.body) : undefined
    if (isTaken !== undefined) return isTaken
    // What has waited is in no refusal yet: it joins that of its record, or is merged with what waits with it.
    const taken = parts.applyPart(tx, device, problem.kind === 'parked' ? waitingWith(tx, found) : [found])
    for (const { envelope: done } of taken) {
      removeProblem(tx, done.inc, done.seq)
      noteProblemClosed(tx)
    }
    if (taken.length > 0) parts.recount(tx)
    return taken.length > 0
  }

  /** As many of them as one slice lets try. */
  const slice = (tx: Tx, problems: readonly Problem[]): { readonly tried: number; readonly applied: number } => {
    const until = performance.now() + sliceMs
    let tried = 0
    let applied = 0
    for (const problem of problems) {
      tried += 1
      if (problem.reason !== 'unknown_kind' && one(tx, problem)) applied += 1
      if (performance.now() > until) break
    }
    return { tried, applied }
  }

  /** Tries what is listed behind a place, page by page. */
  const all = async (
    list: (reads: Reads, after: Place, limit: number) => readonly Problem[],
    limit: number,
    from = beginning,
  ): Promise<{ readonly tried: number; readonly applied: number; readonly place: Place }> => {
    let [tried, applied] = [0, 0]
    let after = from
    while (tried < limit && !isStopped) {
      const found = list(read, after, retryRead)
      if (found.length === 0) break
      const done = await write('sync.retry', (tx) => slice(tx, found), repeatable)
      tried += done.tried
      applied += done.applied
      after = found[done.tried - 1]!
      await nextTurn()
    }
    return { tried, applied, place: after }
  }

  /** Tries so many of those that wait, once around at most. */
  const round = async (limit: number): Promise<{ readonly tried: number; readonly applied: number }> => {
    const first = await all(readParked, limit, place)
    place = first.place
    if (first.tried >= limit || isStopped) return first
    const second = await all(readParked, limit - first.tried)
    place = second.place
    return { tried: first.tried + second.tried, applied: first.applied + second.applied }
  }

  const putOff = (ms: number): void => {
    retryAt = performance.now() + ms
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (due > 0) parts.again()
    }, ms + 1).unref()
  }

  return {
    one,
    /** Whether what waits was put off. */
    isDue: () => due > 0 && !isStopped,
    /**
     * Tries what waits, or goes on with that; answers whether anything came in.
     * @param isNews something new is there, so that all that waits is due
     */
    async parked(isNews: boolean): Promise<boolean> {
      const began = performance.now()
      const { parked } = state.problems()
      due = isNews ? parked : Math.min(due, parked)
      if (due === 0 || began < retryAt) return false
      const { tried, applied } = await round(Math.min(retryLimit, due))
      const tookMs = performance.now() - began
      due = applied > 0 || tried === 0 ? 0 : Math.max(0, due - tried)
      // Whoever leaves very much here that nothing fits must not keep the machine at it: a tenth of its time is for that.
      const isCostly = tried >= costlyRetry.count && tookMs > costlyRetry.ms
      if (applied === 0 && (isCostly || due > 0)) putOff(tookMs * 9)
      return applied > 0
    },
    /** Tries what failed by a fault of this machine. @param reason that alone */
    failed(reason?: ProblemReason): Promise<{ readonly tried: number; readonly applied: number }> {
      const list: typeof readFailed = (reads, after, limit) => readFailed(reads, after, limit, reason)
      return all(list, Infinity)
    },
    /** Tries all that was refused: rights may be others now. */
    refused: async (): Promise<boolean> => (await all(readForbidden, Infinity)).applied > 0,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
