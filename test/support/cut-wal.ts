// Power that fails while a database is written to: its write-ahead log ends somewhere after what was acknowledged. Knows
// the file format of SQLite's log, nothing of what is in it.
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync, truncateSync } from 'node:fs'
import { readState } from '#main/database/state-file.ts'

const headerBytes = 32
const frameHeaderBytes = 24

/** How far a log was written at a moment. */
export interface WalMark {
  /** Names one use of the file: SQLite begins it anew with others. */
  readonly salts: string
  /** Where the last whole commit ends. */
  readonly end: number
}

/**
 * Looks at the log of a database; undefined while there is none.
 * @param since an earlier look at it, from where it goes on
 */
export function markWal(database: string, since?: WalMark): WalMark | undefined {
  const file = openIfThere(`${database}-wal`)
  if (file === undefined) return undefined
  try {
    const header = bytesAt(file, 0, headerBytes)
    if (header.length < headerBytes) return undefined
    const salts = header.toString('hex', 16, 24)
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
    const { size } = fstatSync(file)
    let end = since?.salts === salts ? since.end : headerBytes
    for (let at = end; at + frameBytes <= size; at += frameBytes) {
      const frame = bytesAt(file, at, frameHeaderBytes)
      if (frame.toString('hex', 8, 16) !== salts) break
      const isCommit = frame.readUInt32BE(4) > 0
      if (isCommit) end = at + frameBytes
    }
    return { salts, end }
  } finally {
    closeSync(file)
  }
}

/**
 * Cuts the log of a database nobody has open: at least up to `mark` is left, what the host noted to be on disk, and everything
 * a checkpoint has carried over, since that was on disk before it.
 * @param where 0 to 1: how much is left of the rest, in the midst of a page too
 * @returns bytes that are gone
 */
export function cutWal(database: string, mark: WalMark | undefined, where: number): number {
  const now = markWal(database)
  // What was acknowledged before the log began anew is in the database.
  if (now === undefined || mark === undefined || now.salts !== mark.salts) return 0
  const least = Math.max(mark.end, carriedOver(database), notedEnd(database, now))
  if (least >= now.end) return 0
  const left = least + Math.floor((now.end - least) * where)
  const { size } = statSync(`${database}-wal`)
  truncateSync(`${database}-wal`, left)
  return size - left
}

/** Where the frames end that the host has forced to disk; a loss of power takes none of them. */
function notedEnd(database: string, { salts }: WalMark): number {
  const state = readState(database)?.state
  const log = state?.state === 'open' ? state.log : null
  const noted = log?.salts.map((salt) => salt.toString(16).padStart(8, '0')).join('')
  if (log === null || noted !== salts) return 0
  return headerBytes + log.frames * (frameHeaderBytes + contentOf(`${database}-wal`)!.readUInt32BE(8))
}

/** Where the frames end that a checkpoint has at least begun to write into the database. */
function carriedOver(database: string): number {
  const index = contentOf(`${database}-shm`)
  const bytes = contentOf(`${database}-wal`)
  if (index === undefined || bytes === undefined) return Infinity
  // The index of the log is in the byte order of the machine: nBackfill and nBackfillAttempted.
  const frames = Math.max(index.readUInt32LE(96), index.readUInt32LE(128))
  return headerBytes + frames * (frameHeaderBytes + bytes.readUInt32BE(8))
}

function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, at))
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch {
    return undefined
  }
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
