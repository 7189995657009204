// SQL of what schema changes ask and do of the tables of objects beside the plan: sizes, columns, indexes, names. Names of
// tables and columns come from definitions.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { quote } from '../../store.ts'

/** How many rows have a value in a column. */
export function countSet(read: Pick<Reads, 'get'>, table: string, column: string): number {
  const sql = `SELECT count(*) AS n FROM ${quote(table)} WHERE ${quote(column)} IS NOT NULL`
  return read.get<{ n: number }>(statement(sql))!.n
}

/** The last number and the count of the next rows after a row number. */
export function nextRows(
  read: Pick<Reads, 'get'>,
  table: string,
  after: number,
  limit: number,
): { readonly last: number | null; readonly n: number } {
  const sql = `SELECT max(rowid) AS last, count(*) AS n FROM (SELECT rowid FROM ${quote(table)} WHERE rowid > ? ORDER BY rowid LIMIT ?)`
  return read.get<{ last: number | null; n: number }>(statement(sql, [after, limit]))!
}

/** Removes the first 200 rows; answers how many there were. */
export function deleteSlice(tx: Pick<Tx, 'run'>, table: string): number {
  const slice = `SELECT rowid FROM ${quote(table)} ORDER BY rowid LIMIT 200`
  return tx.run(statement(`DELETE FROM ${quote(table)} WHERE rowid IN (${slice})`)).changes
}

/** Names of the columns of a table. */
export function columnNames(read: Pick<Reads, 'all'>, table: string): ReadonlySet<string> {
  const rows = read.all<{ name: string }>(statement('SELECT name FROM pragma_table_info(?)', [table]))
  return new Set(rows.map(({ name }) => name))
}

/** Replaces a part of the texts of a column. */
export function replaceText(tx: Pick<Tx, 'run'>, table: string, column: string, from: string, to: string): void {
  const name = quote(column)
  const sql = `UPDATE ${quote(table)} SET ${name} = replace(${name}, ?, ?) WHERE instr(${name}, ?) > 0`
  tx.run(statement(sql, [from, to, from]))
}

/** Names of the indexes SQLite did not make by itself. */
export function indexNames(read: Pick<Reads, 'all'>, table: string): string[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
  return read.all<{ name: string }>(statement(sql, [table])).map(({ name }) => name)
}

/** The same indexes with their columns, as `a,b nocase`. */
export function indexKeys(read: Pick<Reads, 'all'>, table: string): Map<string, string> {
  const rows = read.all<{ name: string; keys: string }>(
    statement(
      `SELECT i.name AS name, group_concat(k.name || CASE k.coll WHEN 'NOCASE' THEN ' nocase' ELSE '' END, ',') AS keys
       FROM sqlite_schema AS i, pragma_index_xinfo(i.name) AS k
       WHERE i.type = 'index' AND i.tbl_name = ? AND i.sql IS NOT NULL AND k.key = 1
       GROUP BY i.name`,
      [table],
    ),
  )
  return new Map(rows.map((row) => [row.name, row.keys]))
}

/** DDL that gives a table another name. */
export function renameTableSql(from: string, to: string): string {
  return `ALTER TABLE ${quote(from)} RENAME TO ${quote(to)}`
}

/** DDL that takes a table away. */
export function dropTableSql(table: string): string {
  return `DROP TABLE IF EXISTS ${quote(table)}`
}

/** DDL that takes a column away. */
export function dropColumnSql(table: string, column: string): string {
  return `ALTER TABLE ${quote(table)} DROP COLUMN ${quote(column)}`
}

/** DDL that takes an index away. */
export function dropIndexSql(name: string): string {
  return `DROP INDEX IF EXISTS ${quote(name)}`
}

/** Remembers that computed values of an object are still to be filled. */
export function putPendingFill(tx: Pick<Tx, 'run'>, objectUid: string): void {
  tx.run(statement('INSERT OR REPLACE INTO data_pending_fill (object_uid) VALUES (?)', [objectUid]))
}

/** Objects whose computed values are still to be filled, by uid. */
export function readPendingFills(read: Pick<Reads, 'all'>): string[] {
  const rows = read.all<{ uid: string }>(statement('SELECT object_uid AS uid FROM data_pending_fill'))
  return rows.map(({ uid }) => uid)
}

/** Notes that the computed values of an object are filled. */
export function deletePendingFill(tx: Pick<Tx, 'run'>, objectUid: string): void {
  tx.run(statement('DELETE FROM data_pending_fill WHERE object_uid = ?', [objectUid]))
}
