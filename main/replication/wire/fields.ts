// The kinds of values that envelopes are made of, each as one pair of writer and reader with one limit: what the writer
// lets through, the reader accepts, and the other way round. Bytes come from anybody: every length is compared with its
// limit and with what is left before anything is made of it. Knows lib0's varints, no envelope.
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { WireError } from './wire-error.ts'

/** How one value is written and read. Both throw a WireError and nothing else. */
export interface Field<T> {
  readonly write: (to: encoding.Encoder, value: T) => void
  readonly read: (from: decoding.Decoder) => T
}

// A byte order mark is a character like others: dropping it would give back another text than was written.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads from the start of bytes; views on them are plain, whatever the bytes came in. */
export function readerOf(given: Uint8Array): decoding.Decoder {
  const isPlain = given.constructor === Uint8Array
  return decoding.createDecoder(isPlain ? given : new Uint8Array(given.buffer, given.byteOffset, given.length))
}

/** Fails unless everything has been read. */
export function endOf(from: decoding.Decoder): void {
  if (leftOf(from) > 0) throw new WireError('trailing', `${leftOf(from)} bytes follow the end.`)
}

/** Exactly `length` bytes, as a view on those that are read. */
export function take(from: decoding.Decoder, length: number): Uint8Array {
  const left = leftOf(from)
  if (length > left) throw new WireError('truncated', `${length} bytes are due, ${left} are left.`)
  return decoding.readUint8Array(from, length)
}

/** A whole number from `min` to `max` as a varint, in its shortest form only: one number has one spelling. */
export function uint(max: number, min = 0): Field<number> {
  return {
    write(to, value) {
      checkUint(value, max, min)
      encoding.writeVarUint(to, value)
    },
    read(from) {
      const start = from.pos
      let value: number
      try {
        value = decoding.readVarUint(from)
      } catch {
        const isCut = leftOf(from) < 1
        throw new WireError(isCut ? 'truncated' : 'too_large', 'A number has no end, or is above what is exact.')
      }
      // The library reads endless zero digits without a limit and may then answer what is no number.
      if (!Number.isSafeInteger(value)) throw new WireError('too_large', 'A number is above what is exact.')
      checkUint(value, max, min)
      if (from.pos - start > 1 && from.arr[from.pos - 1] === 0)
        throw new WireError('malformed', 'A number is not in its shortest form.')
      return value
    },
  }
}

/** A uint32 in four bytes, the highest first. */
export const uint32: Field<number> = {
  write(to, value) {
    checkUint(value, 0xff_ff_ff_ff)
    encoding.writeUint32BigEndian(to, value)
  },
  read(from) {
    if (leftOf(from) < 4) throw new WireError('truncated', 'The bytes end within a number of four bytes.')
    return decoding.readUint32BigEndian(from)
  },
}

/** A whole number from 0 to 255 in one byte. */
export const byte: Field<number> = {
  write(to, value) {
    checkUint(value, 0xff)
    encoding.writeUint8(to, value)
  },
  read(from) {
    if (leftOf(from) < 1) throw new WireError('truncated', 'The bytes end where one more is due.')
    return decoding.readUint8(from)
  },
}

/** At most `max` bytes, after their length. */
export function bytes(max: number): Field<Uint8Array> {
  const length = uint(max)
  return {
    write(to, value) {
      length.write(to, value.length)
      encoding.writeUint8Array(to, value)
    },
    read: (from) => take(from, length.read(from)),
  }
}

/** A text of at most `max` bytes of UTF-8, after their number. Half a surrogate pair is refused: it has no UTF-8. */
export function text(max: number): Field<string> {
  const encoded = bytes(max)
  return {
    write(to, value) {
      if (!value.isWellFormed()) throw new WireError('malformed', 'A text has half a surrogate pair.')
      encoded.write(to, Buffer.from(value))
    },
    read(from) {
      const read = encoded.read(from)
      try {
        return utf8.decode(read)
      } catch {
        throw new WireError('malformed', 'A text is not UTF-8.')
      }
    },
  }
}

/**
 * A list after its length.
 * @param least bytes that each item takes at least: a length that cannot be is refused before its items are read
 */
export function list<T>(field: Field<T>, max: number, least: number): Field<readonly T[]> {
  const count = uint(max)
  return {
    write(to, values) {
      count.write(to, values.length)
      for (const value of values) field.write(to, value)
    },
    read(from) {
      const length = count.read(from)
      if (length * least > leftOf(from))
        throw new WireError('truncated', `${length} items do not fit into what is left.`)
      return Array.from({ length }, () => field.read(from))
    },
  }
}

/** A record with a fixed set of fields, one after the other in the order in which they are given. */
export function record<T extends object>(fields: { readonly [K in keyof T]-?: Field<T[K]> }): Field<T> {
  const keys = Object.keys(fields) as (keyof T)[]
  return {
    write(to, value) {
      for (const key of keys) fields[key].write(to, value[key])
    },
    read(from) {
      const value: Partial<T> = {}
      for (const key of keys) value[key] = fields[key].read(from)
      return value as T
    },
  }
}

function leftOf(from: decoding.Decoder): number {
  return from.arr.length - from.pos
}

function checkUint(value: number, max: number, min = 0): void {
  if (!Number.isSafeInteger(value) || value < min)
    throw new WireError('malformed', `${value} stands where a whole number from ${min} on is due.`)
  if (value > max) throw new WireError('too_large', `${value} is above its limit of ${max}.`)
}
