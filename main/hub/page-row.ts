// The bytes of one row of the hub's log: what a group of commits changed, and after which row. Knows nothing of where
// rows are kept, of compression or of keys.
import { createHash } from 'node:crypto'
import { blockBytes, runsOf } from './page-changes.ts'
import type { ChangeSet, Runs } from './page-changes.ts'
import { SealBroken } from './seal.ts'

const format = 2
const headerBytes = 48
const hashBytes = 32
const pageHeadBytes = 6
const runBytes = 4

/** Bytes of the database file and where they belong, from its beginning. */
export interface FileWrite {
  readonly at: number
  readonly bytes: Buffer
}

/** What makes the file what it was after a row, wherever between the row before and this one it stands. */
export interface FileWrites {
  /** Bytes of the file after them. */
  readonly fileBytes: number
  readonly writes: readonly FileWrite[]
}

/** A row as it is read back. */
export interface PageRow extends FileWrites {
  /** SHA-256 of the row before it; zeros in the first one. */
  readonly before: Buffer
}

/** What the first row names as the one before it. */
export const noRow: Buffer = Buffer.alloc(hashBytes)

/** SHA-256 of a row, which the next one names. @param row as {@link encodePageRow} made it */
export function hashOfRow(row: Uint8Array): Buffer {
  return createHash('sha256').update(row).digest()
}

/**
 * Makes the bytes of a row: format (u32), page size (u32), size of the database in pages (u32), number of pages (u32), hash of
 * the row before it (32 bytes); of each page, numbers rising, its number (u32), the number of its runs of changed blocks (u16;
 * 0: the whole page) and of each run its first block and its blocks (u16 each); then the changed bytes in the same order. All
 * numbers are big-endian, a block has 64 bytes.
 */
export function encodePageRow({ pageSize, size, pages }: ChangeSet, before: Buffer): Buffer {
  const places: { number: number; image: Buffer; runs: Runs | null }[] = []
  let headsEnd = headerBytes
  let bytes = 0
  for (const number of [...pages.keys()].toSorted((a, b) => a - b)) {
    const { image, blocks } = pages.get(number)!
    const runs = runsOf(blocks)
    // A page that was written as it was: nothing has to be done for it.
    if (runs?.length === 0) continue
    places.push({ number, image, runs })
    headsEnd += pageHeadBytes + (runs?.length ?? 0) * runBytes
    bytes += runs === null ? image.length : runs.reduce((sum, [, count]) => sum + count * blockBytes, 0)
  }
  const row = Buffer.allocUnsafe(headsEnd + bytes)
  row.writeUInt32BE(format, 0)
  row.writeUInt32BE(pageSize, 4)
  row.writeUInt32BE(size, 8)
  row.writeUInt32BE(places.length, 12)
  before.copy(row, 16)
  let head = headerBytes
  let end = headsEnd
  for (const { number, image, runs } of places) {
    row.writeUInt32BE(number, head)
    row.writeUInt16BE(runs?.length ?? 0, head + 4)
    head += pageHeadBytes
    if (runs === null) end += image.copy(row, end)
    for (const [first, count] of runs ?? []) {
      row.writeUInt16BE(first, head)
      row.writeUInt16BE(count, head + 2)
      head += runBytes
      end += image.copy(row, end, first * blockBytes, (first + count) * blockBytes)
    }
  }
  return row
}

/**
 * Reads a row.
 * @throws SealBroken when it is of another version of the program; Error when its length is not what it says
 */
export function decodePageRow(row: Buffer): PageRow {
  if (row.length < headerBytes) throw cutOff()
  const found = row.readUInt32BE(0)
  if (found !== format) {
    const older = found > format ? 'this node' : 'the node that wrote it'
    throw new SealBroken(`A row of the hub has format ${found}, this program knows ${format}. Upgrade ${older}.`)
  }
  const pageSize = row.readUInt32BE(4)
  const count = row.readUInt32BE(12)
  const places: { at: number; length: number }[] = []
  let place = headerBytes
  const room = (bytes: number): void => {
    if (place + bytes > row.length) throw cutOff()
  }
  for (let page = 0; page < count; page += 1) {
    room(pageHeadBytes)
    const start = (row.readUInt32BE(place) - 1) * pageSize
    const runs = row.readUInt16BE(place + 4)
    place += pageHeadBytes
    if (runs === 0) places.push({ at: start, length: pageSize })
    room(runs * runBytes)
    for (const end = place + runs * runBytes; place < end; place += runBytes) {
      const at = start + row.readUInt16BE(place) * blockBytes
      places.push({ at, length: row.readUInt16BE(place + 2) * blockBytes })
    }
  }
  const writes = places.map(({ at, length }) => {
    room(length)
    place += length
    return { at, bytes: row.subarray(place - length, place) }
  })
  if (place !== row.length) throw cutOff()
  return { fileBytes: row.readUInt32BE(8) * pageSize, writes, before: Buffer.from(row.subarray(16, 16 + hashBytes)) }
}

function cutOff(): Error {
  return new Error('A row of the hub is cut off.')
}
