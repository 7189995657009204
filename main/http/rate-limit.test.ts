import { describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createRateLimiter, defaultRateLimits } from './rate-limit.ts'
import type { RateLimits } from './rate-limit.ts'

describe('createRateLimiter', () => {
  it('lets a burst pass and then as much as refills', () => {
    const clock = createManualClock(0)
    const limiter = createRateLimiter(clock, () => ({ ...defaultRateLimits, read: { burst: 3, refillPerSecond: 2 } }))
    const passes = (): boolean => limiter.take('read', 'a')!.refusal === null
    expect([passes(), passes(), passes(), passes()]).toEqual([true, true, true, false])
    clock.advance(500)
    expect([passes(), passes()]).toEqual([true, false])
  })

  it('says what is left and when the bucket is full again', () => {
    const clock = createManualClock(10_000)
    const limiter = createRateLimiter(clock, () => ({ ...defaultRateLimits, heavy: { burst: 2, refillPerSecond: 1 } }))
    expect(limiter.take('heavy', 'a')!.headers).toEqual({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '11',
    })
  })

  it('refuses with rate_limit_exceeded and the seconds to wait', () => {
    const clock = createManualClock(0)
    const limiter = createRateLimiter(clock, () => defaultRateLimits)
    for (let call = 0; call < 10; call += 1) limiter.take('auth', 'a')
    const { refusal } = limiter.take('auth', 'a')!
    expect(refusal?.code).toBe('rate_limit_exceeded')
    expect(refusal?.details).toEqual({ limit: 10, remaining: 0, retryAfterSeconds: 6, class: 'auth' })
  })

  it('keeps keys and classes apart', () => {
    const limiter = createRateLimiter(createManualClock(0), () => ({
      ...defaultRateLimits,
      read: { burst: 1, refillPerSecond: 1 },
    }))
    expect(limiter.take('read', 'a')!.refusal).toBeNull()
    expect(limiter.take('read', 'b')!.refusal).toBeNull()
    expect(limiter.take('write', 'a')!.refusal).toBeNull()
    expect(limiter.take('read', 'a')!.refusal).not.toBeNull()
  })

  it('lets a class be switched off, but never auth', () => {
    let limits: RateLimits = defaultRateLimits
    const limiter = createRateLimiter(createManualClock(0), () => limits)
    limits = { ...defaultRateLimits, read: null, auth: null }
    expect(limiter.take('read', 'a')).toBeNull()
    expect(limiter.take('auth', 'a')).not.toBeNull()
  })

  it('drops full buckets before drained ones when there are too many', () => {
    const clock = createManualClock(0)
    const limiter = createRateLimiter(clock, () => ({
      ...defaultRateLimits,
      read: { burst: 1, refillPerSecond: 0.001 },
    }))
    limiter.take('write', 'full-again')
    clock.advance(1_000)
    for (let key = 0; key < 9_999; key += 1) limiter.take('read', `key-${key}`)
    limiter.take('read', 'one-more')
    expect(limiter.take('read', 'key-0')!.refusal).not.toBeNull()
  })

  it('does not forget a drained bucket because of a flood of new keys', () => {
    const limiter = createRateLimiter(createManualClock(0), () => defaultRateLimits)
    for (let call = 0; call < 10; call += 1) limiter.take('auth', 'victim')
    for (let key = 0; key < 50_000; key += 1) limiter.take('auth', `key-${key}`)
    expect(limiter.take('auth', 'victim')!.refusal).not.toBeNull()
  })
})
