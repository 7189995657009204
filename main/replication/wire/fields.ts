// The kinds of values that envelopes and frames are made of, each as one pair of writer and reader with one limit: what
// the writer lets through, the reader accepts, and the other way round. Knows no envelope and no frame.
import * as encoding from 'lib0/encoding'
import type { StrictReader } from './strict-reader.ts'
import { WireError } from './wire-error.ts'

/** How one value is written and read. Both throw a WireError and nothing else. */
export interface Field<T> {
  readonly write: (to: encoding.Encoder, value: T) => void
  readonly read: (from: StrictReader) => T
}

const utf8 = new TextEncoder()

/** A whole number from 0 to `max` as a varint. */
export function uint(max: number): Field<number> {
  return {
    write(to, value) {
      checkUint(value, max)
      encoding.writeVarUint(to, value)
    },
    read: (from) => from.uint(max),
  }
}

/** A whole number from 1 to `max` as a varint. */
export function positive(max: number): Field<number> {
  const field = uint(max)
  const check = (value: number): number => {
    if (value === 0) throw new WireError('malformed', 'A number that starts at one is zero.')
    return value
  }
  return { write: (to, value) => field.write(to, check(value)), read: (from) => check(field.read(from)) }
}

/** A uint32 in four bytes. */
export const uint32: Field<number> = {
  write(to, value) {
    checkUint(value, 0xff_ff_ff_ff)
    encoding.writeUint32BigEndian(to, value)
  },
  read: (from) => from.uint32(),
}

/** A whole number from 0 to 255 in one byte. */
export const byte: Field<number> = {
  write(to, value) {
    checkUint(value, 0xff)
    encoding.writeUint8(to, value)
  },
  read: (from) => from.byte(),
}

/** Yes or no in one byte. */
export const flag: Field<boolean> = {
  write: (to, value) => encoding.writeUint8(to, value ? 1 : 0),
  read(from) {
    const value = from.byte()
    if (value > 1) throw new WireError('malformed', `A yes or no is ${value}.`)
    return value === 1
  },
}

/** Exactly `length` bytes. */
export function fixed(length: number): Field<Uint8Array> {
  return {
    write(to, value) {
      if (value.length !== length)
        throw new WireError('malformed', `${value.length} bytes stand where ${length} are due.`)
      encoding.writeUint8Array(to, value)
    },
    read: (from) => from.fixed(length),
  }
}

/** At most `max` bytes, after their length. */
export function bytes(max: number): Field<Uint8Array> {
  return {
    write(to, value) {
      checkUint(value.length, max)
      encoding.writeVarUint8Array(to, value)
    },
    read: (from) => from.bytes(max),
  }
}

/** A text of at most `max` bytes of UTF-8, after their number. Half a surrogate pair is refused: it has no UTF-8. */
export function text(max: number): Field<string> {
  return {
    write(to, value) {
      if (!value.isWellFormed()) throw new WireError('malformed', 'A text has half a surrogate pair.')
      const encoded = utf8.encode(value)
      checkUint(encoded.length, max)
      encoding.writeVarUint8Array(to, encoded)
    },
    read: (from) => from.text(max),
  }
}

/** A value that may be absent. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return {
    write(to, value) {
      flag.write(to, value !== undefined)
      if (value !== undefined) field.write(to, value)
    },
    read: (from) => (flag.read(from) ? field.read(from) : undefined),
  }
}

/**
 * A list after its length.
 * @param least bytes that each item takes at least: a length that cannot be is refused before its items are read
 */
export function list<T>(field: Field<T>, max: number, least: number): Field<readonly T[]> {
  return {
    write(to, values) {
      checkUint(values.length, max)
      encoding.writeVarUint(to, values.length)
      for (const value of values) field.write(to, value)
    },
    read(from) {
      const length = from.uint(max)
      if (length * least > from.left) throw new WireError('truncated', `${length} items do not fit into what is left.`)
      const values: T[] = []
      for (let index = 0; index < length; index += 1) values.push(field.read(from))
      return values
    },
  }
}

/** The fields of a record, one after the other in the order in which they are given. */
export type Fields<T> = { readonly [K in keyof T]-?: Field<T[K]> }

/** A record with a fixed set of fields. An absent optional one is left out of what is read. */
export function record<T extends object>(fields: Fields<T>): Field<T> {
  const keys = Object.keys(fields) as (keyof T)[]
  return {
    write(to, value) {
      for (const key of keys) fields[key].write(to, value[key])
    },
    read(from) {
      const value: Partial<T> = {}
      for (const key of keys) {
        const part = fields[key].read(from)
        if (part !== undefined) value[key] = part
      }
      return value as T
    },
  }
}

function checkUint(value: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new WireError('malformed', `${value} stands where a whole number is due.`)
  if (value > max) throw new WireError('too_large', `${value} is above its limit of ${max}.`)
}
