// Token buckets per credential and class. In memory; knows no route beyond its class and no capability.
import type { Clock } from '#main/kernel/clock.ts'
import type { RateClass } from '#shared/route.ts'
import { platformError } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'

/** Size of a bucket and how fast it fills. */
export interface Bucket {
  readonly burst: number
  readonly refillPerSecond: number
}

/** The buckets by class; null switches a class off. `auth` cannot be switched off. */
export type RateLimits = Readonly<Record<Exclude<RateClass, 'none'>, Bucket | null>>

/** The buckets of D-200. */
export const defaultRateLimits: RateLimits = Object.freeze({
  auth: { burst: 10, refillPerSecond: 10 / 60 },
  read: { burst: 600, refillPerSecond: 100 },
  write: { burst: 300, refillPerSecond: 50 },
  heavy: { burst: 30, refillPerSecond: 1 },
  hooks: { burst: 60, refillPerSecond: 1 },
})

/** What a bucket said: the headers of the answer, and the refusal when it was empty. */
export interface RateVerdict {
  readonly headers: Readonly<Record<string, string>>
  readonly refusal: PlatformError | null
}

/** The buckets of one server. */
export interface RateLimiter {
  /** Takes `cost` from a bucket. The key names who and, where the class wants it, what for. */
  take(rateClass: Exclude<RateClass, 'none'>, key: string, cost?: number): RateVerdict | null
  /**
   * Takes one from the bucket of an address that proves itself, ten times as large as that of an account: many people may
   * share one.
   */
  takeWide(key: string): RateVerdict
  /** Gives back what {@link takeWide} took for a call that did not fail. */
  giveBackWide(key: string): void
  /** Takes one from a bucket of a size of its own: that of a route which narrows its class. */
  takeOwn(rateClass: Exclude<RateClass, 'none'>, key: string, bucket: Bucket): RateVerdict
}

/** Headers that say what a refusal says which no bucket here made: a guard of its own, narrower than the class. */
export function headersOfRefusal({ details }: PlatformError, now: number): Readonly<Record<string, string>> | null {
  const { limit, remaining, retryAfterSeconds } = details
  if (typeof limit !== 'number' || typeof remaining !== 'number') return null
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(now / 1000) + Number(retryAfterSeconds ?? 0)),
  }
}

/** How much wider the bucket of an address is than that of an account. */
const wide = 10

interface Level {
  tokens: number
  at: number
  bucket: Bucket
}

/** Buckets remembered at most. */
const maxBuckets = 10_000

/** What is dropped when there are too many: a share, so that the search for it is paid once per thousand new keys. */
const dropShare = 0.1

/**
 * Makes the buckets. A bucket pays for calls that are let through only.
 * @param limits read at every call, so a changed option applies at once
 * @source D-200
 */
export function createRateLimiter(clock: Clock, limits: () => RateLimits): RateLimiter {
  const levels = new Map<string, Level>()

  /** Drops the fullest: a full bucket is as good as none, and a drained one must not be refilled by a flood of keys. */
  const sweep = (): void => {
    const now = clock.now()
    const missingShare = ({ tokens, at, bucket }: Level): number =>
      1 - Math.min(1, (tokens + (Math.max(0, now - at) / 1000) * bucket.refillPerSecond) / bucket.burst)
    const fullestFirst = [...levels]
      .map(([name, level]) => ({ name, missing: missingShare(level) }))
      // Of equals the youngest goes, so that many new keys cannot push an old one out.
      .toReversed()
      .toSorted((a, b) => a.missing - b.missing)
    for (const { name } of fullestFirst.slice(0, maxBuckets * dropShare)) levels.delete(name)
  }

  const authBucket = (): Bucket => limits().auth ?? defaultRateLimits.auth!

  const takeFrom = (rateClass: string, name: string, bucket: Bucket, cost: number): RateVerdict => {
    const now = clock.now()
    let level = levels.get(name)
    if (level === undefined) {
      if (levels.size >= maxBuckets) sweep()
      level = { tokens: bucket.burst, at: now, bucket }
      levels.set(name, level)
    } else {
      const elapsedMs = Math.max(0, now - level.at)
      level.tokens = Math.min(bucket.burst, level.tokens + (elapsedMs / 1000) * bucket.refillPerSecond)
      level.at = now
      level.bucket = bucket
    }
    // A single call never costs more than a full bucket, or it could never pass.
    const price = Math.min(cost, bucket.burst)
    const passes = level.tokens >= price
    if (passes) level.tokens -= price
    const missing = bucket.burst - level.tokens
    const headers = {
      'x-ratelimit-limit': String(bucket.burst),
      'x-ratelimit-remaining': String(Math.max(0, Math.floor(level.tokens))),
      'x-ratelimit-reset': String(Math.ceil(now / 1000 + missing / bucket.refillPerSecond)),
    }
    if (passes) return { headers, refusal: null }
    const retryAfterSeconds = Math.max(1, Math.ceil((price - level.tokens) / bucket.refillPerSecond))
    const details = { limit: bucket.burst, remaining: 0, retryAfterSeconds, class: rateClass }
    return { headers, refusal: platformError('rate_limit_exceeded', details) }
  }

  return {
    take(rateClass, key, cost = 1) {
      const bucket = rateClass === 'auth' ? authBucket() : limits()[rateClass]
      return bucket === null ? null : takeFrom(rateClass, `${rateClass}|${key}`, bucket, cost)
    },
    takeWide(key) {
      const { burst, refillPerSecond } = authBucket()
      const bucket = { burst: burst * wide, refillPerSecond: refillPerSecond * wide }
      return takeFrom('auth', `wide|${key}`, bucket, 1)
    },
    giveBackWide(key) {
      const level = levels.get(`wide|${key}`)
      if (level !== undefined) level.tokens = Math.min(level.bucket.burst, level.tokens + 1)
    },
    takeOwn: (rateClass, key, bucket) => takeFrom(rateClass, `own|${key}`, bucket, 1),
  }
}
