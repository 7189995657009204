import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import {
  FEED_SEGMENT_CHARS,
  FEED_SEGMENT_SIZE,
  parseFeedKey,
  partKey,
  reactionKey,
  readSegment,
  segmentRoom,
} from './feed-doc.ts'
import { compareEntries, readRegister, removeEntries, setEntries } from './register.ts'
import type { RegisterEntry } from './types.ts'

const first = { ms: 1, ctr: 0 }

describe('a segment', () => {
  it('holds what belongs to one item together', () => {
    const doc = new Y.Doc()
    setEntries(doc, { one: { type: 'note' }, 'one#body': 'x', 'two|+|u': true, two: 1 }, first, 7)
    const segment = readSegment(readRegister(doc))
    expect([...segment.keys()]).toEqual(['one', 'two'])
    expect([...segment.get('two')!.keys()]).toEqual(['two|+|u', 'two'])
    expect(segment.get('one')!.get('one#body')!.winner[1]).toBe('x')
  })

  it('passes over what is no entry and what is no key', () => {
    const doc = new Y.Doc()
    doc.getArray('f').push(['bare', ['one', 1], ['#body', 1, 1, 0, 7], ['|+|u', 1, 1, 0, 7]])
    setEntries(doc, { good: 1 }, first, 7)
    expect([...readSegment(readRegister(doc)).keys()]).toEqual(['good'])
  })

  it('converges to the later write, whatever is written concurrently and however often it is delivered', () => {
    const edit = fc.tuple(fc.nat({ max: 2 }), fc.constantFrom('a', 'a#body', 'c|x|u'), fc.option(fc.integer()))
    const remove = fc.record({ at: fc.nat({ max: 2 }), key: fc.constantFrom('a', 'a#body', 'c|x|u') })
    const delivery = fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 2 }))
    fc.assert(
      fc.property(fc.array(fc.oneof(edit, remove, delivery), { maxLength: 30 }), (steps) => {
        const docs = [new Y.Doc(), new Y.Doc(), new Y.Doc()]
        const send = (from: number, to: number) => Y.applyUpdate(docs[to]!, Y.encodeStateAsUpdate(docs[from]!))
        for (const [at, step] of steps.entries()) {
          if (!Array.isArray(step)) removeEntries(docs[step.at]!, [step.key])
          else if (step.length === 3) setEntries(docs[step[0]]!, { [step[1]]: step[2] }, { ms: at, ctr: 0 }, step[0])
          else send(step[0], step[1])
        }
        for (let round = 0; round < 2; round++) for (const from of [0, 1, 2]) for (const to of [0, 1, 2]) send(from, to)
        for (const doc of docs) {
          expect(readSegment(readRegister(doc))).toEqual(readSegment(readRegister(docs[0]!)))
          for (const entries of readSegment(readRegister(doc)).values())
            for (const { winner, losers } of entries.values())
              for (const loser of losers) expect(compareEntries(winner, loser)).toBeGreaterThan(0)
        }
      }),
    )
  })

  it('has room for as many items as there are, and for a number of characters', () => {
    const doc = new Y.Doc()
    expect(segmentRoom(readSegment(readRegister(doc)))).toEqual({ items: FEED_SEGMENT_SIZE, chars: FEED_SEGMENT_CHARS })
    setEntries(doc, { one: null, 'one#body': 'four', 'one|+|u': true }, first, 7)
    const used = 'one'.length + 'null'.length + 'one#body'.length + '"four"'.length + 'one|+|u'.length + 'true'.length
    expect(segmentRoom(readSegment(readRegister(doc)))).toEqual({
      items: FEED_SEGMENT_SIZE - 1,
      chars: FEED_SEGMENT_CHARS - used,
    })
  })
})

describe('removing entries', () => {
  it('takes what is visible here, and nothing that was written meanwhile elsewhere', () => {
    const here = new Y.Doc()
    setEntries(here, { a: 1, b: 2, c: 3 }, first, 7)
    const there = new Y.Doc()
    Y.applyUpdate(there, Y.encodeStateAsUpdate(here))
    setEntries(there, { b: 4 }, { ms: 2, ctr: 0 }, 8)
    removeEntries(here, ['a', 'b', 'unknown'])
    Y.applyUpdate(here, Y.encodeStateAsUpdate(there))
    const left = here.getArray<RegisterEntry>('f').toArray()
    expect(left.map(([key, value]) => [key, value])).toEqual([
      ['c', 3],
      ['b', 4],
    ])
  })
})

describe('keys', () => {
  it.each([
    { kind: 'reaction', item: 'i', emoji: '\u{1f44d}', user: 'u' },
    { kind: 'reaction', item: 'i', emoji: '||', user: 'u' },
    { kind: 'reaction', item: 'i', emoji: '#', user: 'u' },
  ] as const)('of reactions are built and parsed: %j', (key) => {
    expect(parseFeedKey(reactionKey(key))).toEqual(key)
  })

  it('of parts and items are built and parsed', () => {
    expect(parseFeedKey(partKey('i', 'data.a|b#c'))).toEqual({ kind: 'part', item: 'i', part: 'data.a|b#c' })
    expect(parseFeedKey('i')).toEqual({ kind: 'item', item: 'i' })
  })

  it.each(['', '#body', 'item|x', '|x|u', 'i|x|', 'i|'])('are not read from %j', (key) => {
    expect(parseFeedKey(key)).toBeNull()
  })

  it('are not built from ids with a separator', () => {
    expect(() => reactionKey({ item: 'a|b', emoji: 'x', user: 'u' })).toThrow(RangeError)
    expect(() => reactionKey({ item: 'a', emoji: 'x', user: 'u|v' })).toThrow(RangeError)
    expect(() => partKey('a#b', 'body')).toThrow(RangeError)
  })
})
