// Mutated updates: each is merged, waits or is refused with a DocError; a refused one changes nothing, none ends the
// process or takes long.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DocError } from '../../main/replication/core/doc-error.ts'
import { logicalHash } from '../../main/replication/core/logical-hash.ts'
import { mergeValues } from '../../main/replication/core/merge-values.ts'
import { editDoc, loadDoc, mergeUpdate } from '../../main/replication/core/record-doc.ts'
import { invalidEntries, readRegister, setEntries } from '../../main/replication/core/register.ts'
import { applyTextDiff, readText, seedText } from '../../main/replication/core/text-doc.ts'
import { sized } from '../support/test-size.ts'

const runs = sized(4_000, 30_000, 100_000)
const HANG_MS = 2_000

/** A state and an update that changes it, for each kind of document. */
function samples(): { state: Uint8Array; update: Uint8Array }[] {
  const record = editDoc(null, 5, (doc) => setEntries(doc, { a: 1, b: { c: [true, null] } }, { ms: 1, ctr: 0 }, 5))
  const edit = editDoc(record.state, 6, (doc) => setEntries(doc, { a: 'x', d: 1.5 }, { ms: 2, ctr: 0 }, 6))
  const text = editDoc(null, 5, (doc) => seedText(doc, 'hello \u{1f600} world'))
  const typed = editDoc(text.state, 6, (doc) => applyTextDiff(doc, 'hello big \u{1f601} world'))
  const feed = editDoc(null, 5, (doc) => setEntries(doc, { i: { text: 'x' } }, { ms: 1, ctr: 0 }, 5))
  const reply = editDoc(feed.state, 6, (doc) => setEntries(doc, { 'i|+|u': true }, { ms: 2, ctr: 0 }, 6))
  return [
    { state: record.state, update: edit.update! },
    { state: text.state, update: typed.update! },
    { state: feed.state, update: reply.update! },
  ]
}

/** Mostly a changed byte or two: what is cut or longer is refused at once. */
const mutation = fc.record({
  sample: fc.nat({ max: 2 }),
  whole: fc.boolean(),
  bytes: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 }),
  cut: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat() }),
  tail: fc.oneof({ weight: 9, arbitrary: fc.constant(new Uint8Array()) }, { weight: 1, arbitrary: fc.uint8Array() }),
})

describe('mutated updates', () => {
  it('are merged, wait or are refused, and leave the rest as it was', () => {
    const kinds = samples()
    const count = { merged: 0, pending: 0, invalid: 0, too_big: 0, damaged_state: 0 }
    let slowest = 0
    const property = fc.property(mutation, ({ sample, whole, bytes, cut, tail }) => {
      const { state, update } = kinds[sample]!
      const source = whole ? state : update
      const mutated = new Uint8Array([...source.slice(0, cut === null ? source.length : cut % source.length), ...tail])
      for (const [at, byte] of bytes) if (mutated.length > 0) mutated[at % mutated.length] = byte
      const before = state.slice()
      const started = performance.now()
      count[outcomeOf(state, mutated)] += 1
      slowest = Math.max(slowest, performance.now() - started)
      expect(state).toEqual(before)
    })
    fc.assert(property, { numRuns: runs })
    console.log(`${runs} mutated updates: ${JSON.stringify(count)}, slowest ${slowest.toFixed(1)} ms`)
    expect(count.damaged_state).toBe(0)
    expect(Math.min(count.merged, count.pending, count.invalid)).toBeGreaterThan(0)
    expect(slowest).toBeLessThan(HANG_MS)
  }, 600_000)
})

function outcomeOf(
  state: Uint8Array,
  update: Uint8Array,
): 'merged' | 'pending' | 'invalid' | 'too_big' | 'damaged_state' {
  try {
    const merged = mergeUpdate(state, update)
    if (merged.pending) {
      expect(merged.state).toBe(state)
      return 'pending'
    }
    // What was taken can be loaded, read and edited like anything else.
    const doc = loadDoc(merged.state)
    mergeValues(readRegister(doc), [])
    invalidEntries(doc)
    readText(doc)
    logicalHash('r/x', doc)
    logicalHash('f/x', doc)
    const edited = editDoc(merged.state, 9, (opened) => setEntries(opened, { a: 9 }, { ms: 9, ctr: 0 }, 9))
    expect(mergeUpdate(merged.state, edited.update!).pending).toBe(false)
    return 'merged'
  } catch (error) {
    if (error instanceof DocError) return error.reason
    throw error
  }
}
