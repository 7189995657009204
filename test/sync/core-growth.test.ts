// A record does not grow by being edited: what was replaced leaves almost nothing behind. Prints the figures.
import { describe, expect, it } from 'vitest'
import { editDoc } from '../../main/replication/core/record-doc.ts'
import { setEntries } from '../../main/replication/core/register.ts'
import type { Json } from '../../main/replication/core/types.ts'
import * as Y from 'yjs'

const FIELDS = 10
const EDITS = 100

function edited(state: Uint8Array | null, inc: number, ms: number, patch: Readonly<Record<string, Json>>): Uint8Array {
  return editDoc(state, inc, (doc) => setEntries(doc, patch, { ms, ctr: 0 }, inc)).state
}

/** A record of ten fields with uids of 16 digits, as it is created. */
function created(): Uint8Array {
  const patch = Object.fromEntries(Array.from({ length: FIELDS }, (_, i) => [uid(i), `value ${i} ${'x'.repeat(12)}`]))
  return edited(null, 0x1234_5678, 1_790_000_000_000, patch)
}

function uid(field: number): string {
  return field.toString(16).padStart(16, '0')
}

/** Size after the edits, as a multiple of the size before. */
function growth(writers: readonly number[], edit = edited): number {
  const start = created()
  let state = start
  for (let i = 0; i < EDITS; i++) {
    const patch = { [uid(i % FIELDS)]: `value ${i % 10} ${'y'.repeat(12)}` }
    state = edit(state, writers[i % writers.length]!, 1_790_000_000_001 + i, patch)
  }
  return state.length / start.length
}

describe('a record after a hundred edits', () => {
  it('is at most 1.1 times as large when one machine made them', () => {
    const factor = growth([0x1234_5678])
    console.log(`growth after ${EDITS} edits by one machine: ${factor.toFixed(3)}`)
    expect(factor).toBeLessThanOrEqual(1.1)
  })

  it('is at most 2.5 times as large when two machines took turns', () => {
    const factor = growth([0x1234_5678, 0x9abc_def0])
    console.log(`growth after ${EDITS} edits by two machines in turns: ${factor.toFixed(3)}`)
    expect(factor).toBeLessThanOrEqual(2.5)
  })

  it('would be larger than that if the client id were set before the load, which this test has to see', () => {
    const factor = growth([0x1234_5678], (state, inc, ms, patch) => {
      const doc = new Y.Doc()
      doc.clientID = inc
      const print = console.log
      console.log = () => undefined
      try {
        if (state !== null) Y.applyUpdate(doc, state)
      } finally {
        console.log = print
      }
      setEntries(doc, patch, { ms, ctr: 0 }, inc)
      return Y.encodeStateAsUpdate(doc)
    })
    console.log(`growth with the client id set too early: ${factor.toFixed(3)}`)
    expect(factor).toBeGreaterThan(2.5)
  })
})
