// SQL of the table sync_unpaired: machines that were unpaired before a restore, until the roster says so again.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { RosterDevice } from './roster-entries.ts'
import { rosterDeviceSchema } from './roster-entries.ts'

/** Notes a machine. */
export function putNoted(tx: Pick<Tx, 'run'>, device: RosterDevice): void {
  const sql = 'INSERT OR REPLACE INTO sync_unpaired (device, entry) VALUES (?, ?)'
  tx.run(statement(sql, [device.device, JSON.stringify(device)]))
}

/** Whether there is such a table: a state of an earlier version has none. */
export function hasNotes(read: Pick<Reads, 'get'>): boolean {
  return read.get(statement("SELECT 1 FROM sqlite_master WHERE name = 'sync_unpaired'")) !== undefined
}

/** The machines that are noted. */
export function readNoted(read: Pick<Reads, 'all'>): RosterDevice[] {
  const sql = 'SELECT entry FROM sync_unpaired ORDER BY device'
  return read.all(statement<{ entry: string }>(sql)).map(({ entry }) => rosterDeviceSchema.parse(JSON.parse(entry)))
}

/** Forgets all of them. */
export function forgetNoted(tx: Pick<Tx, 'run'>): void {
  tx.run(statement('DELETE FROM sync_unpaired'))
}
