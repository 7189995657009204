// Canonical CBOR (RFC 8949, section 4.2.1) as frames and words are written in: whole numbers, texts, bytes, yes or no,
// lists, and maps by names. Values have one spelling: what is read is written again as the same bytes. Knows schemas, no frame.
import { decodeFirst, encodeInto, Token, Tokenizer, Type } from 'cborg'
import { z } from 'zod'
import { frameLimit } from './limits.ts'
import { WireError } from './wire-error.ts'

/** Values of one piece of bytes, lists and names counted too: a vector at its limit, and what stands around it. */
const valueLimit = 33_000

/** How deep lists and maps may lie in each other. */
const depthLimit = 4

// A byte order mark is a character like others: dropping it would give back another text than was written.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const target = new Uint8Array(frameLimit)

/** The bytes of a value that needs no schema. @throws WireError when it is larger than a frame may be */
export function writeCbor(value: unknown): Uint8Array {
  try {
    return target.slice(0, encodeInto(value, target, { ignoreUndefinedProperties: true }).written)
  } catch {
    throw new WireError('too_large', `A value is above ${frameLimit} bytes.`)
  }
}

/**
 * The value that fills the bytes given. Byte strings within it are views on them: copy what is kept longer.
 * @throws WireError
 */
export function readCbor(encoded: Uint8Array): unknown {
  if (encoded.length > frameLimit) throw new WireError('too_large', `A frame has ${encoded.length} bytes.`)
  const bytes = new Views(encoded.buffer as ArrayBuffer, encoded.byteOffset, encoded.byteLength)
  let read: readonly [unknown, Uint8Array]
  try {
    read = decodeFirst(bytes, { tokenizer: new StrictTokens(bytes, { strict: true, retainStringBytes: true }) })
  } catch (error) {
    if (error instanceof WireError) throw error
    const message = error instanceof Error ? error.message : ''
    throw new WireError(/not enough|did not find/.test(message) ? 'truncated' : 'malformed', message)
  }
  if (read[1].length > 0) throw new WireError('trailing', `${read[1].length} bytes follow the end.`)
  return read[0]
}

/** The bytes of what a schema describes. @throws WireError for what {@link decodeBy} would refuse */
export function encodeBy<S extends z.ZodType>(schema: S, value: z.output<S>): Uint8Array {
  const checked = z.safeEncode(schema, value)
  return writeCbor(checked.success ? checked.data : refuse(checked.error.issues))
}

/** What a schema describes, from a value that was read. @throws WireError */
export function decodeBy<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const checked = schema.safeParse(value)
  return checked.success ? checked.data : refuse(checked.error.issues)
}

function refuse([issue]: readonly z.core.$ZodIssue[]): never {
  const code = issue?.code === 'too_big' ? 'too_large' : 'malformed'
  throw new WireError(code, `${issue?.path.join('.')}: ${issue?.message}`)
}

/** Bytes whose parts are views: the library takes byte strings out by `slice`, and copies of them would double a frame. */
class Views extends Uint8Array {
  override slice(start = 0, end = this.length): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.buffer, this.byteOffset + start, end - start)
  }
}

/** A list or a map while it is read. */
interface Open {
  readonly within: Open | undefined
  readonly depth: number
  readonly isMap: boolean
  /** Values still to come. */
  left: number
  /** The last name in a map; shorter than every other one before the first. */
  name: string
}

/**
 * Refuses before anything is made of it what has another spelling or asks for more than its bytes can hold. Of numbers and
 * lengths in their shortest form only the library knows.
 */
class StrictTokens extends Tokenizer {
  #open: Open | undefined
  #count = 0

  override next(): Token {
    const token = this.#read()
    const { type } = token
    this.#count += 1
    if (this.#count > valueLimit) throw new WireError('too_large', `There are more than ${valueLimit} values.`)
    if (type === Type.string) mendText(token)
    const open = this.#place(token)
    if (type === Type.array || type === Type.map) this.#enter(open, token)
    else if (!plainTypes.has(type)) throw new WireError('malformed', `A value is of the type ${type.name}.`)
    return token
  }

  /** The library has one empty byte string for all: it would be no view, and the same object in every frame. */
  #read(): Token {
    const token = super.next()
    if (token.type !== Type.bytes || (token.value as Uint8Array).length > 0) return token
    return new Token(Type.bytes, this.data.slice(this.pos(), this.pos()), token.encodedLength)
  }

  /** Takes the place of a value in what is open: names rise, so that none comes twice. */
  #place({ type, value }: Token): Open | undefined {
    let open = this.#open
    while (open?.left === 0) open = open.within
    this.#open = open
    if (open === undefined) return undefined
    if (open.isMap && open.left % 2 === 0) {
      const name: unknown = type === Type.string ? value : undefined
      if (typeof name !== 'string' || !isBefore(open.name, name))
        throw new WireError('malformed', 'The names of a map do not rise.')
      open.name = name
    }
    open.left -= 1
    return open
  }

  #enter(within: Open | undefined, { type, value }: Token): void {
    const isMap = type === Type.map
    const left = Number(value) * (isMap ? 2 : 1)
    const depth = (within?.depth ?? 0) + 1
    if (left > this.data.length - this.pos())
      throw new WireError('truncated', `${left} values do not fit into what is left.`)
    if (depth > depthLimit) throw new WireError('too_large', `Values are above ${depthLimit} levels deep.`)
    this.#open = { within, depth, isMap, left, name: '' }
  }
}

const plainTypes: ReadonlySet<Type> = new Set([Type.uint, Type.bytes, Type.string, Type.true, Type.false])

/** Shorter names first, as their bytes are ordered. */
function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length
}

/** The library drops a byte order mark, and puts another character for what is no UTF-8. */
function mendText(token: Token): void {
  const { byteValue } = token
  if (byteValue === undefined || (byteValue[0] !== 0xef && !String(token.value).includes('\ufffd'))) return
  token.value = utf8.decode(byteValue)
}
