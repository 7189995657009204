// The bytes of one row of the hub's log: what a group of commits changed, and after which row. Knows nothing of where
// rows are kept, of compression or of keys.
import { createHash } from 'node:crypto'
import { blockBytes, runsOf } from './page-changes.ts'
import type { ChangeSet } from './page-changes.ts'
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
  const numbers = [...pages.keys()].toSorted((a, b) => a - b)
  const parts: Buffer[] = []
  const heads: Buffer[] = []
  for (const number of numbers) {
    const { image, blocks } = pages.get(number)!
    const runs = runsOf(blocks)
    const pageHead = Buffer.alloc(pageHeadBytes + (runs?.length ?? 0) * runBytes)
    pageHead.writeUInt32BE(number, 0)
    pageHead.writeUInt16BE(runs?.length ?? 0, 4)
    // A page that was written as it was: nothing has to be done for it.
    if (runs?.length === 0) continue
    if (runs === null) parts.push(image)
    runs?.forEach(([first, count], at) => {
      pageHead.writeUInt16BE(first, pageHeadBytes + at * runBytes)
      pageHead.writeUInt16BE(count, pageHeadBytes + at * runBytes + 2)
      parts.push(image.subarray(first * blockBytes, (first + count) * blockBytes))
    })
    heads.push(pageHead)
  }
  const head = Buffer.alloc(headerBytes)
  head.writeUInt32BE(format, 0)
  head.writeUInt32BE(pageSize, 4)
  head.writeUInt32BE(size, 8)
  head.writeUInt32BE(heads.length, 12)
  before.copy(head, 16)
  return Buffer.concat([head, ...heads, ...parts])
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
