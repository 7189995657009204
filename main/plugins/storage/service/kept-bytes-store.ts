// Bytes of deleted files that stay for a time, because another machine may not know of the deletion and name the file
// meanwhile (D-391). SQL, and how long.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { FileRow } from '../store.ts'

/** How long bytes stay after the deletion. @source D-391 */
const keptMs = 30 * 86_400_000

/** Whether bytes stay here for a file that was deleted. */
export function keepsBytes(read: Pick<Reads, 'get'>, sha256: string): boolean {
  return read.get(statement('SELECT 1 FROM storage_kept WHERE sha256 = ? LIMIT 1', [sha256])) !== undefined
}

/** Keeps the bytes of a file that is being deleted. */
export function keepBytes(tx: Tx, { id, sha256 }: Pick<FileRow, 'id' | 'sha256'>, clock: Pick<Clock, 'now'>): void {
  const sql = 'INSERT OR REPLACE INTO storage_kept (file_id, sha256, until) VALUES (?, ?, ?)'
  tx.run(statement(sql, [id, sha256, clock.now() + keptMs]))
}

/** Keeps bytes no longer for a file of their own that is there again. @returns whether they were, and are those it says */
export function takeKept(tx: Tx, { id, sha256 }: { readonly id: string; readonly sha256: string }): boolean {
  const kept = tx.get(statement<{ sha256: string }>('SELECT sha256 FROM storage_kept WHERE file_id = ?', [id]))
  if (kept !== undefined) tx.run(statement('DELETE FROM storage_kept WHERE file_id = ?', [id]))
  return kept?.sha256 === sha256
}

/** Forgets bytes whose time is over; they are to be freed. @param now milliseconds since 1970 @returns checksums */
export function forgetKept(tx: Tx, now: number): string[] {
  const over = tx.all(statement<{ sha256: string }>('SELECT sha256 FROM storage_kept WHERE until <= ?', [now]))
  if (over.length > 0) tx.run(statement('DELETE FROM storage_kept WHERE until <= ?', [now]))
  return over.map(({ sha256 }) => sha256)
}

/** Whether the time of any kept bytes is over. @param now milliseconds since 1970 */
export function isKeptOver(read: Pick<Reads, 'get'>, now: number): boolean {
  return read.get(statement('SELECT 1 FROM storage_kept WHERE until <= ? LIMIT 1', [now])) !== undefined
}
