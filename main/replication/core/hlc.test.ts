import { describe, expect, it } from 'vitest'
import { compareHlc, compareStamps, createHlcClock, decodeHlc, encodeHlc, isHlc, ZERO_HLC } from './hlc.ts'

const MINUTE = 60_000

function clockAt(start: number, last = ZERO_HLC) {
  const time = { ms: start }
  return { time, clock: createHlcClock({ now: () => time.ms, last }) }
}

describe('createHlcClock', () => {
  it('follows the time and counts within a millisecond', () => {
    const { time, clock } = clockAt(1000)
    expect([clock.tick(), clock.tick()]).toEqual([
      { ms: 1000, ctr: 1 },
      { ms: 1000, ctr: 2 },
    ])
    time.ms = 1001
    expect(clock.tick()).toEqual({ ms: 1001, ctr: 1 })
  })

  it('only counts up while the time is behind what it was', () => {
    const { time, clock } = clockAt(1000)
    clock.tick()
    time.ms = 10
    expect(clock.tick()).toEqual({ ms: 1000, ctr: 2 })
  })

  it('goes on after a restart from where it was', () => {
    expect(clockAt(10, { ms: 1000, ctr: 7 }).clock.tick()).toEqual({ ms: 1000, ctr: 8 })
  })

  it('does not go on after a restart from a stamp that it had not followed', () => {
    expect(clockAt(10, { ms: 11 + 5 * MINUTE, ctr: 7 }).clock.tick()).toEqual({ ms: 10, ctr: 1 })
    expect(clockAt(10, { ms: 10 + 5 * MINUTE, ctr: 7 }).clock.tick()).toEqual({ ms: 10 + 5 * MINUTE, ctr: 8 })
  })

  it('rolls a full counter over into the next millisecond', () => {
    expect(clockAt(10, { ms: 1000, ctr: 0xffff }).clock.tick()).toEqual({ ms: 1001, ctr: 0 })
  })

  it('ranks an edit above what its document holds and remembers it', () => {
    const { clock } = clockAt(1000)
    expect(clock.tick({ ms: 1500, ctr: 3 })).toEqual({ ms: 1500, ctr: 4 })
    expect(clock.last()).toEqual({ ms: 1500, ctr: 4 })
  })

  it('follows a stamp that is far ahead for the one edit only', () => {
    const { clock } = clockAt(1000)
    const far = { ms: 1000 + 5 * MINUTE + 1, ctr: 0 }
    expect(clock.tick(far)).toEqual({ ms: far.ms, ctr: 1 })
    expect(clock.tick()).toEqual({ ms: 1000, ctr: 1 })
  })

  it('receives stamps up to five minutes ahead and says by how much others are', () => {
    const { clock } = clockAt(1000)
    expect(clock.observe({ ms: 1000 + 5 * MINUTE, ctr: 9 })).toBe(0)
    expect(clock.last()).toEqual({ ms: 1000 + 5 * MINUTE, ctr: 9 })
    expect(clock.observe({ ms: 1000 + 60 * MINUTE, ctr: 0 })).toBe(60 * MINUTE)
    expect(clock.last()).toEqual({ ms: 1000 + 5 * MINUTE, ctr: 9 })
  })

  it('keeps to 48 bits at the end of time and for times before 1970', () => {
    const end = { ms: 2 ** 48 - 1, ctr: 0xffff }
    expect(clockAt(1000).clock.tick(end)).toEqual(end)
    expect(clockAt(-5).clock.tick()).toEqual({ ms: 0, ctr: 1 })
    expect(clockAt(12.75).clock.tick()).toEqual({ ms: 12, ctr: 1 })
  })
})

describe('stamps', () => {
  it('are ordered by milliseconds, then by counter, then by incarnation', () => {
    const stamps = [
      { ms: 1, ctr: 0, inc: 9 },
      { ms: 1, ctr: 1, inc: 1 },
      { ms: 1, ctr: 1, inc: 2 },
      { ms: 2, ctr: 0, inc: 0 },
    ]
    expect(stamps.toReversed().sort(compareStamps)).toEqual(stamps)
    expect(compareHlc(stamps[1]!, stamps[2]!)).toBe(0)
  })

  it('are written as text that sorts as they do', () => {
    const stamps = [ZERO_HLC, { ms: 0, ctr: 0xffff }, { ms: 255, ctr: 1 }, { ms: 2 ** 48 - 1, ctr: 0xffff }]
    const texts = stamps.map(encodeHlc)
    expect(texts.toReversed().sort()).toEqual(texts)
    expect(texts.map(decodeHlc)).toEqual(stamps)
    expect(texts[2]).toBe('0000000000ff0001')
  })

  it.each(['', '0000000000ff001', '0000000000FF0001', '0000000000ff00011', 'g000000000ff0001'])(
    'are not read from %j',
    (text) => {
      expect(decodeHlc(text)).toBeNull()
    },
  )

  it.each([
    [0, 0, true],
    [2 ** 48 - 1, 0xffff, true],
    [2 ** 48, 0, false],
    [0, 0x10000, false],
    [-1, 0, false],
    [1.5, 0, false],
    [NaN, 0, false],
    ['1', 0, false],
  ])('have the numbers %s and %s: %s', (ms, ctr, expected) => {
    expect(isHlc(ms, ctr)).toBe(expected)
  })
})
