// The file of a standby: nobody has it open, so bytes are written where they belong. Doing it again changes nothing, and a
// row that was cut off half-way is applied once more. Knows no log and no SQL.
import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import type { FileWrites } from './page-row.ts'

/** A closed database file that follows another one. */
export interface PageFile {
  /** Makes the file what the leader's was after a row. */
  apply(row: FileWrites): void
  /** Forces what was applied to disk. */
  sync(): void
  /** Writes bytes of a copy of the whole file. */
  write(bytes: Buffer, at: number): void
  close(): void
}

/**
 * Opens the file, and makes it, private to its user, when it is absent.
 * @throws Error when a log lies beside it: its pages would cover those that are written here
 */
export function openPageFile(database: string): PageFile {
  if ((statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Error('The database has a log beside it. It has to be folded in before pages of another one are written.')
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const descriptor = openSync(database, flags, 0o600)
  const write = (bytes: Buffer, at: number): void => {
    // A full disk takes a part; the rest says so.
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done, at + done)
  }
  return {
    apply({ fileBytes, writes }) {
      for (const { at, bytes } of writes) write(bytes, at)
      if (fstatSync(descriptor).size !== fileBytes) ftruncateSync(descriptor, fileBytes)
    },
    write,
    sync: () => fdatasyncSync(descriptor),
    close: () => closeSync(descriptor),
  }
}
