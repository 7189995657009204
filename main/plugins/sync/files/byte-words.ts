// What machines say to each other about the bytes of a file: one asks for a piece, the other sends it or says why not. Knows
// no socket and no file.
import { z } from 'zod'
import { decodeBy, encodeBy, readCbor } from '#main/replication/wire/cbor.ts'
import * as shape from '#main/replication/wire/shapes.ts'

/** Bytes of one piece. */
export const pieceBytes = 128 * 1024

/** Why bytes are not sent: they are not here, they are not for the one who asks, or too much is asked for at once. */
export const byteRefusals = ['absent', 'forbidden', 'busy'] as const

const place = {
  /** Id of the machine it is for; through a relay all hear it. */
  to: shape.text(64),
  /** Drawn by who asks; answers name it. */
  id: shape.revision,
  from: shape.uint(2 ** 40),
}
const schema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('want'), ...place, sha256: shape.hash, length: shape.positive(pieceBytes) }),
  z.strictObject({ kind: z.literal('piece'), ...place, hash: shape.hash, bytes: shape.bytes(pieceBytes) }),
  z.strictObject({ kind: z.literal('no'), ...place, code: z.enum(byteRefusals) }),
])

/** A word about bytes. */
export type ByteWord = Readonly<z.output<typeof schema>>

/** A word of one kind. */
export type ByteWordOf<K extends ByteWord['kind']> = Extract<ByteWord, { readonly kind: K }>

/** The bytes of a word. @throws WireError for what its reader would refuse */
export const encodeByteWord = (word: ByteWord): Uint8Array => encodeBy(schema, word)

/** Reads a word that fills the bytes given; byte strings in it are views. @throws WireError for anything else */
export const decodeByteWord = (encoded: Uint8Array): ByteWord => decodeBy(schema, readCbor(encoded))
