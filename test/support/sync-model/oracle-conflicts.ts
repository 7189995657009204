// Which conflicts must be open of what was written, and which are. Knows registers and who had seen what.
import * as Y from 'yjs'
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import { statement } from '#main/kernel/database.ts'
import { syncedFields } from '#main/plugins/sync/write/synced-fields.ts'
import { loadDoc } from '#main/replication/core/record-doc.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import type { Register } from '#main/replication/core/register.ts'
import { compareEntries, readRegister } from '#main/replication/core/register.ts'
import { readText } from '#main/replication/core/text-doc.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import type { Written } from './host-journal.ts'
import { hadSeen } from './host-journal.ts'
import type { Machine } from './machine.ts'
import type { Rows } from './oracle-derived.ts'
import type { Mark } from './oracle-marks.ts'
import { isMark, stampOf, stateOf } from './stored-docs.ts'

/** Conflicts that follow from the log alone, as `kind doc field`. */
export function conflictsOf(
  machine: Machine,
  doc: string,
  found: {
    readonly register: Register
    readonly alive: ReadonlyMap<string, readonly Mark[]>
    /** All that was written to each long text that is here, refused or not. */
    readonly textWrites: readonly { readonly doc: string; readonly writes: readonly Written[] }[]
  },
): string[] {
  const { register, alive, textWrites } = found
  const schema = machine.metadata.objectSchemas().find(({ uid }) => doc.startsWith(`r/${uid}/`))!
  const fields = new Map(syncedFields(schema).merged.map(({ uid, merge }) => [uid, merge]))
  const conflicts = new Set<string>()
  const winnerOf = (key: string): Mark | undefined => {
    const winner = register.get(key)?.winner
    return alive.get(key)?.find(({ entry }) => winner !== undefined && stampOf(entry) === stampOf(winner))
  }
  const isPurged = isMark(register.get('_purge')?.winner[1])
  for (const [key, marks] of alive) {
    const { uid, part } = parseKey(key)
    const merge = fields.get(uid)
    if (isPurged || merge === undefined || (merge === 'latest' && part !== null)) continue
    if (new Set(marks.map(({ entry }) => JSON.stringify(entry[1]))).size > 1) conflicts.add(`field ${doc} ${uid}`)
  }
  const mark = ['_purge', '_del'].map(winnerOf).find((one) => isMark(one?.entry[1]))
  if (mark !== undefined) {
    const unseen = [...alive.keys()]
      // A number is given to a record, whether somebody deleted it or not: nobody edited it.
      .filter((key) => !key.startsWith('_') && schema.fields.find(({ uid }) => uid === key)?.type !== 'autonumber')
      .filter((key) => {
        const { by } = winnerOf(key)!
        return by !== mark.by && !hadSeen(mark.by, by)
      })
    // Of one that is gone for good whoever removed it emptied what they had seen: a letter that is left was written meanwhile.
    const isUnseen = (name: string, writes: readonly Written[]): boolean =>
      isPurged ? readText(loadDoc(stateOf(machine, name))) !== '' : isOtherText(machine, name, writes, mark.by)
    const isTextUnseen = textWrites.some(
      ({ doc: name, writes }) => name.startsWith(`t/${doc.slice(2)}/`) && isUnseen(name, writes),
    )
    const restored = winnerOf('_del')
    const isRestoreUnseen =
      isPurged && restored?.entry[1] === null && restored.by !== mark.by && !hadSeen(mark.by, restored.by)
    if (unseen.length > 0 || isTextUnseen || isRestoreUnseen) conflicts.add(`delete_edit ${doc} `)
  }
  // One deleted the record, and another one, who did not know, brought it back.
  const endings = isPurged ? [] : (alive.get('_del') ?? []).map(({ entry }) => isMark(entry[1]))
  if (new Set(endings).size > 1) conflicts.add(`delete_edit ${doc} `)
  // The same where somebody who knew of a restore removed it for good, while it was brought back from another removal.
  const isOver = ['_purge', '_del'].some((key) => isMark(register.get(key)?.winner[1]))
  const back = winnerOf('_del')
  const isKnown = ({ by }: Mark): boolean => back === undefined || by === back.by || hadSeen(by, back.by)
  if (!isOver && (alive.get('_purge') ?? []).some((one) => isMark(one.entry[1]) && isKnown(one)))
    conflicts.add(`delete_edit ${doc} `)
  return [...conflicts]
}

/** Whether a long text is another one than what an author had seen of it. */
function isOtherText(machine: Machine, doc: string, writes: readonly Written[], by: Written): boolean {
  const seen = new Y.Doc()
  for (const one of writes.filter((each) => each === by || hadSeen(by, each)))
    for (const { doc: name, update } of one.docs) if (name === doc) Y.applyUpdate(seen, update)
  return readText(seen) !== readText(loadDoc(stateOf(machine, doc)))
}

/** The conflicts about parts that stand above each other: one for each ring, of the part that was placed last. */
export function ringsOf(machine: Machine, parts: Rows): string[] {
  const schema = machine.metadata.objectSchema('part')!
  const { uid, column } = schema.byName.get('above')!
  const stampOfLink = (id: string): RegisterEntry =>
    readRegister(loadDoc(stateOf(machine, `r/${schema.uid}/${id}`))).get(uid)!.winner
  const aboveOf = (id: string): string | undefined => {
    const row = parts.get(id)
    return row === undefined || row['deleted_at'] !== null ? undefined : ((row[column] as string | null) ?? undefined)
  }
  const rings = new Set<string>()
  for (const id of parts.keys()) {
    const way: string[] = []
    for (let at: string | undefined = id; at !== undefined && !way.includes(at); at = aboveOf(at)) way.push(at)
    if (aboveOf(way.at(-1)!) === id) rings.add(way.toSorted().join(' '))
  }
  return [...rings].map((ring) => {
    const [last] = ring.split(' ').toSorted((a, b) => compareEntries(stampOfLink(b), stampOfLink(a)))
    return `cycle r/${schema.uid}/${last} ${uid}`
  })
}

/** The open conflicts of a machine, each as what is compared of it. */
export function openConflicts(
  machine: Machine,
): { kind: string; doc: string; key: string; text: string; words: string }[] {
  const sql = `SELECT id, kind, doc, field, winner, losers FROM sync_conflict WHERE state = 'open' ORDER BY id`
  const rows = machine.plugin.read.all(
    statement<{ id: string; kind: string; doc: string; field: string; winner: string; losers: string }>(sql),
  )
  return rows.map(({ id, kind, doc, field, winner, losers }) => ({
    kind,
    doc,
    key: `${kind} ${doc} ${field}`,
    words: `${kind} ${doc} ${JSON.stringify(losersOf(losers))}`,
    text: `${kind} ${doc} ${field} ${winner} ${canonicalJson((JSON.parse(losers) as unknown[]).map((one) => canonicalJson(one)).sort())} ${id}`,
  }))
}

/** What people wrote that gave way: of words only the text, of other members of a task its note. */
function losersOf(losers: string): string[] {
  const values = (JSON.parse(losers) as { value: { text?: unknown; note?: unknown } | boolean | null }[]).map(
    ({ value }) => (typeof value === 'object' && value !== null ? (value.text ?? value.note) : value),
  )
  return values.map((value) => JSON.stringify(value)).sort()
}
