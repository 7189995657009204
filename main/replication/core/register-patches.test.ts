import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { memberKey, memberOf, parseKey, shareKey } from './register-keys.ts'
import { memberPatch, partsOf, readMembers, readSum, sumPatch } from './register-patches.ts'
import { readRegister, setEntries } from './register.ts'
import type { Json } from './types.ts'

let tick = 0
const next = () => ({ ms: (tick += 1), ctr: 0 })

function setList(doc: Y.Doc, list: readonly Json[] | null): void {
  setEntries(doc, memberPatch(partsOf(readRegister(doc), 'u'), list), next(), 1)
}

function listOf(doc: Y.Doc): readonly Json[] | null {
  return readMembers(partsOf(readRegister(doc), 'u'))
}

function copyOf(doc: Y.Doc): Y.Doc {
  const copy = new Y.Doc()
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc))
  return copy
}

describe('keys', () => {
  it.each<Json>(['a', '', '\x01x', 'a\0b', 7, true, null, { b: 1, a: [2] }])('stand for the member %j', (member) => {
    const { uid, part } = parseKey(memberKey('u', member))
    expect(uid).toBe('u')
    expect(memberOf(part ?? 'none')).toEqual(member)
  })

  it('are the same for the same object', () => {
    expect(memberKey('u', { a: 1, b: { d: 1, c: 2 } })).toBe(memberKey('u', { b: { c: 2, d: 1 }, a: 1 }))
    expect(memberKey('u', '7')).not.toBe(memberKey('u', 7))
  })

  it('without a separator are a field', () => {
    expect(parseKey('u')).toEqual({ uid: 'u', part: null })
    expect(parseKey(shareKey('u', 12))).toEqual({ uid: 'u', part: '12' })
  })

  it('that pretend to hold JSON hold text', () => {
    expect(memberOf('\x01{')).toBe('\x01{')
  })
})

describe('lists', () => {
  it.each<[string, (readonly Json[] | null)[]]>([
    ['grow and shrink', [['b', 'a'], ['b', 'a', 'c'], ['a', 'c'], [], ['a']]],
    [
      'change order',
      [
        ['a', 'b', 'c'],
        ['c', 'a', 'b'],
        ['b', 'c', 'a', 'd'],
        ['d', 'a'],
      ],
    ],
    ['are empty or absent', [[], null, ['a'], null, [], ['b'], []]],
    [
      'hold objects',
      [
        [
          { fileId: '1', size: 2 },
          { fileId: '2', size: 3 },
        ],
        [{ size: 3, fileId: '2' }],
      ],
    ],
  ])('%s', (_what, lists) => {
    const doc = new Y.Doc()
    for (const list of lists) {
      setList(doc, list)
      expect(listOf(doc)).toEqual(list)
    }
  })

  it.each<[Json, readonly Json[] | null]>([
    [
      ['a', 'b', 'a'],
      ['a', 'b'],
    ],
    ['a', ['a']],
    [null, null],
    [[], []],
  ])('read the whole value %j that was written before as %j', (whole, expected) => {
    const doc = new Y.Doc()
    setEntries(doc, { u: whole }, next(), 1)
    expect(listOf(doc)).toEqual(expected)
    for (const list of [['c', 'b'], ['b', 'a', 'c'], null, []]) {
      setList(doc, list)
      expect(listOf(doc)).toEqual(list)
    }
  })

  it('are null where nothing was written', () => {
    expect(listOf(new Y.Doc())).toBeNull()
  })

  it('write nothing when nothing changes', () => {
    const doc = new Y.Doc()
    setList(doc, ['a', 'b'])
    expect(memberPatch(partsOf(readRegister(doc), 'u'), ['a', 'b'])).toEqual({})
    setList(doc, [])
    expect(memberPatch(partsOf(readRegister(doc), 'u'), [])).toEqual({})
  })

  it.each<[readonly Json[] | null]>([[['y', 'x', 'q']], [['x', 'y', 'q']], [['q', 'x']], [['y']], [[]], [null]])(
    'leave nothing of what several wrote at once beside %j',
    (list) => {
      const a = new Y.Doc()
      setList(a, ['x', 'y'])
      const b = copyOf(a)
      setList(a, ['y'])
      setList(b, ['y', 'x'])
      Y.applyUpdate(a, Y.encodeStateAsUpdate(b))
      const open = [...readRegister(a)].filter(([, { losers }]) => losers.length > 0)
      expect(open.length).toBeGreaterThan(0)
      const settled = Object.fromEntries(open.map(([key, { winner }]) => [key, winner[1]]))
      setEntries(a, memberPatch(partsOf(readRegister(a), 'u'), list, settled), next(), 1)
      expect([...readRegister(a).values()].flatMap(({ losers }) => losers)).toEqual([])
      expect(listOf(a)).toEqual(list)
    },
  )

  it('keep both of two concurrent additions, and an addition beside a removal', () => {
    const a = new Y.Doc()
    setList(a, ['x'])
    const b = copyOf(a)
    setList(a, ['x', 'y'])
    setList(b, ['z'])
    Y.applyUpdate(a, Y.encodeStateAsUpdate(b))
    Y.applyUpdate(b, Y.encodeStateAsUpdate(a))
    expect(new Set(listOf(a))).toEqual(new Set(['y', 'z']))
    expect(listOf(b)).toEqual(listOf(a))
  })
})

describe('sums', () => {
  function setSum(doc: Y.Doc, value: number, inc: number): void {
    setEntries(doc, sumPatch(partsOf(readRegister(doc), 'u'), value, inc), next(), inc)
  }
  const sumOf = (doc: Y.Doc) => readSum(partsOf(readRegister(doc), 'u'))

  it('add up what each machine added', () => {
    const a = new Y.Doc()
    setEntries(a, { u: 10 }, next(), 1)
    const b = copyOf(a)
    setSum(a, 13, 1)
    setSum(a, 14, 1)
    setSum(b, 5.5, 2)
    Y.applyUpdate(a, Y.encodeStateAsUpdate(b))
    expect(sumOf(a)).toBe(9.5)
    setSum(a, 0, 1)
    expect(sumOf(a)).toBe(0)
  })

  it('have no drift', () => {
    const doc = new Y.Doc()
    for (const total of [0.1, 0.3, 0.6, 1.1]) {
      setSum(doc, total, 1)
      expect(sumOf(doc)).toBe(total)
    }
  })

  it('are null where nothing was written, and pass over what is no number', () => {
    const doc = new Y.Doc()
    expect(sumOf(doc)).toBeNull()
    setEntries(doc, { u: 'x', [shareKey('u', 3)]: 4 }, next(), 1)
    expect(sumOf(doc)).toBe(4)
    expect(sumPatch(partsOf(readRegister(doc), 'u'), 4, 1)).toEqual({})
  })
})
