// What tables take on the disk, by SQLite's own account of its pages. It reads the whole file: for a process of its own.
import type { Reads, Statement } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { quoteName } from '../schema/sql-text.ts'

/** Bytes of a table with its indexes. */
export interface TableSize {
  readonly table: string
  readonly bytes: number
}

/** Selects every table with what it and its indexes take; the parts of a full-text index are tables of their own. */
export function selectTableSizes(): Statement<TableSize> {
  return statement(
    `SELECT coalesce(s.tbl_name, d.name) AS "table", sum(d.pgsize) AS bytes
     FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name
     WHERE d.aggregate = TRUE GROUP BY 1`,
  )
}

/** Selects how many rows of a table are live and how many are in the trash. */
export function selectRowCounts(table: string): Statement<{ live: number; deleted: number }> {
  return statement(`SELECT count(*) - count(deleted_at) AS live, count(deleted_at) AS deleted FROM ${quoteName(table)}`)
}

/** Bytes of the file, and those of its pages that hold nothing. */
export function readFileSize(read: Pick<Reads, 'get'>): { sizeBytes: number; freeBytes: number } {
  const sql = `SELECT page_count * page_size AS sizeBytes, freelist_count * page_size AS freeBytes
    FROM pragma_page_count, pragma_page_size, pragma_freelist_count`
  return read.get(statement<{ sizeBytes: number; freeBytes: number }>(sql))!
}
