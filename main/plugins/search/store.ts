// SQL of the search indexes: one contentless FTS5 table per object, and the registry of them. Texts come in folded.
//
// Contentless, because the record's row is the content and a second copy would double the file. Rows leave the index
// by the `delete` command with the texts they were indexed with: unlike `contentless_delete` tables this honours
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

/** The FTS5 table of an object; named by uid, so a rename of the object leaves it alone. */
export function indexTable(objectUid: string): string {
  return `search_${objectUid}`
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
  tx.run(statement(`INSERT INTO "${table}"("${table}", rank) VALUES ('secure-delete', 1)`))
  tx.run(statement(`INSERT INTO "${table}"("${table}", rank) VALUES ('rank', 'bm25(${weights.join(', ')})')`))
}

/** Removes an index and its registry row. */
export function dropIndex(tx: Tx, objectUid: string): void {
  tx.ddl(`DROP TABLE IF EXISTS "${indexTable(objectUid)}"`)
  tx.run(statement(`DELETE FROM search_index WHERE object_uid = ?`, [objectUid]))
}

/** Whether the object has a table whose rows could be indexed. */
export function hasTable(read: Pick<Reads, 'get'>, table: string): boolean {
  return read.get(statement(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`, [table])) !== undefined
}

/** The number of a stored row by its id. */
export function readRowNumber(read: Pick<Reads, 'get'>, table: string, id: unknown): number | undefined {
  return read.get<{ rowid: number }>(statement(`SELECT "rowid" FROM "${table}" WHERE id = ?`, [id]))?.rowid
}

/** Adds texts under a row number. */
export function insertDocument(tx: Tx, objectUid: string, row: number, texts: readonly string[]): void {
  const { columns, holes } = sqlParts(texts.length)
  tx.run(statement(`INSERT INTO "${indexTable(objectUid)}"(rowid, ${columns}) VALUES (?, ${holes})`, [row, ...texts]))
}

/** Takes texts out; they must be the ones the row was indexed with. */
export function deleteDocument(tx: Tx, objectUid: string, row: number, texts: readonly string[]): void {
  const table = indexTable(objectUid)
  const { columns, holes } = sqlParts(texts.length)
  tx.run(
    statement(`INSERT INTO "${table}"("${table}", rowid, ${columns}) VALUES ('delete', ?, ${holes})`, [row, ...texts]),
  )
}

/** Live rows after a row number with the searched columns, in row order. */
export function readLiveRows(
  read: Pick<Reads, 'all'>,
  entry: Pick<IndexEntry, 'objectTable' | 'columns'>,
  page: { after: number; limit: number },
): (Record<string, string | number | null> & { rowid: number })[] {
  const columns = entry.columns.map(({ column }) => `"${column}"`).join(', ')
  return read.all(
    statement(
      `SELECT "rowid", ${columns} FROM "${entry.objectTable}" WHERE "rowid" > ? AND deleted_at IS NULL ORDER BY "rowid" LIMIT ?`,
      [page.after, page.limit],
    ),
  )
}

function sqlParts(count: number): { columns: string; holes: string } {
  const columns = Array.from({ length: count }, (_, position) => indexColumn(position))
  return { columns: columns.join(', '), holes: columns.map(() => '?').join(', ') }
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
