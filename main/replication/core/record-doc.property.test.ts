// The keys a merge names are exactly those whose entries it changed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDoc, loadDoc, mergeUpdate } from './record-doc.ts'
import { readRegister, setEntries } from './register.ts'
import { sized } from '../../../test/support/test-size.ts'

const edit = fc.record({
  device: fc.nat({ max: 2 }),
  keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }),
  to: fc.nat({ max: 2 }),
})

function entriesOf(state: Uint8Array | null): Map<string, string> {
  return new Map([...readRegister(loadDoc(state))].map(([key, value]) => [key, JSON.stringify(value)]))
}

describe('the keys of a merge', () => {
  it('are those whose entries differ before and after', () => {
    let named = 0
    fc.assert(
      fc.property(fc.array(edit, { minLength: 2, maxLength: 20 }), (edits) => {
        const states: (Uint8Array | null)[] = [null, null, null]
        edits.forEach(({ device, keys, to }, ms) => {
          const patch = Object.fromEntries(keys.map((key) => [key, ms]))
          const write = (state: Uint8Array | null) =>
            editDoc(state, device + 1, (doc) => setEntries(doc, patch, { ms, ctr: 0 }, device + 1)).state
          states[device] = write(states[device]!)
          // The whole state is an update too: all that the receiver lacks, and much that it has.
          const before = entriesOf(states[to]!)
          const merged = mergeUpdate(states[to]!, states[device])
          const after = entriesOf(merged.state)
          const different = [...new Set([...before.keys(), ...after.keys()])].filter(
            (key) => before.get(key) !== after.get(key),
          )
          expect([...merged.changedKeys].toSorted()).toEqual(different.toSorted())
          named += different.length
          states[to] = merged.state
        })
      }),
      { numRuns: sized(50, 200) },
    )
    expect(named).toBeGreaterThan(0)
  })
})
