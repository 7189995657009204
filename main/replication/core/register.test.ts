import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { invalidEntries, readRegister, registerHlc, setEntries } from './register.ts'
import type { Json, RegisterEntry } from './types.ts'

const at = (ms: number, ctr = 0) => ({ ms, ctr })

function docOf(...entries: unknown[]): Y.Doc {
  const doc = new Y.Doc()
  doc.getArray('f').push(entries)
  return doc
}

/** Two documents that both have what `first` wrote. */
function pair(first: Readonly<Record<string, Json>>): [Y.Doc, Y.Doc] {
  const [a, b] = [new Y.Doc(), new Y.Doc()]
  setEntries(a, first, at(1), 1)
  Y.applyUpdate(b, Y.encodeStateAsUpdate(a))
  return [a, b]
}

function exchange(a: Y.Doc, b: Y.Doc): void {
  Y.applyUpdate(b, Y.encodeStateAsUpdate(a))
  Y.applyUpdate(a, Y.encodeStateAsUpdate(b))
}

describe('setEntries', () => {
  it('replaces what it has seen and leaves other keys alone', () => {
    const doc = new Y.Doc()
    setEntries(doc, { a: 1, b: 'x', c: null }, at(1), 7)
    setEntries(doc, { a: 2, c: [true] }, at(2), 7)
    expect([...readRegister(doc)]).toEqual([
      ['b', { winner: ['b', 'x', 1, 0, 7], losers: [] }],
      ['a', { winner: ['a', 2, 2, 0, 7], losers: [] }],
      ['c', { winner: ['c', [true], 2, 0, 7], losers: [] }],
    ])
    expect(doc.getArray('f').length).toBe(3)
  })

  it('keeps concurrent writes, latest first', () => {
    const [a, b] = pair({ k: 0 })
    setEntries(a, { k: 'early' }, at(5), 1)
    setEntries(b, { k: 'late' }, at(9), 2)
    exchange(a, b)
    const expected = { winner: ['k', 'late', 9, 0, 2], losers: [['k', 'early', 5, 0, 1]] }
    expect(readRegister(a).get('k')).toEqual(expected)
    expect(readRegister(b).get('k')).toEqual(expected)
  })

  it('settles concurrent writes with the next one, even one with an earlier stamp', () => {
    const [a, b] = pair({ k: 0 })
    setEntries(a, { k: 'x' }, at(5), 1)
    setEntries(b, { k: 'y' }, at(9), 2)
    exchange(a, b)
    setEntries(a, { k: 'z' }, at(3), 1)
    exchange(a, b)
    expect(readRegister(b).get('k')).toEqual({ winner: ['k', 'z', 3, 0, 1], losers: [] })
  })

  it('writes nothing when one value is not JSON', () => {
    const doc = new Y.Doc()
    expect(() => setEntries(doc, { a: 1, b: NaN }, at(1), 7)).toThrow(TypeError)
    expect(readRegister(doc).size).toBe(0)
  })

  it('leaves a document alone that it has nothing to write to', () => {
    const doc = new Y.Doc()
    setEntries(doc, {}, at(1), 7)
    expect(doc.store.clients.size).toBe(0)
  })

  it('gives values back that Yjs cannot hold', () => {
    const doc = new Y.Doc()
    const value = JSON.parse('{"__proto__":{"x":"\\ud800"}}') as Json
    setEntries(doc, { k: value }, at(1), 7)
    const copy = new Y.Doc()
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc))
    expect(JSON.stringify(readRegister(copy).get('k')?.winner[1])).toBe('{"__proto__":{"x":"\\ud800"}}')
  })
})

describe('readRegister', () => {
  const hostile: unknown[] = [
    'text',
    42,
    null,
    [],
    ['k', 1, 1, 0],
    ['k', 1, 1, 0, 1, 'more'],
    ['', 1, 1, 0, 1],
    [7, 1, 1, 0, 1],
    ['k', 1, -1, 0, 1],
    ['k', 1, 2 ** 48, 0, 1],
    ['k', 1, 1, 0x10000, 1],
    ['k', 1, 1, 0.5, 1],
    ['k', 1, '1', 0, 1],
    ['k', 1, 1, 0, 2 ** 32],
    ['k', 1, 1, 0, -1],
    ['k', undefined, 1, 0, 1],
    ['k', [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]], 1, 0, 1],
    { 0: 'k', length: 5 },
    new Uint8Array([1]),
  ]

  it('passes over what is no entry and reports it', () => {
    const valid: RegisterEntry = ['k', 'v', 3, 0, 1]
    const doc = docOf(...hostile, valid)
    expect([...readRegister(doc)]).toEqual([['k', { winner: valid, losers: [] }]])
    expect(invalidEntries(doc)).toHaveLength(hostile.length)
  })

  it('leaves entries it cannot read in the document', () => {
    const doc = docOf(...hostile)
    setEntries(doc, { k: 'new' }, at(5), 1)
    expect(invalidEntries(doc)).toHaveLength(hostile.length)
    expect(readRegister(doc).get('k')?.winner[1]).toBe('new')
  })

  it('passes over types within the register', () => {
    const doc = docOf(new Y.Map(), new Y.Text('x'))
    expect(readRegister(doc).size).toBe(0)
    expect(invalidEntries(doc)).toHaveLength(2)
  })

  it('ranks by value what an incarnation stamped twice, so that the order in the document does not matter', () => {
    const twins: RegisterEntry[] = [
      ['k', 'x', 1, 0, 1],
      ['k', { y: 1 }, 1, 0, 1],
      ['k', 5, 1, 0, 1],
    ]
    const one = readRegister(docOf(...twins)).get('k')
    expect(readRegister(docOf(...twins.toReversed())).get('k')).toEqual(one)
    expect(one?.losers).toHaveLength(2)
  })

  it('is not misled by keys that objects inherit', () => {
    const doc = docOf(['constructor', 1, 1, 0, 1], ['toString', 2, 1, 0, 1])
    setEntries(doc, { a: 1 }, at(2), 1)
    expect([...readRegister(doc).keys()]).toEqual(['constructor', 'toString', 'a'])
  })
})

describe('registerHlc', () => {
  it('is the greatest stamp of a register', () => {
    expect(registerHlc(readRegister(docOf(['a', 1, 5, 2, 1], ['b', 1, 5, 9, 1], ['c', 1, 4, 99, 1])))).toEqual(at(5, 9))
    expect(registerHlc(new Map())).toEqual(at(0))
  })
})
