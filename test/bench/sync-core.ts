// Costs of the document layer of sync, run by hand: `node test/bench/sync-core.ts`. Prints processor time, which other
// work on the machine changes least, and judges nothing.
import * as Y from 'yjs'
import { bucketOf, createDigest } from '../../main/replication/core/digest.ts'
import { logicalHash } from '../../main/replication/core/logical-hash.ts'
import { editDoc, loadDoc, mergeUpdate } from '../../main/replication/core/record-doc.ts'
import { readRegister, setEntries } from '../../main/replication/core/register.ts'
import { openDocument } from '../../main/replication/core/sync-document.ts'
import { applyTextDiff, seedText } from '../../main/replication/core/text-doc.ts'
import type { EditedDocument, MergeResult } from '../../main/replication/core/sync-document.ts'
import type { Json } from '../../main/replication/core/types.ts'

const ROUNDS = 7
let stamp = 1_790_000_000_000

function uid(field: number): string {
  return field.toString(16).padStart(32, '0')
}

function values(fields: number, salt: number): Record<string, Json> {
  const value = (i: number): Json => (i % 3 === 0 ? i * salt : i % 3 === 1 ? `value ${i} of ${salt}` : i % 2 === 0)
  return Object.fromEntries(Array.from({ length: fields }, (_, i) => [uid(i), value(i)]))
}

function write(state: Uint8Array | null, inc: number, patch: Readonly<Record<string, Json>>) {
  return editDoc(state, inc, (doc) => setEntries(doc, patch, { ms: (stamp += 1), ctr: 0 }, inc))
}

const editor = { inc: 1, clock: { tick: () => ({ ms: (stamp += 1), ctr: 0 }) } }

/** Everything that storing and judging asks of what came out. */
function read(result: EditedDocument | MergeResult | null): unknown {
  if (result === null || !('document' in result)) return null
  const { state, register, hash } = result.document
  return [state, register, hash]
}

/** Median microseconds of processor time per call over rounds of `count` calls, after one round to warm up. */
function median(count: number, call: (i: number) => unknown): number {
  const rounds = Array.from({ length: ROUNDS + 1 }, () => {
    const before = process.cpuUsage()
    for (let i = 0; i < count; i++) call(i)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / count
  })
  return rounds.slice(1).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!
}

function line(what: string, us: number): void {
  console.log(
    `${what.padEnd(64)} ${us.toFixed(1).padStart(9)} µs ${Math.round(1e6 / us)
      .toString()
      .padStart(9)} /s`,
  )
}

for (const fields of [10, 50, 200, 500]) {
  const calls = fields > 100 ? 200 : 1000
  let { state } = write(null, 1, values(fields, 1))
  for (let i = 0; i < 100; i++) state = write(state, 1, { [uid((i * 7) % fields)]: `edit ${i}` }).state
  console.log(`\n${fields} fields, after 100 edits: ${state.length} B`)
  const open = loadDoc(state)
  open.clientID = 1
  line(
    'setEntries of one field on an open document',
    median(calls, (i) => {
      setEntries(open, { [uid(i % fields)]: `open ${i % 10}` }, { ms: (stamp += 1), ctr: 0 }, 1)
    }),
  )
  line(
    'load, read, drop',
    median(calls, () => readRegister(loadDoc(state))),
  )
  line(
    'editDoc: load, set one field, encode',
    median(calls, (i) => write(state, 1, { [uid(i % fields)]: i })),
  )
  line(
    'editDoc with register and hash',
    median(calls, (i) =>
      editDoc(state, 1, (doc) => {
        setEntries(doc, { [uid(i % fields)]: i }, { ms: (stamp += 1), ctr: 0 }, 1)
        return [readRegister(doc), logicalHash('r/o/x', doc)]
      }),
    ),
  )
  const { update } = write(state, 2, { [uid(3)]: 'theirs' })
  line(
    'mergeUpdate of one field',
    median(calls, () => mergeUpdate(state, update!)),
  )
  line(
    'mergeUpdate of one field, with register and hash',
    median(calls, () => mergeUpdate(state, update!, { read: (doc) => [readRegister(doc), logicalHash('r/o/x', doc)] })),
  )
  const fresh = write(null, 1, values(fields, 1)).state
  line(
    'new record: mergeUpdate, register, hash',
    median(calls, () => mergeUpdate(null, fresh, { read: (doc) => [readRegister(doc), logicalHash('r/o/x', doc)] })),
  )
  line(
    'new record as a document, register, hash',
    median(calls, () => read(openDocument('r/o/x', null).merge(fresh))),
  )
  line(
    'edit of one field as a document, register, hash',
    median(calls, (i) => read(openDocument('r/o/x', state).edit(editor, [(at) => at.set({ [uid(i % fields)]: i })]))),
  )
  line(
    'merge of one field as a document, register, hash',
    median(calls, () => read(openDocument('r/o/x', state).merge(update!))),
  )
  line(
    'create: editDoc of all fields',
    median(calls, () => write(null, 1, values(fields, 1))),
  )
}

console.log('\ntexts')
const words = Array.from({ length: 1_700 }, (_, i) => `word${(i * 31) % 700}`)
const text = editDoc(null, 1, (doc) => seedText(doc, words.join(' '))).state
const changed = words.map((word, i) => (i % 170 === 0 ? `${word}s` : word)).join(' ')
console.log(`${words.join(' ').length} characters, ${text.length} B`)
line(
  'ten scattered words as one write',
  median(100, () => editDoc(text, 2, (doc) => applyTextDiff(doc, changed))),
)
const other = words.map((_, i) => `other${i}`).join(' ')
line(
  'another text altogether',
  median(20, () => editDoc(text, 2, (doc) => applyTextDiff(doc, other))),
)

console.log('\ndigest')
const hash = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8])
const digest = createDigest()
line(
  'bucketOf',
  median(5_000, (i) => bucketOf(`r/${uid(1)}/${uid(i)}`)),
)
line(
  'count one document in',
  median(5_000, (i) => digest.toggle(i % 1_024, hash)),
)
line(
  'Y.Doc, made and dropped',
  median(5_000, () => new Y.Doc({ guid: '' })),
)
