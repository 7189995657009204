// Keeps SQLite from walking a table along an index that does nothing. Every index of an object table leaves deleted
// records out, and SQLite takes that for a reason to read the whole table in the order of any of them, looking up row by
// row what a plain scan would read on the way: seven times slower for a sort without an index over 100,000 records.
import type { Reads } from '#main/kernel/database.ts'

/** With more deleted records than this, an index that leaves them out may be worth its way. */
const maxTrash = 10_000

/**
 * The text that reads the main table as it lies, or null when the plan's index searches, orders, groups or covers, or when
 * the table is full of deleted records.
 * @param lines details of `EXPLAIN QUERY PLAN`
 */
export function withoutIdleIndex(read: Pick<Reads, 'all'>, sql: string, lines: readonly string[]): string | null {
  const index = walked(lines)
  if (index === undefined || !isIdle(sql, lines) || sql.includes(' INDEXED BY ') || holdsAll(read, index, sql))
    return null
  const table = mainTable.exec(sql)?.[1]
  if (table === undefined || hasMuchTrash(read, table)) return null
  return sql.replace(mainTables, '$& NOT INDEXED')
}

/** No other text of a statement has this form: names come from metadata, values are bound, quotes in paths are refused. */
const mainTable = /"(o_[a-z0-9_]+)" AS t0\b/
const mainTables = new RegExp(mainTable.source, 'g')

/** The index of object tables that the main table is walked along without a search. */
function walked(lines: readonly string[]): string | undefined {
  return lines.map((line) => /^SCAN t0 USING INDEX (i_\S+)$/.exec(line)?.[1]).find((name) => name !== undefined)
}

/** Whether the index has every column the statement reads: the table is then not looked at, whatever the plan says. */
function holdsAll(read: Pick<Reads, 'all'>, index: string, sql: string): boolean {
  const columns = new Set([...sql.matchAll(/\bt0\."([a-z0-9_]+)"/g)].map((match) => match[1]!))
  // Deleted records are not in the index, so nobody asks for their mark.
  columns.delete('deleted_at')
  const keys = read.all<{ name: string | null }>({
    sql: 'SELECT name FROM pragma_index_info(?)',
    parameters: [index],
  })
  return [...columns].every((column) => keys.some((key) => key.name === column))
}

function isIdle(sql: string, lines: readonly string[]): boolean {
  const sorted = (what: string): boolean => lines.includes(`USE TEMP B-TREE FOR ${what}`)
  if (/ GROUP BY /.test(sql)) return sorted('GROUP BY')
  if (/^SELECT DISTINCT | \(SELECT DISTINCT /.test(sql)) return sorted('DISTINCT')
  if (!/ ORDER BY /.test(sql)) return true
  // Lookups along a relation's index find the related record warm.
  return sorted('ORDER BY') && !lines.some((line) => line.startsWith('CORRELATED'))
}

function hasMuchTrash(read: Pick<Reads, 'all'>, table: string): boolean {
  const trash = `SELECT 1 FROM "${table}" WHERE "deleted_at" IS NOT NULL LIMIT ${maxTrash}`
  const [row] = read.all<{ n: number }>({ sql: `SELECT count(*) AS n FROM (${trash})`, parameters: [] })
  return (row?.n ?? 0) >= maxTrash
}
