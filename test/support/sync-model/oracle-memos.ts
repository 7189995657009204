// What people wrote into records whose definition changed under them is not lost: it stands in the row, somebody who had seen
// it wrote something else, it is a side of a conflict, or it waits in the documents of what was removed.
import { statement } from '#main/kernel/database.ts'
import { loadDoc } from '#main/replication/core/record-doc.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import { readRegister } from '#main/replication/core/register.ts'
import { readText } from '#main/replication/core/text-doc.ts'
import type { Written } from './host-journal.ts'
import { hadSeen } from './host-journal.ts'
import type { ModelMachine } from './host-machine.ts'
import type { MemoNote } from './memo-writer.ts'

/** Finds every word that is not lost with a database. @throws Error for the first one that is not to be found */
export function assertMemos(machine: ModelMachine, survivors: readonly Written[]): void {
  const written = survivors.flatMap((by) => by.memos.map((note) => ({ by, note })))
  for (const { by, note } of written) {
    if (isShown(machine, note) || isReplaced(survivors, by, note) || isListed(machine, note)) continue
    if (isKeptAside(machine, note)) continue
    throw new Error(`${note.word} of ${note.uid} in ${note.doc} is gone on ${machine.name}.`)
  }
}

function isShown(machine: ModelMachine, { doc, uid, word }: MemoNote): boolean {
  const [, object, record] = doc.split('/')
  const schema = machine.metadata.objectSchemas().find((one) => one.uid === object)
  const field = schema?.fields.find((one) => one.uid === uid)
  if (schema === undefined || field === undefined) return false
  const sql = `SELECT * FROM "${schema.table}" WHERE id = ?`
  const row = machine.plugin.read.get(statement<Record<string, unknown>>(sql, [record!]))
  return has(row?.[field.column], word)
}

/** Whether somebody who had seen it wrote the field without it; of what follows from a change, whoever made that agreed. */
function isReplaced(survivors: readonly Written[], by: Written, { doc, uid, word }: MemoNote): boolean {
  const text = `${doc.replace(/^r/, 't')}/${uid}`
  return survivors.some((later) => {
    if (later === by || !hadSeen(later, by)) return false
    const own = later.memos.filter((one) => one.doc === doc && one.uid === uid)
    if (own.length > 0) return own.some(({ whole }) => !has(whole, word))
    return later.docs.some(
      (one) => one.doc === text || (one.doc === doc && one.entries.some(([key]) => parseKey(key).uid === uid)),
    )
  })
}

function isListed(machine: ModelMachine, { doc, word }: MemoNote): boolean {
  const record = doc.split('/')[2]!
  const sql = 'SELECT winner, losers FROM sync_conflict WHERE record_id = ?'
  const found = machine.plugin.read.all(statement<{ winner: string; losers: string }>(sql, [record]))
  return found.some(({ winner, losers }) => has(winner + losers, word))
}

/** In the documents of a field, or of an object, that is not there. */
function isKeptAside(machine: ModelMachine, { doc, uid, word }: MemoNote): boolean {
  const schema = machine.metadata.objectSchemas().find((one) => doc.startsWith(`r/${one.uid}/`))
  if (schema?.fields.some((one) => one.uid === uid) === true) return false
  const stateOf = (name: string): Uint8Array | null =>
    machine.plugin.read.get(statement<{ state: Uint8Array }>('SELECT state FROM sync_doc WHERE name = ?', [name]))
      ?.state ?? null
  const held = readRegister(loadDoc(stateOf(doc))).get(uid)
  const entries = held === undefined ? [] : [held.winner, ...held.losers]
  const text = stateOf(`${doc.replace(/^r/, 't')}/${uid}`)
  return entries.some(([, value]) => has(value, word)) || (text !== null && has(readText(loadDoc(text)), word))
}

function has(value: unknown, word: string): boolean {
  return typeof value === 'string' || typeof value === 'number' ? String(value).includes(word) : false
}
