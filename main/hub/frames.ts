// Takes the frames that commits have added to an open write-ahead log, and trusts none: each must carry the salts of its
// log and its link of the chain of checksums, and the last one the mark of a COMMIT. Knows the file format only.
// @source https://sqlite.org/fileformat2.html#walformat
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { logChecksum } from '#main/database/wal-log.ts'
import type { LogSalts } from '#main/database/wal-log.ts'

const headerBytes = 32
const frameHeaderBytes = 24
const magic = 0x377f0682
/** Frames read at once; what groups of writes leave is read into the same bytes each time. */
const chunkFrames = 256

/** The pages that commits have changed. */
export interface PageSet {
  /** Bytes of a page. */
  readonly pageSize: number
  /** Pages of the database after them. */
  readonly size: number
  /** The last image of each page, by its number from 1; none behind the end of the database. */
  readonly pages: ReadonlyMap<number, Buffer>
}

/** Reads one log, from its beginning. */
export interface FrameReader {
  /**
   * The pages changed since the last call; null when there are none. Their images stand until the next call.
   * @param committed frames of the log up to the last COMMIT, as `PRAGMA wal_checkpoint(NOOP)` says
   * @throws Error when the log does not go on where it was left: what would be missing is never passed over
   */
  take(committed: number): PageSet | null
  /** Ends it. It gives back a handle of the log, on which SQLite has no locks. */
  close(): void
}

interface Place {
  readonly salts: LogSalts
  readonly pageSize: number
  readonly isBig: boolean
  readonly frames: number
  readonly sum: LogSalts
}

/**
 * Makes the reader of a database's log, before anybody opens the database.
 * @throws Error when there is a log already: what it holds is not in the file, and nobody knows who has it
 */
export function createFrameReader(database: string): FrameReader {
  const file = `${database}-wal`
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Error('The database has a log that is not folded into it. Open and close it once before it is followed.')
  let log: number | undefined
  let place: Place | undefined
  let kept: Buffer | undefined

  /** Bytes for a piece; the images are cut out of it, so that each piece of one call has its own. */
  const roomFor = (bytes: number, isFirst: boolean): Buffer => {
    if (!isFirst) return Buffer.allocUnsafeSlow(bytes)
    if (kept === undefined || kept.length < bytes) kept = Buffer.allocUnsafeSlow(bytes)
    return kept.subarray(0, bytes)
  }

  /** Where to go on: behind what was taken, or at the beginning of the log that came after it. */
  const resume = (descriptor: number): Place => {
    const header = Buffer.allocUnsafe(headerBytes)
    if (readSync(descriptor, header, 0, headerBytes, 0) < headerBytes) throw broken('it has no header')
    const salts: LogSalts = [header.readUInt32BE(16), header.readUInt32BE(20)]
    if (place !== undefined && place.salts[0] === salts[0] && place.salts[1] === salts[1]) return place
    // Two beginnings since the last call: whatever the log between them held is gone. The salt counts them over all
    // connections; the header's own count is of the connection that wrote it, and 0 in a new file alone.
    const isNext = place === undefined ? header.readUInt32BE(12) === 0 : salts[0] === (place.salts[0] + 1) >>> 0
    if (!isNext) throw broken('it began anew unseen')
    const mark = header.readUInt32BE(0)
    if ((mark & ~1) >>> 0 !== magic) throw broken('its header is of something else')
    const isBig = (mark & 1) === 1
    const sum = logChecksum(header, 0, 24, [0, 0], isBig)
    if (sum[0] !== header.readUInt32BE(24) || sum[1] !== header.readUInt32BE(28))
      throw broken('the checksum of its header differs')
    return { salts, pageSize: header.readUInt32BE(8), isBig, frames: 0, sum }
  }

  return {
    take(committed) {
      // Folded whole and not begun anew yet, or never begun.
      if (committed === 0) return null
      log ??= openSync(file, 'r')
      const from = resume(log)
      if (committed < from.frames) throw broken('it is shorter than before')
      if (committed === from.frames) return null
      const frameBytes = frameHeaderBytes + from.pageSize
      const pages = new Map<number, Buffer>()
      let { sum } = from
      let size = 0
      for (let frame = from.frames; frame < committed; frame += chunkFrames) {
        const count = Math.min(chunkFrames, committed - frame)
        const chunk = roomFor(count * frameBytes, frame === from.frames)
        if (readSync(log, chunk, 0, chunk.length, headerBytes + frame * frameBytes) < chunk.length)
          throw broken('frames are missing at its end')
        for (let at = 0; at < chunk.length; at += frameBytes) {
          if (chunk.readUInt32BE(at + 8) !== from.salts[0] || chunk.readUInt32BE(at + 12) !== from.salts[1])
            throw broken('a frame is of another log')
          sum = logChecksum(chunk, at, at + 8, sum, from.isBig)
          sum = logChecksum(chunk, at + frameHeaderBytes, at + frameBytes, sum, from.isBig)
          if (sum[0] !== chunk.readUInt32BE(at + 16) || sum[1] !== chunk.readUInt32BE(at + 20))
            throw broken('the checksum of a frame differs')
          pages.set(chunk.readUInt32BE(at), chunk.subarray(at + frameHeaderBytes, at + frameBytes))
          // The size of the database after a COMMIT; zero inside a transaction.
          size = chunk.readUInt32BE(at + 4)
        }
      }
      if (size === 0) throw broken('it ends inside a transaction')
      for (const page of pages.keys()) if (page > size) pages.delete(page)
      place = { ...from, frames: committed, sum }
      return { pageSize: from.pageSize, size, pages }
    },
    close() {
      if (log !== undefined) closeSync(log)
      log = undefined
    },
  }
}

function broken(why: string): Error {
  return new Error(
    `The write-ahead log does not go on where it was left: ${why}. Nothing of it was passed on; the other nodes have all that was acknowledged.`,
  )
}
