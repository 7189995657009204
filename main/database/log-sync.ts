// Forces the write-ahead log to disk beside the event loop. A COMMIT that did so itself would hold every request for as
// long as the disk takes; here only those wait whose writes are not on disk yet.
import { close, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Connection } from './open.ts'

const syncData = promisify(fdatasync)
const closeFile = promisify(close)

/** The log of one database. */
export interface LogSync {
  /**
   * Resolves when everything written to the log before the call is on disk.
   * @throws the system's error; what was written since the last success may then be lost with the power
   */
  sync(): Promise<void>
  /** Present where the log is kept in a second place too. */
  readonly copy?: LogCopy
  /** Gives the file back; no sync may be under way. */
  close(): Promise<void>
}

/**
 * Opens a log that is kept in a second place too.
 * @param logPages frames of it up to the last COMMIT
 */
export type OpenLog = (writer: Connection, logPages: () => number) => LogSync

/** Takes what is written to the log out of it, for a second place. All of it in the turn of its call. */
export interface LogCopy {
  /**
   * Called inside a transaction that has changed something, before its COMMIT: writes into the file which row this will be.
   * @param isLent another process writes next, without marks of its own: until the next one the file equals no row, and says so
   */
  mark(isLent?: boolean): void
  /**
   * Called after each COMMIT and at the end of each loan, before anybody writes again: the next writer may begin the log
   * anew. What it takes the next `sync` puts in its place; a log that does not go on where it was left fails that `sync`.
   * @returns whether there is something to put in its place
   */
  take(): boolean
  /** Whether something was taken that is not known to be in its place; true for ever once nothing more will be. */
  isBehind(): boolean
}

/**
 * Makes the sync of a database's log. The file is opened at the first sync: SQLite makes it with the first COMMIT and keeps
 * it for as long as the connection is open. SQLite locks nothing on the log itself, so a second handle of this process
 * takes no lock away.
 * @param file path of the database
 * @param onDisk called with the open log after each success, before whoever waits for it hears of it
 */
export function createLogSync(file: string, onDisk?: (log: number) => void): LogSync {
  let handle: number | undefined
  return {
    async sync() {
      handle ??= openSync(`${file}-wal`, 'r+')
      await syncData(handle)
      onDisk?.(handle)
    },
    async close() {
      if (handle !== undefined) await closeFile(handle)
      handle = undefined
    },
  }
}
