import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { DocError } from './doc-error.ts'
import { editDoc, loadDoc, mergeUpdate } from './record-doc.ts'
import { readRegister, setEntries } from './register.ts'
import { applyTextDiff, readText, seedText } from './text-doc.ts'
import type { Json } from './types.ts'

function write(state: Uint8Array | null, inc: number, ms: number, patch: Readonly<Record<string, Json>>) {
  const edited = editDoc(state, inc, (doc) => setEntries(doc, patch, { ms, ctr: 0 }, inc))
  return { state: edited.state, update: edited.update ?? new Uint8Array() }
}

const read = (state: Uint8Array | null) => [...readRegister(loadDoc(state))]

function refusal(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof DocError) return error.reason
  }
  return 'no DocError'
}

describe('editDoc', () => {
  it('gives the document, what to send of it and what the edit returned', () => {
    const first = write(null, 5, 1, { a: 1 })
    const second = editDoc(first.state, 5, (doc) => {
      setEntries(doc, { b: 2 }, { ms: 2, ctr: 0 }, 5)
      return readRegister(doc).size
    })
    expect(second.value).toBe(2)
    expect(read(mergeUpdate(first.state, second.update!).state)).toEqual(read(second.state))
    expect(second.update!.length).toBeLessThan(second.state.length)
  })

  it('writes as its incarnation, whoever wrote before', () => {
    let { state } = write(null, 5, 1, { a: 1 })
    for (let ms = 2; ms < 20; ms++) state = write(state, 5, ms, { a: ms }).state
    state = write(state, 6, 20, { a: 20 }).state
    expect([...loadDoc(state).store.clients.keys()].toSorted()).toEqual([5, 6])
  })

  it('leaves no trace of an edit that changes nothing or throws', () => {
    const { state } = write(null, 5, 1, { a: 1 })
    const idle = editDoc(state, 5, () => 'idle')
    expect(idle).toEqual({ state, update: null, value: 'idle' })
    const before = state.slice()
    const failing = () =>
      editDoc(state, 5, (doc) => {
        setEntries(doc, { a: 2 }, { ms: 2, ctr: 0 }, 5)
        throw new RangeError('refused')
      })
    expect(failing).toThrow(RangeError)
    expect(state).toEqual(before)
  })

  it('drops the content of what it replaced', () => {
    let { state } = write(null, 5, 1, { a: 'x'.repeat(10_000) })
    state = write(state, 5, 2, { a: 'y' }).state
    expect(state.length).toBeLessThan(200)
  })

  it('refuses a damaged state and never takes it for an empty document', () => {
    const { state } = write(null, 5, 1, { a: 1 })
    const second = write(state, 5, 2, { a: 2 })
    expect(refusal(() => editDoc(state.slice(0, -3), 5, () => null))).toBe('damaged_state')
    expect(refusal(() => loadDoc(second.update))).toBe('damaged_state')
    expect(refusal(() => mergeUpdate(new Uint8Array([9, 9, 9]), second.update))).toBe('damaged_state')
  })
})

describe('mergeUpdate', () => {
  it('gives the keys that changed', () => {
    const base = write(null, 5, 1, { a: 1, b: 1, c: 1 })
    const mine = write(base.state, 5, 2, { a: 2 })
    const theirs = write(base.state, 6, 3, { b: 3, d: 3 })
    const merged = mergeUpdate(mine.state, theirs.update)
    expect([...merged.changedKeys].toSorted()).toEqual(['b', 'd'])
    expect([...mergeUpdate(null, base.update).changedKeys]).toEqual(['a', 'b', 'c'])
  })

  it('changes nothing the second time', () => {
    const base = write(null, 5, 1, { a: 1 })
    const next = write(base.state, 6, 2, { a: 2 })
    const once = mergeUpdate(base.state, next.update)
    const twice = mergeUpdate(once.state, next.update, { read: (doc) => readRegister(doc).size })
    expect(twice).toEqual({ state: once.state, changedKeys: new Set(), pending: false, missing: new Set(), value: 1 })
  })

  it('leaves the state alone while something the update builds on is missing', () => {
    const base = write(null, 5, 1, { a: 1 })
    const second = write(base.state, 6, 2, { b: 2 })
    const third = write(second.state, 7, 3, { a: 3 })
    const waiting = mergeUpdate(base.state, third.update, { read: () => 'read' })
    expect(waiting).toEqual({
      state: base.state,
      changedKeys: new Set(),
      pending: true,
      missing: new Set([6]),
      value: undefined,
    })
    expect(mergeUpdate(null, second.update)).toMatchObject({ state: null, pending: true, missing: new Set([5]) })
    const both = mergeUpdate(mergeUpdate(base.state, second.update).state, third.update)
    expect(both.pending).toBe(false)
    expect(read(both.state)).toEqual(read(third.state))
  })

  it('sees a missing part of which only the removal is there', () => {
    const base = write(null, 5, 1, { a: 1 })
    const removal = editDoc(write(base.state, 5, 2, { b: 1 }).state, 6, (doc) => doc.getArray('f').delete(1, 1))
    expect(mergeUpdate(base.state, removal.update!)).toMatchObject({
      pending: true,
      missing: new Set([5]),
      state: base.state,
    })
  })

  it('refuses bytes that are no update without touching the state', () => {
    const { state, update } = write(null, 5, 1, { a: 1 })
    const before = state.slice()
    for (const bytes of [new Uint8Array(), new Uint8Array([1, 2, 3]), update.slice(0, -2)]) {
      expect(refusal(() => mergeUpdate(state, bytes))).toBe('invalid')
    }
    expect(state).toEqual(before)
  })

  it('reads the merged document before it is gone', () => {
    const { update } = write(null, 5, 1, { a: 1, b: 2 })
    expect(mergeUpdate(null, update, { read: (doc) => readRegister(doc).size }).value).toBe(2)
  })

  it('gives the keys of a feed and tells that a text changed', () => {
    const feed = editDoc(null, 5, (doc) => setEntries(doc, { item: { text: 'x' } }, { ms: 1, ctr: 0 }, 5))
    expect([...mergeUpdate(null, feed.update!).changedKeys]).toEqual(['item'])
    const text = editDoc(null, 5, (doc) => seedText(doc, 'hello'))
    const longer = editDoc(text.state, 6, (doc) => applyTextDiff(doc, 'hello you'))
    const merged = mergeUpdate(text.state, longer.update!, { read: readText })
    expect([...merged.changedKeys]).toEqual(['t'])
    expect(merged.value).toBe('hello you')
  })

  it('keeps what it does not know', () => {
    const newer = editDoc(null, 5, (doc) => {
      doc.getArray('f').push([['k', 1, 1, 0, 5, 'more']])
      doc.getMap('later').set('x', 1)
    })
    const merged = mergeUpdate(write(null, 6, 1, { a: 1 }).state, newer.update!)
    const doc = loadDoc(merged.state)
    expect(doc.getMap('later').get('x')).toBe(1)
    expect(doc.getArray('f').length).toBe(2)
  })

  it('stays silent when an update has a client id of its own', () => {
    const lines: unknown[] = []
    const log = console.log
    console.log = (...line: unknown[]) => lines.push(line)
    try {
      let { state } = write(null, 5, 1, { a: 1 })
      for (const inc of [0, 1, 2 ** 32 - 1]) state = mergeUpdate(state, write(null, inc, 2, { a: 2 }).update).state!
    } finally {
      console.log = log
    }
    expect(lines).toEqual([])
  })

  it('takes an update at its limits and none beyond', () => {
    const big = write(null, 5, 1, { a: 'x'.repeat(6 * 1024 * 1024) })
    expect(refusal(() => mergeUpdate(null, big.update))).toBe('too_big')
    expect(mergeUpdate(null, big.update, { limits: { bytes: 2 ** 23, structs: 10 } }).pending).toBe(false)
  })
})

describe('documents', () => {
  it('that were made from the same edits in another order have the same register', () => {
    const base = write(null, 5, 1, { a: 1 })
    const x = write(base.state, 6, 2, { a: 2 })
    const y = write(base.state, 7, 3, { a: 3 })
    const one = mergeUpdate(x.state, y.update).state
    const other = mergeUpdate(y.state, x.update).state
    expect(read(one)).toEqual(read(other))
    expect(Y.encodeStateVector(loadDoc(one))).toEqual(Y.encodeStateVector(loadDoc(other)))
  })
})
