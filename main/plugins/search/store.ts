// SQL of the search indexes: one contentless FTS5 table per object with a table of its stale documents, and the
// registry of them. Texts come in folded.
//
// Contentless, because the record's row is the content and a second copy would double the file. Documents leave the
// index by the `delete` command with the texts they were indexed with: unlike `contentless_delete` tables this honours
// `secure-delete`, so that a purged record's words are gone from the file (F11, D4). The `ascii` tokenizer only splits
// and folds ASCII; everything else was done before, by rules that do not depend on SQLite's Unicode tables.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { SearchColumn } from './service/search-document.ts'

/** An index as the registry has it. */
export interface IndexEntry {
  readonly objectUid: string
  readonly object: string
  readonly objectTable: string
  readonly hash: string
  readonly columns: readonly SearchColumn[]
  /** Last row number indexed while the index is being built; null once it is complete. */
  readonly builtTo: number | null
}

interface EntryRow {
  object_uid: string
  object: string
  object_table: string
  hash: string
  columns: string
  built_to: number | null
}

/** Weight of the display field in the ranking; other columns weigh 1. */
const displayWeight = 4

/** A document of a record that a newer one has replaced, and the texts it is indexed with. */
export interface StaleDocument {
  readonly doc: number
  readonly texts: readonly string[]
}

/** Documents a record may have one after the other before its number is used from the start again: 2^5. */
export const generations = 32

/** SQL that answers the row number of a document's record. */
const rowOfDocument = `rowid >> 5`

/** The number of a record's first document. */
export function firstDocument(row: number): number {
  return row * generations
}

/** The FTS5 table of an object; named by uid, so a rename of the object leaves it alone. */
export function indexTable(objectUid: string): string {
  return `search_${objectUid}`
}

/** The table of an object's stale documents. */
export function staleTable(objectUid: string): string {
  return `search_${objectUid}_stale`
}

/** The FTS5 column of the searched column at a position. */
export function indexColumn(position: number): string {
  return `f${position}`
}

/** Reads the registry row of an object. */
export function readEntry(read: Pick<Reads, 'get'>, objectUid: string): IndexEntry | undefined {
  const row = read.get<EntryRow>(statement(`SELECT * FROM search_index WHERE object_uid = ?`, [objectUid]))
  return row === undefined ? undefined : toEntry(row)
}

/** Reads the whole registry. */
export function readEntries(read: Pick<Reads, 'all'>): IndexEntry[] {
  return read.all<EntryRow>(statement(`SELECT * FROM search_index ORDER BY object_uid`)).map(toEntry)
}

/** Stores the registry row of an object. */
export function writeEntry(tx: Tx, entry: IndexEntry): void {
  const { objectUid, object, objectTable, hash, columns, builtTo } = entry
  tx.run(
    statement(
      `INSERT OR REPLACE INTO search_index (object_uid, object, object_table, hash, columns, built_to)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [objectUid, object, objectTable, hash, JSON.stringify(columns), builtTo],
    ),
  )
}

/** Records how far an index is built. */
export function writeProgress(tx: Tx, objectUid: string, builtTo: number | null): void {
  tx.run(statement(`UPDATE search_index SET built_to = ? WHERE object_uid = ?`, [builtTo, objectUid]))
}

/** Makes an empty index. @param display position of the display field, -1 when it is not searched */
export function createIndex(tx: Tx, objectUid: string, columnCount: number, display: number): void {
  const table = indexTable(objectUid)
  const columns = Array.from({ length: columnCount }, (_, position) => indexColumn(position))
  const weights = columns.map((_, position) => (position === display ? displayWeight : 1).toFixed(1))
  tx.ddl(`CREATE VIRTUAL TABLE "${table}" USING fts5(${columns.join(', ')}, content='', tokenize='ascii')`)
  tx.ddl(`CREATE TABLE "${staleTable(objectUid)}" (doc INTEGER PRIMARY KEY, texts TEXT NOT NULL) STRICT`)
  tx.run(statement(`INSERT INTO "${table}"("${table}", rank) VALUES ('secure-delete', 1)`))
  turnOffAutomerge(tx, objectUid)
  tx.run(statement(`INSERT INTO "${table}"("${table}", rank) VALUES ('rank', 'bm25(${weights.join(', ')})')`))
}

/** Leaves the merging of an index to {@link mergeSegments}. */
export function turnOffAutomerge(tx: Tx, objectUid: string): void {
  const table = indexTable(objectUid)
  tx.run(statement(`INSERT INTO "${table}"("${table}", rank) VALUES ('automerge', 0)`))
}

/** Whether FTS5 merges an index by itself, as those did that older programs made. */
export function hasAutomerge(read: Pick<Reads, 'get'>, objectUid: string): boolean {
  const sql = `SELECT v FROM "${indexTable(objectUid)}_config" WHERE k = 'automerge'`
  return read.get<{ v: number }>(statement(sql))?.v !== 0
}

/** Merges segments where four or more have gathered, and stops after so many pages. */
export function mergeSegments(tx: Tx, objectUid: string, pages: number): void {
  const table = indexTable(objectUid)
  tx.run(statement(`INSERT INTO "${table}"("${table}", rank) VALUES ('merge', ?)`, [pages]))
}

/** Removes an index and its registry row. */
export function dropIndex(tx: Tx, objectUid: string): void {
  tx.ddl(`DROP TABLE IF EXISTS "${indexTable(objectUid)}"`)
  tx.ddl(`DROP TABLE IF EXISTS "${staleTable(objectUid)}"`)
  tx.run(statement(`DELETE FROM search_index WHERE object_uid = ?`, [objectUid]))
}

/** The numbers a record has used: its newest document in the index, and the highest one that is stale; null for none. */
export interface UsedNumbers {
  readonly newest: number | null
  readonly stale: number | null
}

/** Reads the numbers in use. Reads FTS5's table of document sizes, whose key is the document. */
export function readNumbers(read: Pick<Reads, 'get'>, objectUid: string, row: number): UsedNumbers {
  const first = firstDocument(row)
  const last = first + generations - 1
  const newest = `SELECT max(id) FROM "${indexTable(objectUid)}_docsize" WHERE id BETWEEN ? AND ?`
  const stale = `SELECT max(doc) FROM "${staleTable(objectUid)}" WHERE doc BETWEEN ? AND ?`
  const sql = `SELECT (${newest}) AS newest, (${stale}) AS stale`
  return read.get<UsedNumbers>(statement(sql, [first, last, first, last]))!
}

/** The lowest number of a record that no stale document has. */
export function lowestFreeNumber(read: Pick<Reads, 'all'>, objectUid: string, row: number): number {
  const first = firstDocument(row)
  const sql = `SELECT doc FROM "${staleTable(objectUid)}" WHERE doc BETWEEN ? AND ? ORDER BY doc`
  const taken = read.all<{ doc: number }>(statement(sql, [first, first + generations - 1])).map(({ doc }) => doc)
  const gap = taken.findIndex((doc, at) => doc !== first + at)
  return first + (gap === -1 ? taken.length : gap)
}

/** Adds a document. */
export function insertDocument(tx: Tx, objectUid: string, doc: number, texts: readonly string[]): void {
  const { columns, holes } = sqlParts(texts.length)
  tx.run(statement(`INSERT INTO "${indexTable(objectUid)}"(rowid, ${columns}) VALUES (?, ${holes})`, [doc, ...texts]))
}

/** Takes a document out; the texts must be the ones it was indexed with. */
export function deleteDocument(tx: Tx, objectUid: string, doc: number, texts: readonly string[]): void {
  const table = indexTable(objectUid)
  const { columns, holes } = sqlParts(texts.length)
  tx.run(
    statement(`INSERT INTO "${table}"("${table}", rowid, ${columns}) VALUES ('delete', ?, ${holes})`, [doc, ...texts]),
  )
}

/** Marks a document as stale: searches pass it over from now on. */
export function insertStale(tx: Tx, objectUid: string, { doc, texts }: StaleDocument): void {
  tx.run(statement(`INSERT INTO "${staleTable(objectUid)}" (doc, texts) VALUES (?, ?)`, [doc, JSON.stringify(texts)]))
}

/** Stale documents between two numbers whose words are still to be taken out, in their order. */
export function readStale(
  read: Pick<Reads, 'all'>,
  objectUid: string,
  range: { from: number; to: number; limit: number },
): StaleDocument[] {
  return read
    .all<{ doc: number; texts: string }>(
      statement(
        `SELECT doc, texts FROM "${staleTable(objectUid)}" WHERE doc BETWEEN ? AND ? AND texts <> '' ORDER BY doc LIMIT ?`,
        [range.from, range.to, range.limit],
      ),
    )
    .map(({ doc, texts }) => ({ doc, texts: JSON.parse(texts) as string[] }))
}

/** Removes the mark of a stale document that has left the index. */
export function deleteStale(tx: Tx, objectUid: string, doc: number): void {
  tx.run(statement(`DELETE FROM "${staleTable(objectUid)}" WHERE doc = ?`, [doc]))
}

/** Number of stale documents of an object. */
export function countStale(read: Pick<Reads, 'get'>, objectUid: string): number {
  return read.get<{ n: number }>(statement(`SELECT count(*) AS n FROM "${staleTable(objectUid)}"`))!.n
}

/** What an index holds: all documents, stale ones, and those of these that are struck. */
export interface IndexSize {
  readonly documents: number
  readonly stale: number
  readonly struck: number
}

/** Counts the documents of an index. */
export function readSize(read: Pick<Reads, 'get'>, objectUid: string): IndexSize {
  const stale = `FROM "${staleTable(objectUid)}"`
  const documents = `SELECT count(*) FROM "${indexTable(objectUid)}_docsize"`
  const sql = `SELECT (${documents}) AS documents, (SELECT count(*) ${stale}) AS stale, (SELECT count(*) ${stale} WHERE texts = '') AS struck`
  return read.get<IndexSize>(statement(sql))!
}

/**
 * Strikes stale documents: the index notes that they are gone, a tenth of the work of taking their words out, and the
 * words leave with {@link mergeAll}. Their marks stay without the texts, so that it is known that some are struck.
 */
export function strikeDocuments(tx: Tx, objectUid: string, documents: readonly StaleDocument[]): void {
  if (documents.length === 0) return
  const table = indexTable(objectUid)
  const secureDelete = (on: 0 | 1): void =>
    void tx.run(statement(`INSERT INTO "${table}"("${table}", rank) VALUES ('secure-delete', ${on})`))
  // Each change of the setting first writes what FTS5 has gathered, by the setting of before.
  secureDelete(0)
  for (const { doc, texts } of documents) deleteDocument(tx, objectUid, doc, texts)
  secureDelete(1)
  const marks = `UPDATE "${staleTable(objectUid)}" SET texts = '' WHERE doc BETWEEN ? AND ? AND texts <> ''`
  tx.run(statement(marks, [documents[0]!.doc, documents.at(-1)!.doc]))
}

/**
 * Merges all segments into one, some pages at a time, which leaves struck documents behind; their pages are zeroed.
 * @param begins true for the first step
 * @returns whether there is nothing left to merge
 */
export function mergeAll(tx: Tx, objectUid: string, pages: number, begins: boolean): boolean {
  const changes = (): number => tx.get<{ n: number }>(statement('SELECT total_changes() AS n'))!.n
  // What was added in this transaction is written first: it is no work of the merge.
  tx.savepoint(() => undefined)
  const before = changes()
  mergeSegments(tx, objectUid, begins ? -pages : pages)
  // FTS5 has no other word for it: a merge that found something writes at least two rows.
  return changes() - before < 2
}

/** Removes marks of struck documents, so many at most; answers how many. */
export function deleteStruck(tx: Tx, objectUid: string, limit: number): number {
  const table = staleTable(objectUid)
  const sql = `DELETE FROM "${table}" WHERE doc IN (SELECT doc FROM "${table}" WHERE texts = '' LIMIT ?)`
  return tx.run(statement(sql, [limit])).changes
}

/**
 * Selects the documents that meet a full-text expression, its one parameter, and are not stale; `rankOfDocument` answers
 * the rank of the document of its second parameter, stale or not.
 */
export function selectMatches(objectUid: string): Readonly<Record<'rows' | 'ranked' | 'rankOfDocument', string>> {
  const table = `"${indexTable(objectUid)}"`
  const fresh = `${table} MATCH ? AND rowid NOT IN (SELECT doc FROM "${staleTable(objectUid)}")`
  return {
    rows: `SELECT ${rowOfDocument} FROM ${table} WHERE ${fresh}`,
    ranked: `SELECT ${rowOfDocument} AS "row", rowid AS "document", rank AS "rank" FROM ${table} WHERE ${fresh}`,
    // Numbers are bound as REAL, and FTS5 passes over an equality of its rowid with one.
    rankOfDocument: `SELECT rank FROM ${table} WHERE ${table} MATCH ? AND rowid = CAST(? AS INTEGER)`,
  }
}

const parts = new Map<number, { columns: string; holes: string }>()

function sqlParts(count: number): { columns: string; holes: string } {
  let known = parts.get(count)
  if (known === undefined) {
    const columns = Array.from({ length: count }, (_, position) => indexColumn(position))
    known = { columns: columns.join(', '), holes: columns.map(() => '?').join(', ') }
    parts.set(count, known)
  }
  return known
}

function toEntry(row: EntryRow): IndexEntry {
  return {
    objectUid: row.object_uid,
    object: row.object,
    objectTable: row.object_table,
    hash: row.hash,
    columns: JSON.parse(row.columns) as SearchColumn[],
    builtTo: row.built_to,
  }
}
