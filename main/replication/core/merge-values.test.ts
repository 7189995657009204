import { describe, expect, it } from 'vitest'
import { mergeValues } from './merge-values.ts'
import { memberKey, shareKey } from './register-keys.ts'
import { registerOf } from './register.ts'
import type { RegisterEntry } from './types.ts'

const fields = [
  { uid: 'name', merge: 'latest' },
  { uid: 'tags', merge: 'members' },
  { uid: 'hours', merge: 'sum' },
  { uid: 'never', merge: 'latest' },
] as const

const project = (...entries: RegisterEntry[]) => mergeValues(registerOf(entries), fields)

describe('mergeValues', () => {
  it('gives one value per field that was ever written', () => {
    const merged = project(
      ['name', 'x', 1, 0, 1],
      [memberKey('tags', 'b'), true, 1, 0, 1],
      [memberKey('tags', 'a'), true, 1, 0, 1],
      [memberKey('tags', 'c'), false, 1, 0, 1],
      [shareKey('hours', 1), 0.1, 1, 0, 1],
      [shareKey('hours', 2), 0.2, 1, 0, 2],
    )
    expect([...merged.values]).toEqual([
      ['name', 'x'],
      ['tags', ['b', 'a']],
      ['hours', 0.3],
    ])
    expect(merged).toMatchObject({ conflicts: [], deleted: null, unknown: [] })
  })

  it('lists concurrent writes that differ, with the later one as winner', () => {
    const early: RegisterEntry = ['name', 'x', 1, 0, 1]
    const late: RegisterEntry = ['name', 'y', 2, 0, 2]
    const merged = project(early, late)
    expect(merged.values.get('name')).toBe('y')
    expect(merged.conflicts).toEqual([{ uid: 'name', winner: late, losers: [early] }])
  })

  it('settles concurrent writes of the same value silently, and lists only those that differ', () => {
    const other: RegisterEntry = ['name', { a: 1 }, 1, 0, 1]
    expect(project(['name', { a: 1, b: 2 }, 1, 0, 1], ['name', { b: 2, a: 1 }, 2, 0, 2]).conflicts).toEqual([])
    const merged = project(['name', 7, 3, 0, 3], ['name', 7, 2, 0, 2], other)
    expect(merged.conflicts).toEqual([{ uid: 'name', winner: ['name', 7, 3, 0, 3], losers: [other] }])
  })

  it('lists a member that was added and removed concurrently', () => {
    const key = memberKey('tags', 'a')
    const merged = project([key, true, 1, 0, 1], [key, false, 2, 0, 2])
    expect(merged.values.get('tags')).toBeNull()
    expect(merged.conflicts).toMatchObject([{ uid: 'tags', winner: [key, false, 2, 0, 2] }])
  })

  it('lists what was added to a sum by somebody who did not know that it became a value', () => {
    const added: RegisterEntry = [shareKey('name', 2), 5, 1, 0, 2]
    const taken: RegisterEntry = [shareKey('name', 2), null, 2, 0, 1]
    const merged = project(['name', '12', 2, 0, 1], added, taken)
    expect(merged.values.get('name')).toBe('12')
    expect(merged.conflicts).toEqual([{ uid: 'name', winner: taken, losers: [added] }])
  })

  it('reads a value from members while nobody has written it as a whole, and lists those it tells nothing of', () => {
    const [red, blue]: RegisterEntry[] = ['red', 'blue'].map((one) => [memberKey('name', one), true, 1, 0, 1])
    expect(project(red!)).toMatchObject({ values: new Map([['name', 'red']]), conflicts: [] })
    const both = project(red!, blue!)
    expect(both.values.get('name')).toEqual(['red', 'blue'])
    expect(both.conflicts).toEqual([{ uid: 'name', winner: red, losers: [blue] }])
  })

  it('lists members that were written by somebody who did not know that they were taken up in a value', () => {
    const whole: RegisterEntry = ['name', 'red', 2, 0, 1]
    const taken: RegisterEntry = [memberKey('name', 'red'), null, 2, 0, 1]
    const added: RegisterEntry = [memberKey('name', 'blue'), true, 1, 0, 2]
    const left: RegisterEntry = [memberKey('name', 'red'), false, 3, 0, 2]
    expect(project(whole, taken, added).conflicts).toEqual([{ uid: 'name', winner: whole, losers: [added] }])
    expect(project(whole, taken, left).conflicts).toEqual([{ uid: 'name', winner: whole, losers: [left] }])
    // Of another value that takes nothing away, and a member that stands there is what was meant.
    const other: RegisterEntry = ['name', 'green', 2, 0, 1]
    expect(project(other, taken, left).conflicts).toEqual([])
    expect(project(whole, taken, [memberKey('name', 'red'), true, 3, 0, 2]).conflicts).toEqual([])
  })

  it('tells of a deletion, and of one that was taken back meanwhile', () => {
    const deletion = { at: '2026-01-01T00:00:00.000Z', by: 'u' }
    expect(project(['_del', deletion, 1, 0, 1]).deleted).toEqual(deletion)
    const merged = project(['_del', deletion, 2, 0, 1], ['_del', null, 1, 0, 2])
    expect(merged.deleted).toEqual(deletion)
    expect(merged.conflicts).toMatchObject([{ uid: '_del' }])
    expect(merged.values.size).toBe(0)
  })

  it('names fields it does not know and says nothing of their values', () => {
    const merged = project(['new', 1, 1, 0, 1], ['new', 2, 2, 0, 2], [memberKey('other', 'a'), true, 1, 0, 1])
    expect(merged.unknown).toEqual(['new', 'other'])
    expect(merged.values.size).toBe(0)
    expect(merged.conflicts).toEqual([])
  })

  it('passes over parts of a field that is not merged in parts any more', () => {
    const merged = project(['name', 'x', 1, 0, 1], [memberKey('name', 'a'), true, 2, 0, 1])
    expect(merged.values.get('name')).toBe('x')
  })

  it('is not misled by uids that objects inherit', () => {
    expect(project(['constructor', 1, 1, 0, 1]).unknown).toEqual(['constructor'])
  })
})
