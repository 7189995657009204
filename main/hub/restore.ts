// Makes the database as it was at a moment out of what the hub keeps: the newest copy of the whole file before it, and the
// rows from there on.
import { openBare } from '#main/database/open-bare.ts'
import { HubStopped } from './follower.ts'
import { createNodeFile } from './node-file.ts'
import { decodePageRow, hashOfRow } from './page-row.ts'
import { copySnapshot } from './snapshots.ts'
import { dropPosition } from './store/position.ts'
import type { Position } from './store/position.ts'
import type { HubStore } from './store/hub-store.ts'
import { followsOn } from './follow-rules.ts'

/** How long a hub may have taken to begin, milliseconds. */
const beginningMs = 60_000

/** What a restore made. */
export interface Restored extends Position {
  /** When its last row was stored, milliseconds since 1970; null when it is the copy alone. */
  readonly at: number | null
}

/**
 * Writes the database into a file that is not there yet; it then belongs to no hub.
 * @param until milliseconds since 1970, by the store's clock
 * @throws HubStopped when the hub keeps nothing as old as that, or its rows do not follow one another
 */
export async function restoreAt(store: HubStore, path: string, until: number): Promise<Restored> {
  const file = createNodeFile(path)
  const kept = await store.snapshots()
  // The first one of a hub is its beginning, stored a moment after the hub was: rows after it are later, whatever the clocks said.
  const base = kept.find(({ at, seq }) => at <= until || (seq === 0 && at - until < beginningMs))
  if (base === undefined) {
    const oldest = kept.at(-1)
    throw new HubStopped(
      oldest === undefined
        ? 'The hub has no snapshot of this workspace. Nothing was made.'
        : `The hub keeps nothing as old as that: its oldest snapshot is of ${new Date(oldest.at).toISOString()}. Nothing was made.`,
    )
  }
  await copySnapshot(store, base, file)
  let at: Position & { readonly hash: Buffer } = { epoch: base.epoch, seq: base.seq, hash: base.hash }
  let storedAt: number | null = null
  for (let isOver = false; !isOver;) {
    const rows = await store.rows(at.seq)
    isOver = rows.length === 0
    for (const row of rows) {
      if (row.at > until) {
        isOver = true
        break
      }
      const changes = decodePageRow(row.body)
      if (!followsOn(at, row, changes.before))
        throw new HubStopped(`Row ${row.seq} does not follow row ${at.seq}: what PostgreSQL holds is not whole.`)
      file.apply(changes)
      at = { epoch: row.epoch, seq: row.seq, hash: hashOfRow(row.body) }
      storedAt = row.at
    }
  }
  file.settle(at)
  file.leave()
  const connection = openBare(path, true)
  try {
    dropPosition(connection)
    connection.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    connection.close()
  }
  return { epoch: at.epoch, seq: at.seq, at: storedAt }
}
