// The file of a node while it follows: pages are written into it, and a note beside it says how far it certainly is. Once
// the node leads, the file says so itself, and the note that it does.
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { openBare } from '#main/database/open-bare.ts'
import { hashFile } from '#main/database/file-check.ts'
import { writeFileAtomic } from '#main/kernel/atomic-file.ts'
import { HubStopped } from './follower.ts'
import { openPageFile } from './page-file.ts'
import type { PageFile } from './page-file.ts'
import type { FileWrites } from './page-row.ts'
import { readPosition } from './store/position.ts'
import type { Position } from './store/position.ts'

/** Where a file is in the log. */
export interface Place extends Position {
  /** SHA-256 of that row; null for a file whose own word is all there is: the row has to be applied once more. */
  readonly hash: Buffer | null
}

/** The file of a node that follows. It is closed for SQLite meanwhile. */
export interface NodeFile {
  /**
   * Where the file is; null when there is none that could go on. Folds in the log of a leader that ended.
   * @throws HubStopped when the file was never part of a hub
   */
  place(): Place | null
  /** Makes the file what it was after a row. On disk, and noted, with the next {@link settle}. */
  apply(row: FileWrites): void
  /** Forces what was applied to disk and notes where the file is. */
  settle(place: Position & { readonly hash: Buffer }): void
  /** Drops the file, or puts one that was led aside, and begins a copy. */
  beginCopy(): void
  /** @param at place of the bytes in the file */
  writeCopy(bytes: Buffer, at: number): void
  /** SHA-256 of the file, in hexadecimal. */
  digest(): string
  /** Copies the settled file to another path. */
  copyTo(path: string): void
  /** Closes it, so that it can be led; from then on it speaks for itself. */
  lead(): void
  /** Notes that it has what the store has lost: nobody replaces it until a person has decided. */
  keep(): void
  /** Closes it and takes its note away: it is no node's file any more. */
  leave(): void
  /** Whether {@link keep} was called. */
  isKept(): boolean
  close(): void
}

interface Note {
  readonly state: 'copying' | 'following' | 'leading' | 'kept'
  readonly epoch: number
  readonly seq: number
  readonly hash: string
}

const nowhere = { epoch: 0, seq: 0, hash: '' }

/** Path of the note beside the file of a node. */
export function noteOf(file: string): string {
  return `${file}-hub`
}

/** Makes the file of a node. @param file path of the database */
export function createNodeFile(file: string): NodeFile {
  const notePath = noteOf(file)
  let open: PageFile | undefined
  const pages = (): PageFile => (open ??= openPageFile(file))
  const note = (words: Note): void => writeFileAtomic(notePath, `${JSON.stringify(words)}\n`)
  const readNote = (): Note | undefined =>
    existsSync(notePath) ? (JSON.parse(readFileSync(notePath, 'utf8')) as Note) : undefined
  const close = (): void => {
    open?.close()
    open = undefined
  }

  return {
    place() {
      if (!existsSync(file)) return null
      const noted = readNote()
      if (noted?.state === 'copying') return null
      if (noted?.state === 'following')
        return { epoch: noted.epoch, seq: noted.seq, hash: Buffer.from(noted.hash, 'hex') }
      const connection = openBare(file, true)
      try {
        connection.pragma('wal_checkpoint(TRUNCATE)')
        const position = readPosition(connection)
        if (position !== null) return { ...position, hash: null }
        throw new HubStopped(
          `There is a workspace in ${dirname(file)} that is not this hub's; a node would replace it. Nothing was changed. Name a new folder with --data.`,
        )
      } finally {
        connection.close()
      }
    },
    apply: (row) => pages().apply(row),
    settle({ epoch, seq, hash }) {
      pages().sync()
      note({ state: 'following', epoch, seq, hash: hash.toString('hex') })
    },
    beginCopy() {
      close()
      const wasLed = readNote()?.state === 'leading' && existsSync(file)
      note({ state: 'copying', ...nowhere })
      // What it has and the log has not was acknowledged to nobody; it is kept all the same, until the next time.
      if (wasLed) renameSync(file, `${file}-aside`)
      for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true })
    },
    writeCopy: (bytes, at) => pages().write(bytes, at),
    digest: () => hashFile(file).sha256,
    copyTo: (path) => copyFileSync(file, path),
    lead() {
      close()
      note({ state: 'leading', ...nowhere })
    },
    leave() {
      close()
      rmSync(notePath, { force: true })
    },
    keep: () => note({ state: 'kept', ...nowhere }),
    isKept: () => readNote()?.state === 'kept',
    close,
  }
}
