// Conflicts of fields and objects that were removed: nobody can decide them, and a machine that saw the removal first never
// had them. They are found again should what was removed return. Knows rows of conflicts, no document.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { settleConflict } from './conflict-store.ts'

interface Place {
  readonly object: string
  readonly field: string
}

const open = `state = 'open' AND object <> ''`

/** Objects and fields, by uid, that open conflicts are about and that were removed. */
export function removedPlaces(
  read: Pick<Reads, 'all'>,
  isRemoved: (object: string, field?: string) => boolean,
): readonly Place[] {
  const sql = `SELECT DISTINCT object, field FROM sync_conflict WHERE ${open}`
  const places = read.all(statement<Place>(sql))
  return places.filter(({ object, field }) => isRemoved(object, field === '' ? undefined : field))
}

/** Ends the open conflicts of these places, for the documents tell of them no more. @param at now, ISO 8601 */
export function settleRemoved(tx: Tx, places: readonly Place[], at: string): void {
  for (const { object, field } of places) {
    const sql = `SELECT id FROM sync_conflict WHERE ${open} AND object = ? AND field = ?`
    for (const { id } of tx.all(statement<{ id: string }>(sql, [object, field])))
      settleConflict(tx, id, { choice: 'elsewhere', by: null, at })
  }
}
