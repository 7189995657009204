// Reads a write-ahead log as SQLite would after a crash, without opening anything: which log it is, and how much of it
// counts. Knows the file format only.
// @source https://sqlite.org/fileformat2.html#walformat
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'

const headerBytes = 32
const frameHeaderBytes = 24
const magic = 0x377f0682
/** Frames read at once. */
const chunkFrames = 64

/** Which log it is: the first salt rises by one whenever the log begins anew, the second is random then. */
export type LogSalts = readonly [number, number]

/** What a log holds. */
export interface LogExtent {
  readonly salts: LogSalts
  /** Frames up to the last whole COMMIT. */
  readonly frames: number
}

/** The page that the last frame of a log is of. */
export interface LastPage {
  /** Where it is in the database, from 1. */
  readonly page: number
  readonly bytes: number
  /** CRC-32 of what the database holds there while the log is not folded in; null behind its end. */
  readonly before: number | null
}

/** A log as it is noted beside its database. */
export interface NotedLog extends LogExtent {
  /** Absent while the log is empty. */
  readonly last?: LastPage
}

/**
 * A log that is open, null while it has no header.
 * @param log descriptor of the `-wal` file
 * @param frames up to the last COMMIT
 * @param database descriptor of the file the log belongs to
 */
export function describeLog(log: number, frames: number, database: number): NotedLog | null {
  const header = Buffer.allocUnsafe(headerBytes)
  if (readSync(log, header, 0, headerBytes, 0) < headerBytes) return null
  const salts: LogSalts = [header.readUInt32BE(16), header.readUInt32BE(20)]
  if (frames === 0) return { salts, frames }
  const bytes = header.readUInt32BE(8)
  const at = headerBytes + (frames - 1) * (frameHeaderBytes + bytes)
  const frame = Buffer.allocUnsafe(frameHeaderBytes)
  if (readSync(log, frame, 0, frameHeaderBytes, at) < frameHeaderBytes) return { salts, frames }
  const page = frame.readUInt32BE(0)
  return { salts, frames, last: { page, bytes, before: checksumOfPage(database, page, bytes) } }
}

/** Whether the log of a closed database was folded into it: the page is not the one before. @param file path of the database */
export function isFoldedIn(file: string, { page, bytes, before }: LastPage): boolean {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    return checksumOfPage(descriptor, page, bytes) !== before
  } finally {
    closeSync(descriptor)
  }
}

function checksumOfPage(descriptor: number, page: number, bytes: number): number | null {
  const content = Buffer.allocUnsafe(bytes)
  return readSync(descriptor, content, 0, bytes, (page - 1) * bytes) === bytes ? crc32(content) : null
}

/**
 * Walks the log of a closed database; null when there is none or its header does not hold.
 * @param file path of the database
 */
export function readLogExtent(file: string): LogExtent | null {
  let descriptor: number
  try {
    descriptor = openSync(`${file}-wal`, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch {
    return null
  }
  try {
    return walk(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function walk(descriptor: number): LogExtent | null {
  const header = Buffer.alloc(headerBytes)
  if (readSync(descriptor, header, 0, headerBytes, 0) < headerBytes) return null
  const mark = header.readUInt32BE(0)
  if ((mark & ~1) >>> 0 !== magic) return null
  const isBig = (mark & 1) === 1
  const pageBytes = header.readUInt32BE(8)
  const salts: LogSalts = [header.readUInt32BE(16), header.readUInt32BE(20)]
  let sum = logChecksum(header, 0, 24, [0, 0], isBig)
  if (sum[0] !== header.readUInt32BE(24) || sum[1] !== header.readUInt32BE(28)) return null
  const frameBytes = frameHeaderBytes + pageBytes
  const chunk = Buffer.allocUnsafe(frameBytes * chunkFrames)
  let committed = 0
  for (let frame = 0; ; frame += chunkFrames) {
    const length = readSync(descriptor, chunk, 0, chunk.length, headerBytes + frame * frameBytes)
    for (let at = 0; at < chunkFrames; at += 1) {
      const start = at * frameBytes
      if (start + frameBytes > length) return { salts, frames: committed }
      if (chunk.readUInt32BE(start + 8) !== salts[0] || chunk.readUInt32BE(start + 12) !== salts[1])
        return { salts, frames: committed }
      sum = logChecksum(chunk, start, start + 8, sum, isBig)
      sum = logChecksum(chunk, start + frameHeaderBytes, start + frameBytes, sum, isBig)
      if (sum[0] !== chunk.readUInt32BE(start + 16) || sum[1] !== chunk.readUInt32BE(start + 20))
        return { salts, frames: committed }
      // The size of the database after a COMMIT; zero inside a transaction.
      if (chunk.readUInt32BE(start + 4) !== 0) committed = frame + at + 1
    }
  }
}

/** Goes on with the chain of checksums of a log over these bytes, a multiple of 8. */
export function logChecksum(bytes: Buffer, from: number, to: number, sum: LogSalts, isBig: boolean): LogSalts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let [first, second] = sum
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, !isBig) + second) >>> 0
    second = (second + view.getUint32(at + 4, !isBig) + first) >>> 0
  }
  return [first, second]
}
