// Registers that are edited and merged as lists have the same contents, order and bytes as documents of Yjs; what they
// leave alone is merged by Yjs into the same.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inspectUpdate } from './inspect-update.ts'
import {
  emptyRegister,
  encodeChange,
  encodeLinear,
  entriesIn,
  mergeLinear,
  readLinear,
  setLinear,
} from './linear-register.ts'
import { editDoc, loadDoc, mergeUpdate } from './record-doc.ts'
import { liveEntries, setEntries } from './register.ts'
import type { Json } from './types.ts'
import { sized } from '../../../test/support/test-size.ts'

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 12 }),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }),
)
const patch = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), value, { maxKeys: 4, noNullPrototype: true })
const steps = fc.array(
  fc.record({ machine: fc.nat(2), patches: fc.array(patch, { minLength: 1, maxLength: 2 }), isApart: fc.boolean() }),
  { maxLength: 14 },
)

/** One edit, by Yjs and as a list where that is possible; both must be the same. */
function edit(state: Uint8Array | null, inc: number, patches: readonly Record<string, Json>[], ms: number) {
  const hlc = { ms, ctr: 0 }
  const byYjs = editDoc(state, inc, (doc) => {
    for (const one of patches) setEntries(doc, one, hlc, inc)
  })
  const before = state === null ? emptyRegister : readLinear(state)
  if (before !== null) {
    let after = before
    for (const one of patches) after = setLinear(after, one, { hlc, inc })
    expect(Buffer.from(encodeLinear(after))).toEqual(Buffer.from(byYjs.state))
    expect(entriesIn(after)).toEqual(liveEntries(loadDoc(byYjs.state)))
    if (byYjs.update !== null) expect(Buffer.from(encodeChange(before, after))).toEqual(Buffer.from(byYjs.update))
  }
  return { ...byYjs, isLinear: before !== null }
}

/** One merge, by Yjs and as a list where that is possible. */
function merge(state: Uint8Array | null, update: Uint8Array): { state: Uint8Array; isLinear: boolean } {
  const byYjs = mergeUpdate(state, update, { read: (doc) => liveEntries(doc) })
  const before = state === null ? emptyRegister : readLinear(state)
  const merged = before === null ? null : mergeLinear(before, inspectUpdate(update))
  if (merged !== null) {
    expect(byYjs.pending).toBe(false)
    expect(entriesIn(merged.register)).toEqual(byYjs.value)
    expect(Buffer.from(encodeLinear(merged.register))).toEqual(Buffer.from(byYjs.state!))
    expect([...merged.changedKeys].sort()).toEqual([...byYjs.changedKeys].sort())
  }
  return { state: byYjs.state!, isLinear: merged !== null }
}

describe('a register as a list', () => {
  it('is what Yjs makes of it, byte by byte', () => {
    const seen = { linear: 0, merged: 0, other: 0 }
    fc.assert(
      fc.property(steps, (list) => {
        const states: (Uint8Array | null)[] = [null, null, null]
        const late: { to: number; update: Uint8Array }[] = []
        const deliver = (): void => {
          for (const { to, update } of late.splice(0)) {
            const merged = merge(states[to] ?? null, update)
            seen[merged.isLinear ? 'merged' : 'other'] += 1
            states[to] = merged.state
          }
        }
        for (const [index, { machine, patches, isApart }] of list.entries()) {
          const edited = edit(states[machine] ?? null, machine + 1, patches, 1_000 + index)
          seen[edited.isLinear ? 'linear' : 'other'] += 1
          if (edited.update === null) continue
          states[machine] = edited.state
          for (const to of [0, 1, 2]) if (to !== machine) late.push({ to, update: edited.update })
          if (!isApart) deliver()
        }
        deliver()
        const contents = states.map((state) => (state === null ? [] : liveEntries(loadDoc(state))))
        expect(contents[1]).toEqual(contents[0])
        expect(contents[2]).toEqual(contents[0])
      }),
      { numRuns: sized(100, 400) },
    )
    // Each way was gone often.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100)
  })

  it('is left alone where its bytes are none', () => {
    expect(() => readLinear(new Uint8Array([1, 2, 3]))).toThrow('cannot be loaded')
    const text = editDoc(null, 1, (doc) => doc.getText('t').insert(0, 'x')).state
    expect(readLinear(text)).toBeNull()
  })
})
