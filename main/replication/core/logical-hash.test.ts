import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { logicalHash } from './logical-hash.ts'
import { editDoc, loadDoc } from './record-doc.ts'
import { setEntries } from './register.ts'
import { applyTextDiff, seedText } from './text-doc.ts'

const hex = (name: string, doc: Y.Doc): string => Buffer.from(logicalHash(name, doc)).toString('hex')

function register(...entries: unknown[]): Y.Doc {
  const doc = new Y.Doc()
  doc.getArray('f').push(entries)
  return doc
}

function made(change: (doc: Y.Doc) => void): Y.Doc {
  const doc = new Y.Doc()
  change(doc)
  return doc
}

describe('logicalHash', () => {
  it('is the same for the same register in other bytes', () => {
    const entries = fc.uniqueArray(
      fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }), fc.nat(), fc.nat({ max: 9 }), fc.nat()),
      { maxLength: 8, selector: (entry) => JSON.stringify(entry) },
    )
    fc.assert(
      fc.property(entries, fc.nat(), (list, salt) => {
        const shuffled = list
          .map((entry, i) => ({ entry, rank: (i * 7919 + salt) % 11 }))
          .toSorted((a, b) => a.rank - b.rank)
        const straight = register(...list)
        const detour = register(['gone', 1, 1, 0, 1], ...shuffled.map(({ entry }) => entry))
        detour.getArray('f').delete(0, 1)
        expect(hex('r/o/x', detour)).toBe(hex('r/o/x', straight))
      }),
    )
  })

  it.each<[string, unknown[]]>([
    ['another value', ['k', 2, 1, 0, 1]],
    ['another type', ['k', '1', 1, 0, 1]],
    ['another key', ['l', 1, 1, 0, 1]],
    ['another stamp', ['k', 1, 1, 1, 1]],
    ['another incarnation', ['k', 1, 1, 0, 2]],
    ['a form this version does not know', ['k', 1, 1, 0, 1, 'more']],
  ])('is another one for %s', (_what, entry) => {
    expect(hex('r/o/x', register(entry))).not.toBe(hex('r/o/x', register(['k', 1, 1, 0, 1])))
  })

  it('tells losers apart', () => {
    const winner = ['k', 9, 9, 0, 1]
    expect(hex('r/o/x', register(winner, ['k', 1, 1, 0, 2]))).not.toBe(hex('r/o/x', register(winner)))
  })

  it('is eight bytes and depends on the name', () => {
    const doc = register(['k', 1, 1, 0, 1])
    expect(logicalHash('r/o/x', doc)).toHaveLength(8)
    expect(hex('r/o/x', doc)).not.toBe(hex('r/o/y', doc))
  })

  it('is the same for a text that came about in another way', () => {
    const once = made((doc) => seedText(doc, 'hello world'))
    const often = made((doc) => {
      for (const text of ['hello', 'hello big world', 'hello world']) applyTextDiff(doc, text)
    })
    expect(hex('t/o/x/f', often)).toBe(hex('t/o/x/f', once))
    expect(hex('t/o/x/f', often)).not.toBe(hex('t/o/x/f', new Y.Doc()))
  })

  it('is the same for a feed whose items came in another order', () => {
    const keys = ['a', 'b', 'c']
    const stamp = { ms: 1, ctr: 0 }
    const one = made((doc) => keys.forEach((key) => setEntries(doc, { [key]: key }, stamp, 1)))
    const other = made((doc) => keys.toReversed().forEach((key) => setEntries(doc, { [key]: key }, stamp, 1)))
    expect(hex('f/o/x/0', other)).toBe(hex('f/o/x/0', one))
    setEntries(other, { c: null }, { ms: 2, ctr: 0 }, 1)
    expect(hex('f/o/x/0', other)).not.toBe(hex('f/o/x/0', one))
  })

  it('does not change when a document is stored and loaded', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (patch) => {
        const { state, value } = editDoc(null, 7, (doc) => {
          setEntries(doc, patch as Record<string, string>, { ms: 1, ctr: 0 }, 7)
          return hex('r/o/x', doc)
        })
        expect(hex('r/o/x', loadDoc(state))).toBe(value)
      }),
    )
  })
})
