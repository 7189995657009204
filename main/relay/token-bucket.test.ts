// The rate of devices, by a clock that is moved by hand.
import { describe, expect, it } from 'vitest'
import { createInbox } from './inbox.ts'
import { createTokenBuckets } from './token-bucket.ts'

describe('a bucket', () => {
  it('gives those of one second at once and then as many as the second brings', () => {
    let now = 0
    const rates = createTokenBuckets({ perSecond: 200, now: () => now })
    let given = 0
    for (now = 0; now < 10_000; now += 1) for (let n = 0; n < 3; n += 1) if (rates.take('a', 1) === 0) given += 1
    expect(given).toBeGreaterThanOrEqual(2190)
    expect(given).toBeLessThanOrEqual(2200)
  })

  it('gives a large run as a whole, and makes the next one wait for all of it', () => {
    let now = 0
    const rates = createTokenBuckets({ perSecond: 200, now: () => now })
    expect(rates.take('a', 600)).toBe(0)
    expect(rates.take('b', 1)).toBe(0)
    const wait = rates.take('a', 1)
    expect(wait).toBe(2005)
    now += wait - 1
    expect(rates.take('a', 1)).toBe(1)
    now += 1
    expect(rates.take('a', 1)).toBe(0)
  })

  it('is not filled by a clock that goes back', () => {
    let now = 1000
    const rates = createTokenBuckets({ perSecond: 10, now: () => now })
    expect(rates.take('a', 10)).toBe(0)
    now = 0
    expect(rates.take('a', 1)).toBeGreaterThan(0)
  })
})

describe('an inbox', () => {
  it('begins work in its order, waits while the rate is used up, and refuses more than its limit', () => {
    let now = 0
    const calls: (readonly [number, () => void])[] = []
    const rates = createTokenBuckets({ perSecond: 10, now: () => now })
    const later = (wait: number, job: () => void): void => void calls.push([wait, job])
    const inbox = createInbox({ limit: 100, device: 'a', rates, later })
    const begun: string[] = []
    const settle: (() => void)[] = []
    const add = (name: string, cost: number, bytes: number): boolean =>
      inbox.add({ cost, bytes, start: (settled) => void (begun.push(name), settle.push(settled)) })
    expect([add('one', 15, 40), add('two', 1, 40), add('three', 0, 20), add('four', 1, 1)]).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect(begun).toEqual(['one'])
    expect(calls.map(([wait]) => wait)).toEqual([600])
    settle[0]!()
    expect(add('four', 1, 40)).toBe(true)
    now = 600
    calls[0]![1]()
    expect(begun).toEqual(['one', 'two', 'three'])
    inbox.close()
    now = 5000
    calls[1]![1]()
    expect(begun).toEqual(['one', 'two', 'three'])
  })
})
