// Small reads of the tables of objects, for whoever keeps something beside records: whether a row is there, what its marks
// say, how many there are. They judge no right and follow no rule; lists and records are the data service's.
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { quoteName } from '../schema/sql-text.ts'

type ObjectTable = Pick<ObjectSchema, 'table'>

/** Whether there is a row of an id, one in the trash too. */
export function isStored(read: Pick<Reads, 'get'>, { table }: ObjectTable, id: string): boolean {
  return read.get(statement(`SELECT 1 FROM ${quoteName(table)} WHERE id = ?`, [id])) !== undefined
}

/** Whether there is a row of an id that is not in the trash; asked inside of writes, which see what is not committed yet. */
export function isLive(read: Pick<Reads, 'get'>, { table }: ObjectTable, id: string): boolean {
  return (
    read.get(statement(`SELECT 1 FROM ${quoteName(table)} WHERE id = ? AND deleted_at IS NULL`, [id])) !== undefined
  )
}

/** When a row was made, in the trash or not. */
export function readCreatedAt(read: Pick<Reads, 'get'>, { table }: ObjectTable, id: string): string | undefined {
  return read.get<{ at: string }>(statement(`SELECT created_at AS at FROM ${quoteName(table)} WHERE id = ?`, [id]))?.at
}

/** When and by whom a row was put into the trash; undefined where it was not. */
export function readDeletion(
  read: Pick<Reads, 'get'>,
  { table }: ObjectTable,
  id: string,
): { readonly at: string; readonly by: string } | undefined {
  const sql = `SELECT deleted_at AS at, deleted_by AS by FROM ${quoteName(table)} WHERE id = ? AND deleted_at IS NOT NULL`
  return read.get(statement<{ at: string; by: string }>(sql, [id]))
}

/** The number of a row by its id. */
export function readRowNumber(read: Pick<Reads, 'get'>, { table }: ObjectTable, id: unknown): number | undefined {
  // Named, because SQLite answers a row number under the name of the column that stands for it, if there is one.
  const sql = `SELECT "rowid" AS "row" FROM ${quoteName(table)} WHERE id = ?`
  return read.get<{ row: number }>(statement(sql, [id]))?.row
}

/** Whether there is any row. */
export function hasRows(read: Pick<Reads, 'get'>, { table }: ObjectTable): boolean {
  return read.get(statement(`SELECT 1 FROM ${quoteName(table)} LIMIT 1`)) !== undefined
}

/** Number of rows, those in the trash too. */
export function countRows(read: Pick<Reads, 'get'>, { table }: ObjectTable): number {
  return read.get<{ n: number }>(statement(`SELECT count(*) AS n FROM ${quoteName(table)}`))!.n
}

/** Live rows after a row number with some columns, in row order. */
export function readLiveRows(
  read: Pick<Reads, 'all'>,
  { table }: ObjectTable,
  columns: readonly string[],
  page: { readonly after: number; readonly limit: number },
): (Record<string, SqlValue> & { rowid: number })[] {
  const list = columns.map(quoteName).join(', ')
  const sql = `SELECT "rowid" AS "rowid", ${list} FROM ${quoteName(table)} WHERE "rowid" > ? AND deleted_at IS NULL ORDER BY "rowid" LIMIT ?`
  return read.all(statement(sql, [page.after, page.limit]))
}

/** Selects the rows of an object as `id` and `created_by`: a source for a statement of another table. */
export function selectMakers({ table }: ObjectTable): string {
  return `SELECT id, created_by FROM ${quoteName(table)}`
}

/** Names of all tables and views there are. */
export function readTableNames(read: Pick<Reads, 'all'>): ReadonlySet<string> {
  const rows = read.all(statement<{ name: string }>("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"))
  return new Set(rows.map(({ name }) => name))
}

/** Whether the object has a table. */
export function hasTable(read: Pick<Reads, 'get'>, { table }: ObjectTable): boolean {
  return read.get(statement(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`, [table])) !== undefined
}
