// SQL of documents: their merged states, checked at every load, and what the digest needs of them. Rows in, rows out;
// knows nothing of what is in a document but how it is opened.
import { crc32 } from 'node:zlib'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { bucketOf, nameHash } from '#main/replication/core/digest.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { SyncDocument } from '#main/replication/core/sync-document.ts'

type Reader = Pick<Reads, 'all' | 'get'>

/** A document waits for its projection: the object is not known here, or cannot be changed now. */
export const needsProject = 1
/** A document holds something of an object or field that was removed: it is projected again should that come back. */
export const keepsRemoved = 2
/** Of a document that waits: the row has all of it but what nobody here can place yet. */
export const isPlaced = 4

/** Whether the row of a document is behind it: nothing tells what was written in the row, and what is missing there. */
export const isBehind = (flags: number): boolean => (flags & (needsProject | isPlaced)) === needsProject

/** What SQL makes of flags so that the document is projected again. */
export const flagged = `(flags | ${needsProject}) & ~${isPlaced}`

/** A stored document. */
export interface StoredDoc {
  readonly doc: number
  readonly state: Uint8Array
  /** Its logical hash, 8 bytes. */
  readonly lhash: Uint8Array
  readonly flags: number
}

/**
 * Loads a document; undefined when there is none.
 * @throws DocError `damaged_state` when the stored bytes are not the ones that were written
 */
export function readDoc(read: Pick<Reader, 'get'>, name: string): StoredDoc | undefined {
  const sql = 'SELECT doc, state, crc, lhash, flags FROM sync_doc WHERE name = ?'
  const found = read.get(statement<StoredRow>(sql, [name]))
  return found === undefined ? undefined : checked(name, found)
}

/** What is in a stored document; undefined when there is none. @throws DocError `damaged_state` */
export function readDocument(read: Pick<Reader, 'get'>, name: string): SyncDocument | undefined {
  const found = readDoc(read, name)
  return found === undefined ? undefined : openDocument(name, found.state)
}

type StoredRow = StoredDoc & { readonly crc: number }

function checked(name: string, row: StoredRow): StoredDoc {
  if (crc32(row.state) === row.crc) return row
  throw new DocError('damaged_state', `The document ${name} is damaged on disk.`, undefined, name)
}

/** The row of a document whatever is in it: what a repair takes the place of. */
export function readDamaged(read: Pick<Reader, 'get'>, name: string): StoredDoc | undefined {
  return read.get(statement<StoredDoc>('SELECT doc, state, lhash, flags FROM sync_doc WHERE name = ?', [name]))
}

/** Documents whose names begin with `prefix`, by name, after one of them. */
export function readNames(
  read: Pick<Reader, 'all'>,
  prefix: string,
  after: string,
  limit: number,
): { readonly name: string; readonly flags: number }[] {
  // Limits stand in the text: SQLite makes the plan of a statement anew each time one is bound.
  const sql = `SELECT name, flags FROM sync_doc WHERE name > ? AND name < ? ORDER BY name LIMIT ${limit}`
  return read.all(statement(sql, [after > prefix ? after : prefix, `${prefix}\u{10ffff}`]))
}

/** The logical hash of a document, in hexadecimal digits; undefined when there is none. */
export function readHash(read: Pick<Reader, 'get'>, name: string): string | undefined {
  const sql = 'SELECT lower(hex(lhash)) AS hash FROM sync_doc WHERE name = ?'
  return read.get(statement<{ hash: string }>(sql, [name]))?.hash
}

/** The hashes of the documents whose names begin with `prefix`, in hexadecimal digits. */
export function readHashes(read: Pick<Reader, 'all'>, prefix: string): Map<string, string> {
  const sql = 'SELECT name, lower(hex(lhash)) AS hash FROM sync_doc WHERE name > ? AND name < ?'
  const rows = read.all(statement<{ name: string; hash: string }>(sql, [prefix, `${prefix}\u{10ffff}`]))
  return new Map(rows.map(({ name, hash }) => [name, hash]))
}

/** Uids of the fields of a record that have a long text, or had one. */
export function textFieldsOf(read: Pick<Reader, 'all'>, object: string, record: string): Set<string> {
  const prefix = `t/${object}/${record}/`
  return new Set(readNames(read, prefix, '', 1_000).map(({ name }) => name.slice(prefix.length)))
}

/** The hashes of the long texts of a record as they are stored, by the uid of their field, in hexadecimal digits. */
export function textHashes(read: Pick<Reader, 'all'>, object: string, record: string): Record<string, string> {
  const prefix = `t/${object}/${record}/`
  const sql = 'SELECT name, lower(hex(lhash)) AS hash FROM sync_doc WHERE name > ? AND name < ? ORDER BY name'
  const rows = read.all(statement<{ name: string; hash: string }>(sql, [prefix, `${prefix}\u{10ffff}`]))
  return Object.fromEntries(rows.map(({ name, hash }) => [name.slice(prefix.length), hash]))
}

/** A long text of a record as it is stored. */
export interface StoredText extends StoredDoc {
  /** Uid of its field. */
  readonly field: string
  readonly document: SyncDocument
}

/**
 * The long texts of a record, former ones too, or those of some fields.
 * @throws DocError `damaged_state`
 */
export function readTexts(
  read: Pick<Reader, 'all'>,
  { object, record }: { readonly object: string; readonly record: string },
  fields?: { has(uid: string): boolean },
): StoredText[] {
  const prefix = `t/${object}/${record}/`
  const sql = `SELECT doc, name, state, crc, lhash, flags FROM sync_doc WHERE name > ? AND name < ? ORDER BY name LIMIT 1000`
  const rows = read.all(statement<StoredRow & { name: string }>(sql, [prefix, `${prefix}\u{10ffff}`]))
  return rows.flatMap((row) => {
    const field = row.name.slice(prefix.length)
    if (fields?.has(field) === false) return []
    return [{ ...checked(row.name, row), field, document: openDocument(row.name, row.state) }]
  })
}

/** Which letters stand in the long texts of a record, by the uid of their field. @throws DocError `damaged_state` */
export function textLetters(
  read: Pick<Reader, 'all'>,
  object: string,
  record: string,
): Record<string, ReturnType<SyncDocument['letters']>> {
  const texts = readTexts(read, { object, record }).map(({ field, document }) => [field, document.letters()] as const)
  return Object.fromEntries(texts.filter(([, letters]) => Object.keys(letters).length > 0))
}

/** Whether there is a document of this name. */
export function hasDoc(read: Pick<Reader, 'get'>, name: string): boolean {
  return read.get(statement('SELECT 1 FROM sync_doc WHERE name = ?', [name])) !== undefined
}

/** Stores a document. @param before what {@link readDoc} gave; undefined for a new one */
export function putDoc(
  tx: Pick<Tx, 'run'>,
  name: string,
  before: StoredDoc | undefined,
  { state, lhash, flags }: Pick<StoredDoc, 'state' | 'lhash' | 'flags'>,
): void {
  const crc = crc32(state)
  if (before === undefined) {
    tx.run(
      statement(
        'INSERT INTO sync_doc (name, name_hash, bucket, state, crc, lhash, flags) VALUES (?, ?, ?, ?, ?, ?, ?)',
        [name, nameHash(name), bucketOf(name), state, crc, lhash, flags],
      ),
    )
    return
  }
  const sql = 'UPDATE sync_doc SET state = ?, crc = ?, lhash = ?, flags = ? WHERE doc = ?'
  tx.run(statement(sql, [state, crc, lhash, flags, before.doc]))
}

/** Sets or clears the flags of a document. */
export function putFlags(tx: Pick<Tx, 'run'>, doc: number, flags: number): void {
  tx.run(statement('UPDATE sync_doc SET flags = ? WHERE doc = ?', [flags, doc]))
}

/** Clears the flags of a document that did wait for its projection. */
export function clearFlags(tx: Pick<Tx, 'run'>, name: string): void {
  tx.run(statement('UPDATE sync_doc SET flags = 0 WHERE name = ? AND flags <> 0', [name]))
}

/** Names of flagged documents after one, in the order in which they came. */
export function readFlagged(read: Pick<Reader, 'all'>, after: number, limit: number): { doc: number; name: string }[] {
  const sql = `SELECT doc, name FROM sync_doc WHERE flags <> 0 AND doc > ? ORDER BY doc LIMIT ${limit}`
  return read.all(statement<{ doc: number; name: string }>(sql, [after]))
}

/** Long texts of a record whose rows are behind them, by the uid of their field. */
export function textsBehind(read: Pick<Reader, 'all'>, object: string, record: string): Set<string> {
  const prefix = `t/${object}/${record}/`
  const names = readNames(read, prefix, '', 1_000).filter(({ flags }) => isBehind(flags))
  return new Set(names.map(({ name }) => name.slice(prefix.length)))
}

/** The flags of a document; undefined when there is none. */
export function readFlags(read: Pick<Reader, 'get'>, name: string): number | undefined {
  return read.get(statement<{ flags: number }>('SELECT flags FROM sync_doc WHERE name = ?', [name]))?.flags
}

/** Whether a document waits for its projection. */
export function hasFlagged(read: Pick<Reader, 'get'>): boolean {
  return read.get(statement('SELECT 1 FROM sync_doc WHERE flags <> 0 LIMIT 1')) !== undefined
}

/** How many documents wait for their projection. */
export function countUnprojected(read: Pick<Reader, 'get'>): number {
  const sql = `SELECT count(*) AS n FROM sync_doc WHERE flags <> 0 AND flags & ${needsProject} <> 0`
  return read.get(statement<{ n: number }>(sql))!.n
}

/** The documents of a bucket, by name. */
export function readBucket(read: Pick<Reader, 'all'>, bucket: number): { name: string; lhash: Uint8Array }[] {
  const sql = 'SELECT name, lhash FROM sync_doc WHERE bucket = ? ORDER BY name'
  return read.all(statement<{ name: string; lhash: Uint8Array }>(sql, [bucket]))
}

/** All documents' buckets and hashes, in slices, for a digest made anew. */
export function walkHashes(
  read: Pick<Reads, 'slices'>,
): AsyncIterable<{ doc: number; bucket: number; lhash: Uint8Array }[]> {
  return read.slices<{ doc: number; bucket: number; lhash: Uint8Array }>((last) =>
    statement('SELECT doc, bucket, lhash FROM sync_doc WHERE doc > ? ORDER BY doc LIMIT 5000', [last?.doc ?? 0]),
  )
}

/** How many records of an object have a document. */
export function countRecordDocs(read: Pick<Reader, 'get'>, object: string): number {
  const sql = 'SELECT count(*) AS n FROM sync_doc WHERE name > ? AND name < ?'
  return read.get(statement<{ n: number }>(sql, [`r/${object}/`, `r/${object}0`]))!.n
}

/** The state of the roster, whatever its checksum; undefined before there is one. */
export function readRosterState(read: Pick<Reader, 'get'>): Uint8Array | undefined {
  const sql = "SELECT state FROM sync_doc WHERE name = 'w/roster' AND length(state) > 0"
  return read.get(statement<{ state: Uint8Array }>(sql))?.state
}
