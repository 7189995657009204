// How many envelopes a device may send in a second. Knows a clock and numbers, not what is counted.

/** The buckets of all devices. */
export interface TokenBuckets {
  /**
   * Takes so many tokens and answers 0, or takes none and answers the milliseconds after which to ask again.
   * A bucket that holds at least one token gives any number and goes into debt: a large run is never stuck.
   */
  take(device: string, count: number): number
}

/** How buckets fill. */
export interface TokenBucketOptions {
  readonly perSecond: number
  /** Tokens a full bucket holds. Default: those of one second. */
  readonly capacity?: number
  /** Milliseconds by a clock that does not go back. */
  readonly now: () => number
}

interface Bucket {
  tokens: number
  at: number
}

/** Full buckets are forgotten beyond so many devices: a full bucket is what an unknown device has. */
const keptBuckets = 10_000

/** Makes buckets, all full. A device keeps its bucket over connections, so that reconnecting fills none. */
export function createTokenBuckets({ perSecond, capacity = perSecond, now }: TokenBucketOptions): TokenBuckets {
  const buckets = new Map<string, Bucket>()

  const level = ({ tokens, at }: Bucket, time: number): number =>
    Math.min(capacity, tokens + (Math.max(0, time - at) * perSecond) / 1000)

  const forget = (time: number): void => {
    for (const [device, bucket] of buckets) if (level(bucket, time) >= capacity) buckets.delete(device)
  }

  return {
    take(device, count) {
      const time = now()
      const bucket = buckets.get(device) ?? { tokens: capacity, at: time }
      const tokens = level(bucket, time)
      const isGiven = tokens >= 1 || count === 0
      if (!buckets.has(device) && buckets.size >= keptBuckets) forget(time)
      buckets.set(device, { tokens: isGiven ? tokens - count : tokens, at: time })
      return isGiven ? 0 : Math.max(1, Math.ceil(((1 - tokens) * 1000) / perSecond))
    },
  }
}
