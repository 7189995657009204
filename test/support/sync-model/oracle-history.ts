// Nothing of what somebody was told is stored is lost: it stands in the row, it is a side of a conflict, the changelog of the
// record has it, or it waits in the documents of what was removed. And what the changelog tells of leads from nothing to
// what the row says. Knows what people meant, no merging.
import { statement } from '#main/kernel/database.ts'
import { loadDoc } from '#main/replication/core/record-doc.ts'
import { readRegister } from '#main/replication/core/register.ts'
import { readText } from '#main/replication/core/text-doc.ts'
import type { Written } from './host-journal.ts'
import { hadSeen } from './host-journal.ts'
import type { Machine } from './machine.ts'
import type { Rows } from './oracle-derived.ts'
import { same } from './oracle-marks.ts'
import { docNames, stateOf } from './stored-docs.ts'

/** Words by record. */
type Words = Map<string, Set<string>>

/** Types of fields whose values are compared as they are stored. */
const compared: ReadonlySet<string> = new Set(['text', 'number', 'markdown', 'lookup', 'autonumber'])

/**
 * Looks for every word that was written.
 * @param gone records that are gone for good, and those that were until they were brought back, without their changelog
 * @throws Error for the first that is lost
 */
export function assertNothingLost(
  machine: Machine,
  survivors: readonly Written[],
  dump: ReadonlyMap<string, Rows>,
  { purged, back }: { readonly purged: ReadonlySet<string>; readonly back: ReadonlySet<string> },
): void {
  const found = wordsOf(machine, dump)
  for (const one of survivors) {
    const { intents, memos, machine: by } = one
    const said = [
      ...intents.flatMap(({ doc, values }) => Object.entries(values).map(([uid, word]) => ({ doc, uid, word }))),
      ...memos,
    ]
    for (const { doc, uid, word } of said) {
      const id = doc.split('/')[2]!
      if (!doc.startsWith('r/') || purged.has(id) || found.get(id)?.has(String(word)) === true) continue
      if (keptOfRemoved(machine, doc).has(String(word))) continue
      const wasInNoRow =
        back.has(id) ||
        !isThere(machine, doc, uid) ||
        cameBeforeField(machine, id, uid) ||
        isNoNumber(machine, { doc, uid, word })
      if (wasInNoRow && isReplaced(survivors, one, doc, uid)) continue
      throw new Error(`${String(word)} of ${uid}, which ${by} wrote to ${doc}, is gone on ${machine.name}.`)
    }
  }
}

/** Every word that a machine shows of a record: in its row, its conflicts and its changelog. */
function wordsOf(machine: Machine, dump: ReadonlyMap<string, Rows>): Words {
  const { read } = machine.plugin
  const words: Words = new Map()
  const add = (id: string, text: string): void => {
    const known = words.get(id) ?? new Set()
    words.set(id, known)
    for (const word of wordsIn(text)) known.add(word)
  }
  for (const rows of dump.values()) for (const [id, row] of rows) add(id, Object.values(row).join(' '))
  const facts = 'SELECT record_id AS id, changes FROM feed_fact'
  for (const { id, changes } of read.all(statement<{ id: string; changes: string }>(facts))) add(id, changes)
  const sides = 'SELECT record_id AS id, winner || losers AS text FROM sync_conflict'
  for (const { id, text } of read.all(statement<{ id: string; text: string }>(sides))) add(id, text)
  return words
}

/**
 * Whether somebody who had seen a value wrote another one in its place: a machine that got both after it had removed the
 * field or given it a type that neither fits, or before it had its definition, has no changelog to show the first one in.
 */
function isReplaced(survivors: readonly Written[], one: Written, doc: string, uid: string): boolean {
  return survivors.some(
    (other) =>
      other !== one &&
      hadSeen(other, one) &&
      other.docs.some((part) => part.doc === doc && part.entries.some(([key]) => key === uid)),
  )
}

/** Whether the machine has the first value of a field from the arrival of its definition: what came before had no field to change (D-356). */
function cameBeforeField(machine: Machine, id: string, uid: string): boolean {
  const sql = `SELECT changes FROM feed_fact WHERE record_id = ? AND actor_type = 'system' AND source = 'sync'`
  const facts = machine.plugin.read.all(statement<{ changes: string }>(sql, [id]))
  return facts.some(({ changes }) => (JSON.parse(changes) as Record<string, unknown[]>)[uid]?.[0] === null)
}

/** Whether a field is one of numbers by now and a word is none: the row of this machine never had it. */
function isNoNumber(
  machine: Machine,
  { doc, uid, word }: { readonly doc: string; readonly uid: string; readonly word: unknown },
): boolean {
  const schema = machine.metadata.objectSchemas().find((one) => one.uid === doc.split('/')[1])
  return schema?.fields.find((field) => field.uid === uid)?.type === 'number' && Number.isNaN(Number(word))
}

function isThere(machine: Machine, doc: string, field: string): boolean {
  const schema = machine.metadata.objectSchemas().find(({ uid }) => uid === doc.split('/')[1])
  return schema?.fields.some(({ uid }) => uid === field) === true
}

/** What the documents of a record say of fields that are not there any more, or whose object is not. */
function keptOfRemoved(machine: Machine, doc: string): ReadonlySet<string> {
  const isGone = (field: string): boolean => !isThere(machine, doc, field)
  const texts = docNames(machine)
    .filter((name) => name.startsWith(`${doc.replace(/^r/, 't')}/`) && isGone(name.split('/')[3]!))
    .map((name) => readText(loadDoc(stateOf(machine, name))))
  const values = [...readRegister(loadDoc(stateOf(machine, doc)))]
    .filter(([key]) => isGone(key))
    .map(([, { winner, losers }]) => JSON.stringify([winner, ...losers]))
  return new Set([...texts, ...values].flatMap(wordsIn))
}

function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Of each value, the changelog of a record came to it once more often than it left it: that is what the row says. */
export function assertChangelog(machine: Machine, object: string, rows: Rows): void {
  const schema = machine.metadata.objectSchema(object)!
  const fields = schema.fields.filter(({ type }) => compared.has(type))
  const sql = 'SELECT record_id AS id, changes FROM feed_fact WHERE object = ?'
  const facts = machine.plugin.read.all(statement<{ id: string; changes: string }>(sql, [schema.uid]))
  const byRecord = Map.groupBy(facts, ({ id }) => id)
  for (const [id, row] of rows) {
    const changes = (byRecord.get(id) ?? []).map((fact) => JSON.parse(fact.changes) as Record<string, unknown[]>)
    for (const { uid, name, column } of fields) {
      const balance = new Map<unknown, number>()
      const count = (value: unknown, by: number): void => void balance.set(value, (balance.get(value) ?? 0) + by)
      for (const { [uid]: change } of changes) {
        if (change === undefined) continue
        count(change[0], -1)
        count(change[1], 1)
      }
      const left = [...balance].filter(([value, times]) => times !== 0 && value !== null)
      same(`changelog of ${name} of ${id} on ${machine.name}`, left, row[column] === null ? [] : [[row[column], 1]])
    }
  }
}
