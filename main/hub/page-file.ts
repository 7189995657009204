// The file of a standby: nobody has it open, so pages are written where they belong. Doing it again changes nothing, and a
// row that was cut off half-way is applied once more. Knows no log and no SQL.
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import type { PageSet } from './frames.ts'

/** Bytes read at once. */
const chunkBytes = 1024 * 1024

/** A closed database file that follows another one. */
export interface PageFile {
  /** Makes the file what the leader's was after these pages. */
  apply(pages: PageSet): void
  /** Forces what was applied to disk. */
  sync(): void
  /** SHA-256 of the whole file, in hexadecimal. */
  digest(): string
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
    sync: () => fdatasyncSync(descriptor),
    digest() {
      const hash = createHash('sha256')
      const chunk = Buffer.allocUnsafe(chunkBytes)
      for (let at = 0; ;) {
        const length = readSync(descriptor, chunk, 0, chunkBytes, at)
        if (length === 0) return hash.digest('hex')
        hash.update(chunk.subarray(0, length))
        at += length
      }
    },
    close: () => closeSync(descriptor),
  }
}
