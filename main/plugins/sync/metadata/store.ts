// SQL of the table of metadata documents: rows in, rows out. No rule of sync is here.
import type { Actor } from '#shared/events.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { flagged } from '../store/doc-store.ts'
import type { NameClaim, Shown } from './item-entries.ts'

/** A metadata document by the parts of its name. */
export interface DocKey {
  readonly type: string
  readonly uid: string
}

/** What is known here of a metadata document. */
export interface MetadataRow extends DocKey, NameClaim {
  readonly isDeleted: boolean
  /** The item as it is stored here; null when it is not. */
  readonly shown: Shown | null
  /** How many changes are not stored here yet, or more; 0 when it is as the document says. */
  readonly due: number
  readonly reason: string | null
  readonly since: string | null
  readonly actor: Actor | null
}

interface Row extends DocKey {
  wanted: string
  stamp: string
  deleted: number
  shown: string | null
  due: number
  reason: string | null
  since: string | null
  actor: string | null
}

const columns = 'type, uid, wanted, stamp, deleted, shown, due, reason, since, actor'

/** One document; undefined when there is none. */
export function readRow(read: Pick<Reads, 'get'>, { type, uid }: DocKey): MetadataRow | undefined {
  const row = read.get(statement<Row>(`SELECT ${columns} FROM sync_metadata WHERE type = ? AND uid = ?`, [type, uid]))
  return row === undefined ? undefined : toRow(row)
}

/** What is due, the longest wait first. */
export function readDue(read: Pick<Reads, 'all'>): MetadataRow[] {
  return read
    .all(statement<Row>(`SELECT ${columns} FROM sync_metadata WHERE due <> 0 ORDER BY since, type, uid`))
    .map(toRow)
}

/** Whether anything is due. */
export function hasDue(read: Pick<Reads, 'get'>): boolean {
  return read.get(statement('SELECT 1 FROM sync_metadata WHERE due <> 0 LIMIT 1')) !== undefined
}

/** How many documents are not stored here as they are. */
export function countDue(read: Pick<Reads, 'get'>): number {
  return read.get(statement<{ n: number }>('SELECT count(*) AS n FROM sync_metadata WHERE due <> 0'))!.n
}

/** The names the documents of a type ask for; deleted ones ask for none. */
export function readClaims(read: Pick<Reads, 'all'>, type: string): (NameClaim & { readonly isShown: boolean })[] {
  const sql = `SELECT uid, wanted, stamp, shown IS NOT NULL AS isShown FROM sync_metadata
    WHERE type = ? AND deleted = 0 AND wanted <> ''`
  return read
    .all(statement<NameClaim & { isShown: number }>(sql, [type]))
    .map((row) => ({ ...row, isShown: row.isShown === 1 }))
}

/** Notes what a document asks for. */
export function putClaim(
  tx: Pick<Tx, 'run'>,
  { type, uid }: DocKey,
  { wanted, stamp, isDeleted }: Pick<MetadataRow, 'wanted' | 'stamp' | 'isDeleted'>,
): void {
  const sql = `INSERT INTO sync_metadata (type, uid, wanted, stamp, deleted, due) VALUES (?, ?, ?, ?, ?, 0)
    ON CONFLICT (type, uid) DO UPDATE SET wanted = excluded.wanted, stamp = excluded.stamp, deleted = excluded.deleted`
  tx.run(statement(sql, [type, uid, wanted, stamp, isDeleted ? 1 : 0]))
}

/** Notes how the item is stored here. */
export function putShown(tx: Pick<Tx, 'run'>, { type, uid }: DocKey, shown: Shown | null): void {
  const text = shown === null ? null : JSON.stringify(shown)
  tx.run(statement('UPDATE sync_metadata SET shown = ? WHERE type = ? AND uid = ?', [text, type, uid]))
}

/** Notes that a document is not stored here as it is; `actor` made the change, null keeps who did before. */
export function markDue(tx: Pick<Tx, 'run'>, { type, uid }: DocKey, actor: Actor | null, at: string): void {
  const sql = `UPDATE sync_metadata
    SET due = due + 1, since = coalesce(since, ?), actor = coalesce(?, actor) WHERE type = ? AND uid = ?`
  tx.run(statement(sql, [at, actor === null ? null : JSON.stringify(actor), type, uid]))
}

/** Notes that nothing is due any more, unless something came in since `due` was read. */
export function clearDue(tx: Pick<Tx, 'run'>, { type, uid, due }: Pick<MetadataRow, 'type' | 'uid' | 'due'>): void {
  const sql = 'UPDATE sync_metadata SET due = 0, reason = NULL, since = NULL WHERE type = ? AND uid = ? AND due = ?'
  tx.run(statement(sql, [type, uid, due]))
}

/** Notes why a document cannot be stored here. */
export function putReason(tx: Pick<Tx, 'run'>, { type, uid }: DocKey, reason: string): void {
  tx.run(statement('UPDATE sync_metadata SET reason = ? WHERE type = ? AND uid = ? AND due <> 0', [reason, type, uid]))
}

/** Documents stored here that mention a uid. */
export function readReferrers(read: Pick<Reads, 'all'>, uid: string): DocKey[] {
  const sql = 'SELECT type, uid FROM sync_metadata WHERE shown IS NOT NULL AND instr(shown, ?) > 0'
  return read.all(statement<DocKey>(sql, [`uid_${uid}`]))
}

/** Documents that are stored here as items, or were when somebody last noted it. */
export function readStored(read: Pick<Reads, 'all'>): DocKey[] {
  return read.all(statement<DocKey>('SELECT type, uid FROM sync_metadata WHERE shown IS NOT NULL ORDER BY type, uid'))
}

/** Live documents of parts of an object, but for the overlay over it, in the order of their types and uids. */
export function readParts(read: Pick<Reads, 'all'>, object: string): DocKey[] {
  const sql = `SELECT type, uid FROM sync_metadata WHERE deleted = 0 AND substr(wanted, 1, ?) = ? ORDER BY type, uid`
  const mark = `uid_${object}.`
  return read.all(statement<DocKey>(sql, [mark.length, mark]))
}

/** Removed documents of parts of an object. */
export function readRemovedParts(read: Pick<Reads, 'all'>, object: string): DocKey[] {
  const sql = 'SELECT type, uid FROM sync_metadata WHERE deleted = 1 AND substr(wanted, 1, ?) = ?'
  const mark = `uid_${object}.`
  return read.all(statement<DocKey>(sql, [mark.length, mark]))
}

/** The object, by uid, that the item of a document is a part of; null where it is none. */
export function objectOfPart(read: Pick<Reads, 'get'>, key: DocKey): string | null {
  return /^uid_([0-9a-f]{32})[.]/.exec(readRow(read, key)?.wanted ?? '')?.[1] ?? null
}

/** The name a document asked for last, without a mark; null where it has none, as overlays. */
export function lastName(read: Pick<Reads, 'get'>, { type, uid }: DocKey): string | null {
  const wanted = readRow(read, { type, uid })?.wanted ?? ''
  const object = objectOfPart(read, { type, uid })
  if (object === null) return wanted === '' ? null : wanted
  return (readRow(read, { type: 'object', uid: object })?.wanted ?? object) + wanted.slice(wanted.indexOf('.'))
}

/** Live documents of parts of an object that are not stored here. */
export function readHiddenParts(read: Pick<Reads, 'all'>, object: string): DocKey[] {
  const sql = `SELECT type, uid FROM sync_metadata WHERE shown IS NULL AND deleted = 0 AND
    (substr(wanted, 1, ?) = ? OR (type = 'overlay' AND uid = ?))`
  const mark = `uid_${object}.`
  return read.all(statement<DocKey>(sql, [mark.length, mark, `object.${object}`]))
}

/**
 * Has the documents of an object's records projected again: the table or column that is made anew has nothing of what they
 * hold.
 */
export function flagRecords(tx: Pick<Tx, 'run'>, object: string): void {
  const sql = `UPDATE sync_doc SET flags = ${flagged} WHERE name >= ? AND name < ?`
  for (const letter of ['r', 't']) tx.run(statement(sql, [`${letter}/${object}/`, `${letter}/${object}0`]))
}

/** Has one record looked at again. */
export function flagRecord(tx: Pick<Tx, 'run'>, doc: string): void {
  tx.run(statement(`UPDATE sync_doc SET flags = ${flagged} WHERE name = ?`, [doc]))
}

/** Has the records of an object looked at again that are listed for a value that was to be unique, or breaks a limit. */
export function flagListed(tx: Pick<Tx, 'run'>, object: string, kind: 'unique' | 'validation'): void {
  const listed = "SELECT doc FROM sync_conflict WHERE object = ? AND kind = ? AND state = 'open'"
  tx.run(statement(`UPDATE sync_doc SET flags = ${flagged} WHERE name IN (${listed})`, [object, kind]))
}

function toRow({ deleted, shown, actor, ...rest }: Row): MetadataRow {
  return {
    ...rest,
    isDeleted: deleted === 1,
    shown: shown === null ? null : (JSON.parse(shown) as Shown),
    actor: actor === null ? null : (JSON.parse(actor) as Actor),
  }
}
