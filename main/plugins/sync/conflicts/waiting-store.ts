// SQL of what waits for its place: definitions that could not be stored yet, and documents without a row. Rows in, rows
// out. Names two tables of sync and loads nothing of documents, as it is asked while sync is off too.
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

const mostItems = 200

/** How much waits, and how many definitions were tried and could not be stored; asked often. */
export function countWaiting(read: Pick<Reads, 'get'>): { readonly waiting: number; readonly stuck: number } {
  const sql = `SELECT
    (SELECT count(*) FROM sync_metadata WHERE due <> 0) + (SELECT count(*) FROM sync_doc WHERE flags <> 0) AS waiting,
    (SELECT count(*) FROM sync_metadata WHERE due <> 0 AND reason IS NOT NULL) AS stuck`
  return read.get(statement<{ waiting: number; stuck: number }>(sql))!
}

/** A definition that waits; without a reason it was not tried. */
export interface DueRow {
  readonly type: string
  readonly uid: string
  readonly wanted: string
  readonly reason: string | null
  readonly since: string | null
}

/** The definitions that wait longest. */
export function readDue(read: Pick<Reads, 'all'>): DueRow[] {
  const sql =
    'SELECT type, uid, wanted, reason, since FROM sync_metadata WHERE due <> 0 ORDER BY since, type, uid LIMIT ?'
  return read.all(statement<DueRow>(sql, [mostItems]))
}

/** Documents that wait, counted by kind and object; kept ones hold something that was removed. */
export interface WaitingDocs {
  readonly letter: string
  readonly object: string
  readonly isKept: 0 | 1
  readonly count: number
}

/** The documents that wait. */
export function readWaitingDocs(read: Pick<Reads, 'all'>): WaitingDocs[] {
  // The flag 1 is `needsProject`.
  return read.all(
    statement<WaitingDocs>(
      `SELECT substr(name, 1, 1) AS letter, substr(name, 3, instr(substr(name, 3), '/') - 1) AS object,
         flags & 1 = 0 AS isKept, count(*) AS count
       FROM sync_doc WHERE flags <> 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    ),
  )
}

/** The last names of all objects there were, by uid. */
export function readObjectNames(read: Pick<Reads, 'all'>): ReadonlyMap<string, string> {
  const sql = "SELECT uid, wanted FROM sync_metadata WHERE type = 'object'"
  return new Map(read.all(statement<{ uid: string; wanted: string }>(sql)).map(({ uid, wanted }) => [uid, wanted]))
}
