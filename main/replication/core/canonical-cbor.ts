// One byte form per value, so that equal contents have equal hashes. Knows no document; takes whatever Yjs can decode.
import { hash } from 'node:crypto'
import { isPlain } from './json-value.ts'

/** Where values are written before they are copied or hashed: one for all, since each document asks for several. */
let buffer = Buffer.allocUnsafe(16 * 1024)
let length = 0

/** Above this, room made for one large value is given back. */
const keptBytes = 1024 * 1024

/**
 * Writes a value in CBOR as RFC 8949 section 4.2.1 has it (shortest lengths, keys sorted by their bytes), with two rules
 * of its own: whole numbers up to 2^53 are integers and all others are doubles; what is neither JSON nor bytes nor a
 * bigint is `undefined`. Values must not be nested without bound.
 * @source sync.md section 6, `lhash`
 */
export function canonicalCbor(value: unknown): Uint8Array {
  return withWritten(value, (bytes) => new Uint8Array(bytes))
}

/** SHA-256 of {@link canonicalCbor}. */
export function hashCanonical(value: unknown): Uint8Array {
  return withWritten(value, (bytes) => hash('sha256', bytes, 'buffer'))
}

function withWritten<T>(value: unknown, use: (bytes: Uint8Array) => T): T {
  length = 0
  writeCanonical(value)
  const result = use(buffer.subarray(0, length))
  if (buffer.length > keptBytes) buffer = Buffer.allocUnsafe(16 * 1024)
  return result
}

/** Makes room for so many more bytes. */
function reserve(bytes: number): void {
  if (length + bytes <= buffer.length) return
  const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + bytes))
  buffer.copy(larger, 0, 0, length)
  buffer = larger
}

/** Orders byte strings as their first difference does; a prefix comes first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = a[i]! - b[i]!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function writeByte(byte: number): void {
  reserve(1)
  buffer[length] = byte
  length += 1
}

function writeBytes(bytes: Uint8Array): void {
  reserve(bytes.length)
  buffer.set(bytes, length)
  length += bytes.length
}

function writeCanonical(value: unknown): void {
  switch (typeof value) {
    case 'string':
      return writeText(value)
    case 'number':
      return writeNumber(value)
    case 'boolean':
      return writeByte(value ? 0xf5 : 0xf4)
    case 'bigint':
      // Tag 2 (bignum), its text instead of its bytes: no value of ours is one, it only must not be lost.
      writeByte(0xc2)
      return writeText(String(value))
    case 'object':
      return value === null ? writeByte(0xf6) : writeObject(value)
    default:
      return writeByte(0xf7)
  }
}

function writeObject(value: object): void {
  if (value instanceof Uint8Array) {
    writeHead(2, value.length)
    writeBytes(value)
  } else if (Array.isArray(value)) {
    writeHead(4, value.length)
    for (const item of value) writeCanonical(item)
  } else if (!isPlain(value)) {
    writeCanonical(undefined)
  } else {
    const members = Object.entries(value).sort(([a], [b]) => compareKeys(a, b))
    writeHead(5, members.length)
    for (const [key, item] of members) {
      writeText(key)
      writeCanonical(item)
    }
  }
}

/** Orders keys as their bytes in CBOR are ordered: shorter ones first. */
function compareKeys(a: string, b: string): number {
  if (isShortAscii(a) && isShortAscii(b)) return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length - right.length || compareBytes(left, right)
}

function writeText(text: string): void {
  if (isShortAscii(text)) {
    writeHead(3, text.length)
    reserve(text.length)
    for (let i = 0; i < text.length; i++) buffer[length + i] = text.charCodeAt(i)
    length += text.length
    return
  }
  const bytes = Buffer.byteLength(text)
  writeHead(3, bytes)
  reserve(bytes)
  length += buffer.write(text, length)
}

/** Uids, ids and most words are: for them a loop is faster than the encoder. */
function isShortAscii(text: string): boolean {
  if (text.length > 40) return false
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}

function writeNumber(value: number): void {
  if (Number.isSafeInteger(value)) {
    if (value >= 0) writeHead(0, value)
    else writeHead(1, -1 - value)
  } else {
    reserve(9)
    buffer[length] = 0xfb
    buffer.writeDoubleBE(value, length + 1)
    length += 9
  }
}

/** The first bytes of an item: its major type and its number, in the shortest form. */
function writeHead(major: number, n: number): void {
  const type = major << 5
  reserve(9)
  if (n < 24) {
    buffer[length++] = type | n
  } else if (n < 0x100) {
    buffer[length++] = type | 24
    buffer[length++] = n
  } else if (n < 0x10000) {
    buffer[length++] = type | 25
    length = buffer.writeUInt16BE(n, length)
  } else if (n < 0x1_0000_0000) {
    buffer[length++] = type | 26
    length = buffer.writeUInt32BE(n, length)
  } else {
    buffer[length++] = type | 27
    length = buffer.writeUInt32BE(Math.floor(n / 0x1_0000_0000), length)
    length = buffer.writeUInt32BE(n % 0x1_0000_0000, length)
  }
}
