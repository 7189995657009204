// A large document that goes over in parts: each part can be merged by itself, none is larger than it may be, and the last
// one leaves both sides with the same.
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import * as Y from 'yjs'
import { encodePart } from './document-part.ts'
import { mergeUpdate } from './record-doc.ts'

/** Carries everything in parts and answers them. */
function carryOver(from: Y.Doc, state: Uint8Array | null, maxBytes: number) {
  const parts: number[] = []
  let merged = state
  for (;;) {
    const vector = merged === null ? new Uint8Array([0]) : Y.encodeStateVectorFromUpdate(merged)
    const { update, isLast } = encodePart(from, vector, maxBytes)
    const outcome = mergeUpdate(merged, update)
    expect(outcome.pending).toBe(false)
    merged = outcome.state
    parts.push(update.length)
    if (isLast) return { state: merged!, parts }
    expect(parts.length).toBeLessThan(10_000)
  }
}

function textOf(state: Uint8Array): string {
  const doc = new Y.Doc()
  Y.applyUpdate(doc, state)
  return doc.getText('t').toString()
}

describe('a document in parts', () => {
  it('arrives whole, whoever wrote it in whatever order', () => {
    const edit = fc.record({
      who: fc.nat(3),
      at: fc.nat(1000),
      remove: fc.nat(3),
      insert: fc.string({ maxLength: 40 }),
    })
    const edits = fc.array(edit, { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(edits, edits, fc.integer({ min: 8, max: 400 }), (before, after, maxBytes) => {
        const docs = [0, 1, 2, 3].map((client) => {
          const doc = new Y.Doc()
          doc.clientID = client + 1
          return doc
        })
        const meet = (): void => {
          for (const one of docs) for (const other of docs) Y.applyUpdate(other, Y.encodeStateAsUpdate(one))
        }
        const apply = (list: typeof before): void => {
          for (const [index, { who, at, remove, insert }] of list.entries()) {
            const text = docs[who]!.getText('t')
            const place = Math.min(at, text.length)
            text.delete(place, Math.min(remove, text.length - place))
            text.insert(place, insert)
            if (index % 7 === 0) meet()
          }
        }
        apply(before)
        const known = Y.encodeStateAsUpdate(docs[1]!)
        apply(after)
        meet()
        for (const state of [null, known]) {
          const over = carryOver(docs[0]!, state, maxBytes)
          expect(textOf(over.state)).toBe(docs[0]!.getText('t').toString())
          expect(Y.encodeStateVectorFromUpdate(over.state)).toEqual(Y.encodeStateVector(docs[0]!))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('is cut within one long run of values', () => {
    const doc = new Y.Doc()
    doc.getArray('f').push(Array.from({ length: 90 }, (_, index) => `${index} ${'x'.repeat(1_000)}`))
    doc.getText('t').insert(0, '€😀'.repeat(20_000))
    const { state, parts } = carryOver(doc, null, 10_000)
    expect(Math.max(...parts)).toBeLessThan(10_500)
    expect(parts.length).toBeGreaterThan(20)
    const copy = new Y.Doc()
    Y.applyUpdate(copy, state)
    expect(copy.getArray('f').toArray()).toEqual(doc.getArray('f').toArray())
    expect(copy.getText('t').toString()).toBe(doc.getText('t').toString())
  })

  it('goes at once where it is small', () => {
    const doc = new Y.Doc()
    doc.getText('t').insert(0, 'x')
    expect(encodePart(doc, new Uint8Array([0]), 100)).toEqual({ update: Y.encodeStateAsUpdate(doc), isLast: true })
  })
})
