// Counts attempts to prove something: buckets per account and route, a lock after ten failures, a window for links, and
// what may be used once. The counters are rows, so they outlive a restart; each attempt is counted before it is judged, in one write, so that any
// number of parallel guesses meets the same limit. Knows no request.
import { platformError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Tx, Write } from '#main/kernel/database.ts'
import { deleteCounters, insertUse, putCounter, readCounter } from './attempt-store.ts'
import { digestOf } from './session-lookup.ts'

/** Guesses at one account on one route. Who proves something gives the own one back, so that it bounds wrong ones alone. */
const burst = 10
const refillPerMs = 10 / 60_000

/** Failures in a row after which an account is locked, and for how long (D-39). */
export const maxFailures = 10
export const lockMs = 15 * 60_000

/** Links sent to one address in a window (safety N1). */
const maxLinks = 3
const linkWindowMs = 15 * 60_000

/** Counters without use for this long are forgotten. */
const forgottenAfterMs = 86_400_000

/** The counters of one host. */
export interface Attempts {
  /**
   * Counts an attempt of an account on a route as failed until it is settled.
   * @throws rate_limit_exceeded when the bucket is empty or the account is locked
   */
  begin(account: string, route: string): Promise<void>
  /**
   * The attempt succeeded: the failures of the account are forgotten.
   * @param route gets back what the attempt took from its bucket
   */
  succeed(account: string, route?: string): Promise<void>
  /**
   * The attempt proved nothing yet, such as a password before a second factor: it is not counted as failed.
   * @param route gets back what the attempt took from its bucket
   */
  takeBack(account: string, route?: string): Promise<void>
  /**
   * Counts a link for an address.
   * @throws rate_limit_exceeded beyond three in 15 minutes
   */
  countLink(address: string, route: string): Promise<void>
  /**
   * Uses something up that counts once; false when it was used before.
   * @param until instant in ms after which it counts no more anyway, so that it need not be remembered
   */
  useUp(kind: string, what: string, until: number): Promise<boolean>
  /** Forgets counters nobody needs any more. */
  sweep(): Promise<void>
}

/**
 * Makes the counters.
 * @source D-39, D-200; safety N1
 */
export function createAttempts(write: Write, clock: Clock): Attempts {
  const setFailures = (account: string, route: string | undefined, next: (failures: number) => number): Promise<void> =>
    write('auth.attempt', (tx) => {
      if (route !== undefined) giveBack(tx, keyOf(`route ${route}`, account))
      const key = keyOf('account', account)
      const counter = readCounter(tx, key)
      if (counter === undefined) return
      const failures = Math.max(0, next(counter.failures))
      putCounter(tx, key, { ...counter, failures, locked_until: failures < maxFailures ? 0 : counter.locked_until })
    })

  const giveBack = (tx: Tx, key: string): void => {
    const bucket = readCounter(tx, key)
    if (bucket !== undefined) putCounter(tx, key, { ...bucket, tokens: Math.min(burst, bucket.tokens + 1) })
  }

  return {
    async begin(account, route) {
      const refusal = await write('auth.attempt', (tx) => {
        const now = clock.now()
        const accountKey = keyOf('account', account)
        const state = readCounter(tx, accountKey) ?? { tokens: 0, at: now, failures: 0, locked_until: 0 }
        if (state.locked_until > now) return state.locked_until - now
        // A lock that has run out leaves a clean account.
        const failures = (state.locked_until > 0 ? 0 : state.failures) + 1
        const bucketKey = keyOf(`route ${route}`, account)
        const bucket = readCounter(tx, bucketKey)
        const level =
          bucket === undefined ? burst : Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) * refillPerMs)
        if (level < 1) return Math.ceil((1 - level) / refillPerMs)
        putCounter(tx, bucketKey, { tokens: level - 1, at: now, failures: 0, locked_until: 0 })
        putCounter(tx, accountKey, {
          tokens: 0,
          at: now,
          failures,
          locked_until: failures >= maxFailures ? now + lockMs : 0,
        })
        return 0
      })
      if (refusal > 0) throw tooMany(refusal, burst)
    },
    succeed: (account, route) => setFailures(account, route, () => 0),
    takeBack: (account, route) => setFailures(account, route, (failures) => failures - 1),
    async countLink(address, route) {
      const refusal = await write('auth.attempt', (tx) => {
        const now = clock.now()
        const key = keyOf(`link ${route}`, address)
        const counter = readCounter(tx, key)
        const fresh = counter === undefined || now - counter.at >= linkWindowMs
        if (!fresh && counter.failures >= maxLinks) return counter.at + linkWindowMs - now
        putCounter(tx, key, {
          tokens: 0,
          at: fresh ? now : counter.at,
          failures: fresh ? 1 : counter.failures + 1,
          locked_until: 0,
        })
        return 0
      })
      if (refusal > 0) throw tooMany(refusal, maxLinks)
    },
    useUp: (kind, what, until) => write('auth.use-up', (tx) => insertUse(tx, digestOf(`used ${kind}|${what}`), until)),
    sweep: () => write('auth.attempt-sweep', (tx) => deleteCounters(tx, clock.now() - forgottenAfterMs)),
  }
}

/** Counters are named by digest: the table tells nobody which accounts exist. */
function keyOf(kind: string, name: string): string {
  return digestOf(`${kind}|${name.trim().toLowerCase()}`)
}

function tooMany(waitMs: number, limit: number): Error {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return platformError('rate_limit_exceeded', { limit, remaining: 0, retryAfterSeconds, class: 'auth' })
}
