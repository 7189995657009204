// The file of a standby: nobody has it open, so pages are written where they belong. Doing it again changes nothing, and a
// row that was cut off half-way is applied once more. Knows no log and no SQL.
import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import type { PageSet } from './frames.ts'

/** A closed database file that follows another one. */
export interface PageFile {
  /** Makes the file what the leader's was after these pages. */
  apply(pages: PageSet): void
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
  return {
    apply({ pageSize, size, pages }) {
      for (const [page, image] of pages) {
        // A full disk takes a part; the rest says so.
        for (let done = 0; done < pageSize;)
          done += writeSync(descriptor, image, done, pageSize - done, (page - 1) * pageSize + done)
      }
      if (fstatSync(descriptor).size !== size * pageSize) ftruncateSync(descriptor, size * pageSize)
    },
    write(bytes, at) {
      for (let done = 0; done < bytes.length;)
        done += writeSync(descriptor, bytes, done, bytes.length - done, at + done)
    },
    sync: () => fdatasyncSync(descriptor),
    close: () => closeSync(descriptor),
  }
}
