// Approximate sizes of tables, from memory: enough to tell a small scan from a large one.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { quote } from '../store.ts'

/** A size is asked for again after this long. */
const freshMs = 2_000

/** Answers about how many rows a table has; deleted rows count, gaps too. */
export type TableSizes = (table: string) => number

/** Makes the memory. The highest row number is one index step away, so asking costs nothing that grows. */
export function createTableSizes(read: Pick<Reads, 'get'>, clock: Clock): TableSizes {
  const known = new Map<string, { rows: number; at: number }>()
  return (table) => {
    const found = known.get(table)
    if (found !== undefined && clock.now() - found.at < freshMs) return found.rows
    const rows = read.get<{ n: number | null }>(statement(`SELECT max(rowid) AS n FROM ${quote(table)}`))?.n ?? 0
    if (known.size > 5_000) known.clear()
    known.set(table, { rows, at: clock.now() })
    return rows
  }
}
