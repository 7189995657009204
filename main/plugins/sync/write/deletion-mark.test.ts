// What whoever deleted a record says to have seen of it, which comes from machines that may say anything.
import { describe, expect, it } from 'vitest'
import type { DeletionMark } from './deletion-mark.ts'
import { isSeen, markOf, seenSince, seenStamps } from './deletion-mark.ts'

const entry = { key: 'a', ms: 1_000, ctr: 2, inc: 7 }

describe('what a deletion has seen', () => {
  it('is every entry up to the last one of its incarnation', () => {
    const seen = seenStamps(new Map([['a', { winner: ['a', 'x', 1_000, 2, 7], losers: [] }]]))
    expect(seen).toEqual({ 7: '1000.2' })
    expect(isSeen(entry, { seen })).toBe(true)
    expect(isSeen({ ...entry, ctr: 3 }, { seen })).toBe(false)
    expect(isSeen({ ...entry, inc: 8 }, { seen })).toBe(false)
  })

  it('is nothing where the mark says nonsense', () => {
    for (const seen of [undefined, null, 'all', 7, [], { 7: null }, { 7: {} }, { 7: 'later' }, { 7: '' }])
      expect(isSeen(entry, { seen } as unknown as DeletionMark), JSON.stringify(seen)).toBe(false)
  })

  it('is no less when the deletion is said once more', () => {
    const until = { ms: 1_000, ctr: 2 }
    expect(seenSince({ 7: '1000.2', 8: '5.0', 9: '3.1' }, { 8: '4.9', 9: '3.10' }, until)).toEqual({
      ...{ 7: '1000.2', 8: '5.0', 9: '3.10' },
    })
    expect(seenSince({ 7: '1000.3', 8: '1001.0', 9: '3.1' }, { 8: '4.9' }, until), 'later than the mark').toEqual({
      ...{ 8: '4.9', 9: '3.1' },
    })
    const nonsense: unknown[] = [null, 'all', [], { 7: null }, { 7: 'later' }, { 7: '1.x' }, { 7: '1.0.0' }]
    for (const before of nonsense)
      expect(seenSince(before as DeletionMark['seen'], { 8: '1.0' }, until), JSON.stringify(before)).toEqual({
        8: '1.0',
      })
  })

  it('tells of a feed only where there is one', () => {
    const deletion = { at: '2026-03-01T08:00:00.000Z', by: 'user' }
    expect(markOf(deletion, { 7: '1000.2' })).toEqual({ ...deletion, seen: { 7: '1000.2' } })
    expect(markOf({ ...deletion, feed: { 8: '1.0' } }, {})).toMatchObject({ feed: { 8: '1.0' } })
    expect(markOf({ ...deletion, letters: () => ({}) }, {})).not.toHaveProperty('letters')
  })
})
