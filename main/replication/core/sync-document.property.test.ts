// A document is the same in every form: what is edited and merged as a list or a string has the contents, the order and the
// bytes that Yjs gives, and what these forms cannot hold is what Yjs makes of it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { readLinear } from './linear-register.ts'
import { logicalHash } from './logical-hash.ts'
import { editDoc, loadDoc, mergeUpdate } from './record-doc.ts'
import { liveEntries, readRegister, removeEntries, setEntries } from './register.ts'
import { openDocument } from './sync-document.ts'
import type { EditPlace, SyncDocument } from './sync-document.ts'
import {
  applyTextDiff,
  countLetters,
  firstTexts,
  keepTexts,
  lettersIn,
  readFirstText,
  readText,
  seedText,
} from './text-doc.ts'
import type { Json } from './types.ts'
import { sized } from '../../../test/support/test-size.ts'

const registers = ['r/o/x', 'f/o/x/0', 'm/object/x', 'w/roster'] as const
const TEXT = 't/o/x/f'

const bytesOf = (bytes: Uint8Array | null): Buffer | null => (bytes === null ? null : Buffer.from(bytes))

/** All that is read of a document is what Yjs has. */
function expectSame(name: string, document: SyncDocument, state: Uint8Array): void {
  const doc = loadDoc(state)
  expect(bytesOf(document.state)).toEqual(bytesOf(state))
  // As it came out, and as it is opened where it is stored.
  for (const one of [document, openDocument(name, state)]) {
    expect(one.hash).toEqual(logicalHash(name, doc))
    expect([...one.register]).toEqual(name === TEXT ? [] : [...readRegister(doc)])
    expect(one.text).toBe(name === TEXT ? readText(doc) : '')
    expect(one.beginnings()).toEqual(firstTexts(doc))
    expect(one.letters()).toEqual(countLetters(lettersIn(doc)))
    expect(one.beyond({})?.text ?? '').toBe(readText(doc))
    expect(one.beyond(one.letters())).toBeNull()
    expect(one.stateVector()).toEqual(Y.encodeStateVector(doc))
    expect([...one.writers()].sort()).toEqual([...doc.store.clients.keys()].sort())
  }
}

/** One edit, by Yjs and as a document; answers what Yjs made of it. */
function edit(
  name: string,
  state: Uint8Array | null,
  { inc, ms }: { readonly inc: number; readonly ms: number },
  edits: readonly { readonly byYjs: (doc: Y.Doc) => void; readonly byPlace: (place: EditPlace) => void }[],
) {
  const byYjs = editDoc(state, inc, (doc) => edits.forEach((one) => one.byYjs(doc)))
  const editor = { inc, clock: { tick: () => ({ ms, ctr: 0 }) } }
  const opened = openDocument(name, state)
  const edited = opened.edit(
    editor,
    edits.map((one) => one.byPlace),
  )
  expect(bytesOf(edited?.update ?? null)).toEqual(bytesOf(byYjs.update))
  if (edited !== null) expectSame(name, edited.document, byYjs.state)
  // What was opened stays what it was.
  if (state !== null) expectSame(name, opened, state)
  return byYjs
}

/** One merge, by Yjs and as a document; answers the state that Yjs made, null where the update has to wait. */
function merge(name: string, state: Uint8Array | null, update: Uint8Array): Uint8Array | null {
  const byYjs = mergeUpdate(state, update)
  const result = openDocument(name, state).merge(update)
  expect(result.merged).toBe(!byYjs.pending)
  if (!result.merged) {
    expect(result.missing).toEqual(byYjs.missing)
    return null
  }
  expect([...result.changedKeys].sort()).toEqual([...byYjs.changedKeys].sort())
  expect(result.isChanged).toBe(state === null || byYjs.state !== state)
  expectSame(name, result.document, byYjs.state!)
  return byYjs.state
}

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 12 }),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }),
)
const keys = ['a', 'b', 'c', 'd', 'e', 'f']
const patch = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 4, noNullPrototype: true })
const removal = fc.subarray(keys, { maxLength: 3 })
/** Values to write, or keys to remove. */
const change = fc.oneof({ weight: 4, arbitrary: patch }, { weight: 1, arbitrary: removal })
const steps = fc.array(
  fc.record({ machine: fc.nat(2), changes: fc.array(change, { minLength: 1, maxLength: 2 }), isApart: fc.boolean() }),
  { maxLength: 14 },
)

/** Changes as edits: the same by Yjs and as a document. */
const editsOf = (changes: readonly (string[] | Record<string, Json>)[], inc: number, ms: number) =>
  changes.map((one) => ({
    byYjs: (doc: Y.Doc): void =>
      Array.isArray(one) ? removeEntries(doc, one) : setEntries(doc, one, { ms, ctr: 0 }, inc),
    byPlace(place: EditPlace): void {
      if (Array.isArray(one)) place.remove(one)
      else place.set(one)
    },
  }))

describe('a register', () => {
  it('is what Yjs makes of it, byte by byte, whoever writes and whenever it comes', () => {
    const seen = { list: 0, merged: 0, loaded: 0 }
    fc.assert(
      fc.property(fc.constantFrom(...registers), steps, (name, list) => {
        const states: (Uint8Array | null)[] = [null, null, null]
        const late: { to: number; update: Uint8Array }[] = []
        const deliver = (): void => {
          for (const { to, update } of late.splice(0)) {
            const merged = merge(name, states[to] ?? null, update)
            seen[readLinear(merged!) === null ? 'loaded' : 'merged'] += 1
            states[to] = merged
          }
        }
        for (const [index, { machine, changes, isApart }] of list.entries()) {
          const state = states[machine] ?? null
          const [inc, ms] = [machine + 1, 1_000 + index]
          const edited = edit(name, state, { inc, ms }, editsOf(changes, inc, ms))
          seen[state === null || readLinear(state) !== null ? 'list' : 'loaded'] += 1
          if (edited.update === null) continue
          states[machine] = edited.state
          for (const to of [0, 1, 2]) if (to !== machine) late.push({ to, update: edited.update })
          if (!isApart) deliver()
        }
        deliver()
        // All of a document again, as a repair brings it, changes nothing.
        for (const state of states) if (state !== null) expect(merge(name, state, state)).toBe(state)
        const contents = states.map((state) => (state === null ? [] : liveEntries(loadDoc(state))))
        expect(contents[1]).toEqual(contents[0])
        expect(contents[2]).toEqual(contents[0])
      }),
      { numRuns: sized(100, 400) },
    )
    // Each way was gone often.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100)
  })

  it('that is new here is its update, also where several machines have written it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(1, 2), change), { minLength: 1, maxLength: 8 }), (list) => {
        let state: Uint8Array | null = null
        let last: Uint8Array | null = null
        for (const [index, [inc, one]] of list.entries()) {
          const edited = edit('r/o/x', state, { inc, ms: index }, editsOf([one], inc, index))
          state = edited.state
          last = edited.update
        }
        merge('r/o/x', null, state!)
        // What an edit added may be a document by itself, or has to wait for the rest.
        if (last !== null) merge('r/o/x', null, last)
      }),
      { numRuns: sized(100, 400) },
    )
  })

  it('is what merging gives, for any damage to the bytes of an update', () => {
    const made = editsOf([{ a: 1, b: 'x' }], 1, 1)
    const first = edit('r/o/x', null, { inc: 1, ms: 1 }, made).state
    const { state, update } = edit('r/o/x', first, { inc: 1, ms: 2 }, editsOf([{ a: 2 }], 1, 2))
    let taken = 0
    const at = fc.array(fc.tuple(fc.nat({ max: state.length - 1 }), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(at, fc.boolean(), (changes, isNew) => {
        const damaged = (isNew ? state : update!).slice()
        for (const [place, byte] of changes) if (place < damaged.length) damaged[place] = byte
        const before = isNew ? null : first
        const byYjs = unlessRefused(() => mergeUpdate(before, damaged, { read: (doc) => doc }))
        const result = unlessRefused(() => openDocument('r/o/x', before).merge(damaged))
        expect(result?.merged).toBe(byYjs === undefined ? undefined : !byYjs.pending)
        if (result?.merged !== true || byYjs?.value === undefined) return
        taken += 1
        // Bytes that no version writes may be spelled otherwise; what is in them is the same.
        expect([...result.document.register]).toEqual([...readRegister(byYjs.value)])
        expect(result.document.hash).toEqual(logicalHash('r/o/x', byYjs.value))
        expect(logicalHash('r/o/x', loadDoc(result.document.state))).toEqual(logicalHash('r/o/x', byYjs.value))
        expect([...result.changedKeys].sort()).toEqual([...byYjs.changedKeys].sort())
      }),
      // A removal of nothing, which Yjs refuses.
      {
        numRuns: sized(3_000, 30_000),
        examples: [
          [
            [
              [41, 0],
              [44, 0],
            ],
            true,
          ],
        ],
      },
    )
    expect(taken).toBeGreaterThan(0)
  })

  it('holds what is no entry, and is changed by it', () => {
    const foreign = editDoc(null, 1, (doc) => doc.getArray('f').push(['bare', ['a', 1, 1, 0, 1]])).state
    const more = editDoc(foreign, 1, (doc) => doc.getArray('f').push([42])).update!
    const merged = merge('r/o/x', merge('r/o/x', null, foreign), more)
    expect(liveEntries(loadDoc(merged))).toEqual(['bare', ['a', 1, 1, 0, 1], 42])
    edit('r/o/x', merged, { inc: 1, ms: 2 }, editsOf([['a'], { b: 1 }], 1, 2))
  })

  it('in other roots is loaded, and bytes that are none are told of', () => {
    const text = editDoc(null, 1, (doc) => doc.getText('t').insert(0, 'x')).state
    expect(readLinear(text)).toBeNull()
    const other = editDoc(null, 1, (doc) => doc.getArray('g').push([['k', 1, 1, 0, 1]])).state
    for (const state of [text, other, Y.encodeStateAsUpdate(new Y.Doc())]) merge('r/o/x', null, state)
    expect(() => openDocument('r/o/x', new Uint8Array([1, 2, 3]))).toThrow('cannot be loaded')
  })

  it('has no text, and a text no values', () => {
    const editor = { inc: 1, clock: { tick: () => ({ ms: 1, ctr: 0 }) } }
    expect(() => openDocument('r/o/x', null).edit(editor, [({ text }) => text.read()])).toThrow('no text')
    expect(() => openDocument(TEXT, null).edit(editor, [(place) => place.set({ a: 1 })])).toThrow('no register')
  })
})

const words = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\u{1f600}'), maxLength: 12 })
const textSteps = fc.array(
  fc.record({
    machine: fc.nat(2),
    deed: fc.constantFrom('seed', 'seed', 'change', 'keep'),
    words,
    isApart: fc.boolean(),
  }),
  { maxLength: 10 },
)

describe('a text', () => {
  it('is what Yjs makes of it, byte by byte, whoever writes and whenever it comes', () => {
    const seen = { first: 0, loaded: 0 }
    fc.assert(
      fc.property(textSteps, (list) => {
        const states: (Uint8Array | null)[] = [null, null, null]
        const late: { to: number; update: Uint8Array }[] = []
        const deliver = (): void => {
          for (const { to, update } of late.splice(0)) {
            const merged = merge(TEXT, states[to] ?? null, update)
            seen[readFirstText(merged!) === null ? 'loaded' : 'first'] += 1
            states[to] = merged
          }
        }
        for (const [index, { machine, deed, words: given, isApart }] of list.entries()) {
          const one = {
            byYjs(doc: Y.Doc) {
              if (deed === 'keep') keepTexts(doc)
              else if (deed === 'change' || given === '' || !seedText(doc, given)) applyTextDiff(doc, given)
            },
            byPlace({ text }: EditPlace) {
              if (deed === 'keep') text.keep()
              else if (deed === 'change' || given === '' || !text.seed(given)) text.change(given)
            },
          }
          const edited = edit(TEXT, states[machine] ?? null, { inc: machine + 1, ms: index }, [one])
          if (edited.update === null) continue
          states[machine] = edited.state
          for (const to of [0, 1, 2]) if (to !== machine) late.push({ to, update: edited.update })
          if (!isApart) deliver()
        }
        deliver()
        for (const state of states) if (state !== null) expect(merge(TEXT, state, state)).toBe(state)
      }),
      { numRuns: sized(100, 400) },
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50)
  })

  it('that is seeded and edited in one change is loaded for it', () => {
    const seedAndChange = {
      byYjs(doc: Y.Doc): void {
        seedText(doc, 'one')
        applyTextDiff(doc, 'one two')
      },
      byPlace({ text }: EditPlace): void {
        text.seed('one')
        text.change('one two')
      },
    }
    expect(readText(loadDoc(edit(TEXT, null, { inc: 1, ms: 1 }, [seedAndChange]).state))).toBe('one two')
  })
})

/** Undefined where the bytes are refused: every form refuses them alike, before anything else. */
function unlessRefused<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
