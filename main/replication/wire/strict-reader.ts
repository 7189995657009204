// Reads primitive values from bytes nobody vouches for: every length is compared with its limit and with what is left
// before anything is made of it. Knows lib0's varints, no layout.
import * as decoding from 'lib0/decoding'
import { WireError } from './wire-error.ts'

// A byte order mark is a character like others: dropping it would give back another text than was written.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads from the start to the end of one piece of bytes. Every method throws a WireError and nothing else. */
export class StrictReader {
  readonly #decoder: decoding.Decoder

  constructor(bytes: Uint8Array) {
    // A Buffer would hand out Buffers: what is read is plain bytes whatever the socket gave.
    const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#decoder = decoding.createDecoder(plain)
  }

  /** Bytes not read yet. */
  get left(): number {
    return this.#decoder.arr.length - this.#decoder.pos
  }

  /** One byte. */
  byte(): number {
    if (this.left < 1) throw new WireError('truncated', 'The bytes end where one more is due.')
    return decoding.readUint8(this.#decoder)
  }

  /** A varint from 0 to `max`, in its shortest form only: one number has one spelling. */
  uint(max: number): number {
    const start = this.#decoder.pos
    let value: number
    try {
      value = decoding.readVarUint(this.#decoder)
    } catch {
      const isCut = this.left < 1
      throw new WireError(isCut ? 'truncated' : 'too_large', 'A number has no end, or is above what is exact.')
    }
    const length = this.#decoder.pos - start
    // The library reads endless zero digits without a limit and may then answer what is no number.
    if (!Number.isSafeInteger(value) || value > max)
      throw new WireError('too_large', `A number is above its limit of ${max}.`)
    if (length > 1 && this.#decoder.arr[this.#decoder.pos - 1] === 0)
      throw new WireError('malformed', 'A number is not in its shortest form.')
    return value
  }

  /** Four bytes, the highest first. */
  uint32(): number {
    if (this.left < 4) throw new WireError('truncated', 'The bytes end within a number of four bytes.')
    return decoding.readUint32BigEndian(this.#decoder)
  }

  /** Exactly `length` bytes, as a view on the bytes given. */
  fixed(length: number): Uint8Array {
    if (length > this.left) throw new WireError('truncated', `${length} bytes are announced, ${this.left} are left.`)
    return decoding.readUint8Array(this.#decoder, length)
  }

  /** Bytes after their length, as a view on the bytes given. */
  bytes(max: number): Uint8Array {
    return this.fixed(this.uint(max))
  }

  /** UTF-8 text after its length in bytes. */
  text(max: number): string {
    const bytes = this.bytes(max)
    try {
      return utf8.decode(bytes)
    } catch {
      throw new WireError('malformed', 'A text is not UTF-8.')
    }
  }

  /** Everything that is left, as a view on the bytes given. */
  rest(): Uint8Array {
    return this.fixed(this.left)
  }

  /** Fails unless everything has been read. */
  end(): void {
    if (this.left > 0) throw new WireError('trailing', `${this.left} bytes follow the end.`)
  }
}
