import { describe, expect, it } from 'vitest'
import { createManualClock } from './clock.ts'
import { createIds, isUuid } from './ids.ts'

describe('createIds', () => {
  it('makes UUIDv7 texts that strictly increase, also within a millisecond and when the clock steps back', () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1))
    const ids = createIds(clock)
    const made: string[] = []
    for (let n = 0; n < 10_000; n += 1) {
      if (n === 5_000) clock.advance(-60_000)
      if (n === 6_000) clock.advance(120_000)
      made.push(ids.uuid())
    }
    expect(made.every(isUuid)).toBe(true)
    expect(made.every((id) => id[14] === '7')).toBe(true)
    expect(made).toEqual(made.toSorted())
    expect(new Set(made).size).toBe(made.length)
  })

  it('carries the time in its first 48 bits', () => {
    const ms = Date.UTC(2026, 5, 7, 8, 9, 10, 11)
    const id = createIds(createManualClock(ms)).uuid()
    expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(ms)
  })

  it('makes tokens of 256 bits as 43 base64url characters', () => {
    const ids = createIds(createManualClock(0))
    expect(ids.token()).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(ids.token()).not.toBe(ids.token())
  })
})

describe('isUuid', () => {
  it.each([
    ['01900000-0000-7000-8000-000000000000', true],
    ['01900000-0000-7000-8000-00000000000', false],
    ['01900000-0000-7000-C000-000000000000', false],
    ['01900000-0000-0000-8000-000000000000', false],
    ['', false],
  ])('%s is %s', (text, expected) => {
    expect(isUuid(text)).toBe(expected)
  })
})
