// The bytes of one row of the hub's log: which pages a group of commits left, and after which row. Knows nothing of where
// rows are kept, of compression or of keys.
import { createHash } from 'node:crypto'
import type { PageSet } from './frames.ts'

const format = 1
const headerBytes = 48
const hashBytes = 32

/** A row as it is read back. */
export interface PageRow extends PageSet {
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
 * Makes the bytes of a row: format (u32), page size (u32), size of the database (u32), number of pages (u32), hash of the row
 * before it (32 bytes), the numbers of the pages (u32 each, rising), their images. All numbers are big-endian.
 */
export function encodePageRow({ pageSize, size, pages }: PageSet, before: Buffer): Buffer {
  const numbers = [...pages.keys()].toSorted((a, b) => a - b)
  const head = Buffer.alloc(headerBytes + numbers.length * 4)
  head.writeUInt32BE(format, 0)
  head.writeUInt32BE(pageSize, 4)
  head.writeUInt32BE(size, 8)
  head.writeUInt32BE(numbers.length, 12)
  before.copy(head, 16)
  numbers.forEach((page, at) => head.writeUInt32BE(page, headerBytes + at * 4))
  return Buffer.concat([head, ...numbers.map((page) => pages.get(page)!)])
}

/** Reads a row. @throws Error when it is of a newer program, or its length is not what it says */
export function decodePageRow(row: Buffer): PageRow {
  if (row.length < headerBytes) throw new Error('A row of the hub is cut off.')
  const found = row.readUInt32BE(0)
  if (found !== format)
    throw new Error(`A row of the hub has format ${found}, this program knows ${format}. Upgrade this node.`)
  const pageSize = row.readUInt32BE(4)
  const size = row.readUInt32BE(8)
  const count = row.readUInt32BE(12)
  const images = headerBytes + count * 4
  if (row.length !== images + count * pageSize) throw new Error('A row of the hub is cut off.')
  const pages = new Map<number, Buffer>()
  for (let at = 0; at < count; at += 1) {
    const start = images + at * pageSize
    pages.set(row.readUInt32BE(headerBytes + at * 4), row.subarray(start, start + pageSize))
  }
  return { pageSize, size, pages, before: Buffer.from(row.subarray(16, 16 + hashBytes)) }
}
