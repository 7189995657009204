// The short way gives what the long way gives, or gives way to it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { decodeRecord } from './decode-record.ts'
import { hashEntries, logicalHash } from './logical-hash.ts'
import { editDoc, loadDoc, mergeUpdate } from './record-doc.ts'
import { readRegister, setEntries } from './register.ts'
import type { Json } from './types.ts'

const NAME = 'r/o/x'
const key = fc.constantFrom('a', 'b', 'c', 'd\0m', 'd\0n')
const value = fc.oneof(fc.integer(), fc.string(), fc.jsonValue({ maxDepth: 2 }))
const patch = fc.dictionary(key, value, { minKeys: 1, maxKeys: 3 })
const patches = fc.array(patch, { minLength: 1, maxLength: 8 })
const writer = fc.constantFrom(1, 2)

function stateOf(edits: readonly (readonly [inc: number, patch: Record<string, unknown>])[]): Uint8Array {
  let state: Uint8Array | null = null
  edits.forEach(([inc, patch], ms) => {
    state = editDoc(state, inc, (doc) => setEntries(doc, patch as Record<string, Json>, { ms, ctr: 0 }, inc)).state
  })
  return state!
}

function expectSame(update: Uint8Array, decoded: NonNullable<ReturnType<typeof decodeRecord>>): void {
  const merged = mergeUpdate(null, update)
  const doc = loadDoc(merged.state)
  expect([...decoded.register]).toEqual([...readRegister(doc)])
  expect(hashEntries(NAME, decoded.entries)).toEqual(logicalHash(NAME, doc))
  expect(logicalHash(NAME, loadDoc(decoded.state))).toEqual(logicalHash(NAME, doc))
}

describe('decodeRecord', () => {
  it('gives what merging gives for the record of one machine, also after many edits', () => {
    fc.assert(
      fc.property(patches, (list) => {
        const state = stateOf(list.map((patch) => [1, patch]))
        const decoded = decodeRecord(state)
        expect(decoded).not.toBeNull()
        expectSame(state, decoded!)
      }),
    )
  })

  it('gives what merging gives or nothing, for records of two machines and for what an edit added', () => {
    let taken = 0
    fc.assert(
      fc.property(fc.array(fc.tuple(writer, patch), { minLength: 2, maxLength: 6 }), (edits) => {
        const state = stateOf(edits)
        const added = Y.diffUpdate(state, Y.encodeStateVectorFromUpdate(stateOf(edits.slice(0, -1))))
        for (const update of [state, added]) {
          const decoded = decodeRecord(update)
          if (decoded === null) continue
          taken += 1
          expectSame(update, decoded)
        }
      }),
    )
    expect(taken).toBeGreaterThan(0)
  })

  it('gives what merging gives or nothing, for any damage to the bytes', () => {
    const state = stateOf([
      [1, { a: 1, b: 'x' }],
      [1, { a: 2 }],
    ])
    let taken = 0
    const damage = fc.array(fc.tuple(fc.nat({ max: state.length - 1 }), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(damage, (changes) => {
        const update = state.slice()
        for (const [at, byte] of changes) update[at] = byte
        const decoded = unlessRefused(() => decodeRecord(update))
        if (decoded === null || decoded === undefined) return
        taken += 1
        expectSame(update, decoded)
      }),
      { numRuns: 3_000 },
    )
    expect(taken).toBeGreaterThan(0)
  })

  it('leaves feeds, texts and other roots to merging', () => {
    const doc = new Y.Doc()
    doc.getText('t').insert(0, 'x')
    expect(decodeRecord(Y.encodeStateAsUpdate(doc))).toBeNull()
    const other = new Y.Doc()
    other.getArray('g').push([['k', 1, 1, 0, 1]])
    expect(decodeRecord(Y.encodeStateAsUpdate(other))).toBeNull()
    expect(decodeRecord(Y.encodeStateAsUpdate(new Y.Doc()))).toBeNull()
  })
})

/** Undefined where the bytes are refused: both ways refuse them alike, before anything else. */
function unlessRefused<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
