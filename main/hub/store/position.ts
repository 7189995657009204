// The one row by which a file says itself which row of the hub's log it equals. Written in the transaction of what the row
// holds, so that no moment can part the two.
import type { Connection } from '#main/database/open.ts'

/** A place in the log of a workspace. */
export interface Position {
  /** Rises with every new leader. */
  readonly epoch: number
  /**
   * Number of the row, from 1; 0 before the first one. In a file, below zero: another process was to write before that row, so
   * the file may have what no row has.
   */
  readonly seq: number
}

/** Makes the row in a file that has none. @throws Error when the file is open elsewhere for writing */
export function makePosition(connection: Connection): void {
  connection.exec(`CREATE TABLE IF NOT EXISTS hub_position (
    id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, seq INTEGER NOT NULL) STRICT;
    INSERT OR IGNORE INTO hub_position VALUES (1, 0, 0)`)
}

/** Where a file is; null for a file that was never part of a hub. */
export function readPosition(connection: Connection): Position | null {
  const exists = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'hub_position'").get()
  if (exists === undefined) return null
  return connection.prepare('SELECT epoch, seq FROM hub_position').get() as Position
}

/** Takes the row out of a file that is part of no hub any more. */
export function dropPosition(connection: Connection): void {
  connection.exec('DROP TABLE IF EXISTS hub_position')
}

/** Prepares the writing of the row, for use inside a transaction. */
export function positionWriter(connection: Connection): (position: Position) => void {
  const update = connection.prepare('UPDATE hub_position SET epoch = ?, seq = ? WHERE id = 1')
  return ({ epoch, seq }) => void update.run(epoch, seq)
}
