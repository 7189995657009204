// What the host notes of its database in a file beside it, so that a start can tell whether the database is the one that was
// left: how it was closed, or how far its log had come. Lost or damaged, it only makes the next start look closer.
import { crc32 } from 'node:zlib'
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { readPrivateFile, refuseSpecialFile, syncPath } from '#main/kernel/atomic-file.ts'
import type { NotedLog } from './wal-log.ts'

const recordBytes = 2048
/** So many earlier closed files are known again when somebody puts one of them back. */
const keptClosings = 40
const chunkBytes = 1024 * 1024
/** A larger file gets no checksum: reading it would hold the end of the program up for seconds. */
const checksumMaxBytes = 512 * 1024 * 1024

/** A file as it was closed. */
export interface ClosedFile {
  readonly size: number
  /** Nanoseconds, as text. */
  readonly modified: string
  /** When anything of it was last changed, its name and rights included, as no copy keeps it; nanoseconds, as text. */
  readonly changed?: string
  /** CRC-32 of the whole file; null for a large one. */
  readonly crc: number | null
}

/** Size and checksum of a file as it was once closed. */
export type Closing = readonly [size: number, crc: number]

/** The last thing the host noted. */
export type DatabaseState =
  | ({ readonly state: 'closed' } & ClosedFile)
  | {
      readonly state: 'open'
      /** When the database was made, which tells it from every other; null before it is. */
      readonly birth: string | null
      /** What is known to be on disk; null when nothing must be there. */
      readonly log: NotedLog | null
    }
  | { readonly state: 'damaged'; readonly problem: string }

/** The file while a host runs. */
export interface StateFile {
  /** Notes it and forces it to disk. */
  note(state: DatabaseState): void
  /** Notes how far the log has come: one small write into the page cache, behind the log and never before it. */
  mark(state: DatabaseState & { state: 'open' }): void
  close(): void
}

/** Path of the file of a database. */
export function stateFileOf(database: string): string {
  return join(dirname(database), 'cairn.state')
}

/** What was noted last, and the latest closed files; undefined when nothing can be read. */
export function readState(
  database: string,
): { readonly state: DatabaseState; readonly closings: readonly Closing[] } | undefined {
  try {
    const text = readPrivateFile(stateFileOf(database), recordBytes)
    if (text === undefined) return undefined
    const { closings = [], ...state } = JSON.parse(text) as DatabaseState & { closings?: Closing[] }
    return { state, closings }
  } catch {
    return undefined
  }
}

/**
 * Opens the file, mode 0600, making it when it is missing.
 * @throws Error when something other than a plain file lies there
 */
export function openStateFile(database: string): StateFile {
  const file = stateFileOf(database)
  refuseSpecialFile(file)
  const isNew = !existsSync(file)
  let closings = readState(database)?.closings ?? []
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
  if (isNew) syncPath(dirname(file))
  const put = (state: DatabaseState): void => {
    if (state.state === 'closed' && state.crc !== null) {
      const closing: Closing = [state.size, state.crc]
      closings = [...closings.filter((one) => !isSame(one, closing)), closing].slice(-keptClosings)
    }
    const text = JSON.stringify({ ...state, closings })
    writeSync(descriptor, `${text.padEnd(recordBytes - 1)}\n`, 0)
  }
  return {
    note(state) {
      put(state)
      fdatasyncSync(descriptor)
    },
    mark: put,
    close: () => closeSync(descriptor),
  }
}

/** What tells the closed file from every other; the checksum reads all of it. */
export function describeClosed(database: string): ClosedFile {
  const { size, modified, changed } = sizeOf(database)
  return { size, modified, changed, crc: size > checksumMaxBytes ? null : checksumOf(database) }
}

/** Whether the file was touched by nobody since it was closed, going by its size and time. */
export function isUntouched(database: string, closed: ClosedFile): boolean {
  const { size, modified } = sizeOf(database)
  return size === closed.size && modified === closed.modified
}

/**
 * Whether it is the very file that was closed: what is copied over it leaves size and time as they were, but not this.
 * Where an earlier version closed it, nothing speaks against it.
 */
export function isAsClosed(database: string, closed: ClosedFile): boolean {
  return isUntouched(database, closed) && [undefined, sizeOf(database).changed].includes(closed.changed)
}

/** Whether two closed files are the same one. */
export function isSame(one: Closing, other: Closing): boolean {
  return one[0] === other[0] && one[1] === other[1]
}

/** CRC-32 of a file. Never in the process of a host while it has the file open: the end of this reading drops its locks. */
export function checksumOf(database: string): number {
  const descriptor = openSync(database, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(1, fstatSync(descriptor).size)))
    let crc = 0
    for (;;) {
      const length = readSync(descriptor, buffer, 0, buffer.length, null)
      if (length === 0) return crc
      crc = crc32(buffer.subarray(0, length), crc)
    }
  } finally {
    closeSync(descriptor)
  }
}

function sizeOf(database: string): { size: number; modified: string; changed: string } {
  const stat = statSync(database, { bigint: true })
  return { size: Number(stat.size), modified: stat.mtimeNs.toString(), changed: stat.ctimeNs.toString() }
}
