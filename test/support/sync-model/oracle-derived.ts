// What follows from what people wrote and nobody writes: numbers of records, sums that several machines add to, summaries
// and formulas. Worked out from the steps and the rows, not from the documents.
import type { ObjectSchema } from '#shared/object-schema.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import { readSum } from '#main/replication/core/register-patches.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import type { Written } from './host-journal.ts'
import { hadSeen } from './host-journal.ts'
import type { Machine } from './machine.ts'
import { same } from './oracle-marks.ts'

/** Rows by id. */
export type Rows = ReadonlyMap<string, Record<string, unknown>>

/** A row without what counts only where the record was live last: summaries of the trash, and what is made of them. */
export function shownIn(schema: ObjectSchema, row: Record<string, unknown>): Record<string, unknown> {
  if (row['deleted_at'] === null) return row
  const summaries = new Set(schema.fields.filter(({ type }) => type === 'summary').map(({ name }) => name))
  const isOfSummary = ({ type, settings }: ObjectSchema['fields'][number]): boolean =>
    type === 'summary' || [...summaries].some((name) => JSON.stringify(settings.expression ?? '').includes(name))
  const left = new Set(schema.fields.filter(isOfSummary).map(({ column }) => column))
  return Object.fromEntries(Object.entries(row).filter(([column]) => !left.has(column)))
}

/** Summaries are what the records they sum up say, and formulas what the fields they are made of say. */
export function assertDerived(machine: Machine, dump: ReadonlyMap<string, Rows>): void {
  const items = [...(dump.get('item') ?? new Map()).values()] as readonly Record<string, unknown>[]
  for (const [id, row] of dump.get('part') ?? []) {
    const { size, double } = row
    same(`double of ${id} on ${machine.name}`, double, size === null ? null : Number(size) * 2)
    if (row['deleted_at'] !== null) continue
    const own = items.filter(({ part, deleted_at: deleted }) => part === id && deleted === null)
    const total = own.reduce((sum, item) => sum + Number(item['size']), 0)
    same(`total of ${id} on ${machine.name}`, [row['total'], row['twice']], [total, total * 2])
  }
}

/**
 * Each record has a number, and no other one has it, but where a machine forgot which ones it had given.
 * @param given `numbered`: documents of the machine that gives numbers; `isCounterLost`: whether an older database came back
 * there
 */
export function assertNumbers(
  machine: Machine,
  dump: ReadonlyMap<string, Rows>,
  { numbered, isCounterLost }: { readonly numbered: ReadonlySet<string>; readonly isCounterLost: boolean },
): void {
  const { uid } = machine.metadata.objectSchema('part')!
  const numbers = [...(dump.get('part') ?? [])]
    .filter(([id]) => numbered.has(`r/${uid}/${id}`))
    .map(([id, { no }]) => ({ id, no: String(no) }))
  const without = numbers.filter(({ no }) => !/^P-\d{4}$/.test(no))
  same(`records without a number on ${machine.name}`, without, [])
  if (!isCounterLost)
    same(`numbers given twice on ${machine.name}`, new Set(numbers.map(({ no }) => no)).size, numbers.length)
}

/**
 * A sum is all that anybody added. Of a record that was removed for good nobody sees one: what is left is all that those added
 * who wrote without knowing of it, as each machine says its share as a whole.
 * Whoever brings it back says once more what they had seen of it.
 */
export function assertStock(
  machine: Machine,
  doc: string,
  register: Register,
  writes: readonly Written[],
  emptied: readonly Written[],
): void {
  const uid = machine.metadata.objectSchema('part')!.byName.get('stock')!.uid
  const comebacks = writes.filter((one) => one.isComeback && !emptied.some((other) => hadSeen(other, one)))
  const isUnseen = (one: Written): boolean =>
    !emptied.some((other) => hadSeen(other, one)) || comebacks.some((other) => hadSeen(other, one))
  const isShare = ({ docs }: Written): boolean =>
    docs.every((one) => one.doc !== doc || one.entries.every(([key]) => key !== uid))
  const adders = new Set(writes.filter((one) => isUnseen(one) && growsIn(one, doc)).map(({ inc }) => inc))
  const kept = writes.filter((one) => isUnseen(one) || (adders.has(one.inc) && isShare(one)))
  const added = kept.flatMap(({ notes }) => notes.filter((note) => note.doc === doc).map(({ grown }) => grown ?? 0))
  const parts = new Map([...register].filter(([key]) => parseKey(key).uid === uid))
  const shares = new Map([...parts].map(([key, { winner }]): [string, Json] => [key, winner[1]]))
  const base = shares.get(uid)
  shares.delete(uid)
  same(
    `stock of ${doc}`,
    readSum({ uid, base, parts: shares }) ?? 0,
    added.reduce((sum, one) => sum + one, 0),
  )
}

/** Whether an envelope adds to the stock of a record. */
function growsIn({ notes }: Written, doc: string): boolean {
  return notes.some((note) => note.doc === doc && note.grown !== undefined)
}
