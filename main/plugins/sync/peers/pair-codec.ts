// Messages of pairing as bytes: maps in canonical CBOR with the name of their kind. Knows no state of a pairing.
import { z } from 'zod'
import type { PairCodec, PairingReason, PairMessage } from '#main/replication/channel/pairing.ts'
import { decodeBy, encodeBy, readCbor } from '#main/replication/wire/cbor.ts'
import * as shape from '#main/replication/wire/shapes.ts'

const reasons = [
  'code_invalid',
  'too_many_tries',
  'used',
  'expired',
  'not_matching',
  'cancelled',
  'protocol',
  'connection',
  'payload',
] as const satisfies readonly PairingReason[]

const card = z.strictObject({ name: shape.text(512), signKey: shape.hash })
const schema: z.ZodType<PairMessage> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('commit'), card, commitment: shape.hash, proof: shape.hash }),
  z.strictObject({ kind: z.literal('challenge'), card, nonce: shape.hash }),
  z.strictObject({ kind: z.literal('reveal'), nonce: shape.hash }),
  z.strictObject({ kind: z.literal('confirmed') }),
  z.strictObject({ kind: z.literal('payload'), payload: shape.bytes(128 * 1024) }),
  z.strictObject({ kind: z.literal('received') }),
  z.strictObject({
    kind: z.literal('refused'),
    // A newer device may name a reason this one has no word for.
    reason: z.codec(shape.text(64), z.enum(reasons), {
      encode: (reason) => reason,
      decode: (word) => reasons.find((one) => one === word) ?? 'protocol',
    }),
    triesLeft: shape.uint(99).optional(),
  }),
])

/** Turns messages of pairing into bytes and back. @throws WireError for bytes that are none */
export const pairCodec: PairCodec = {
  encode: (message) => encodeBy(schema, message),
  decode: (bytes) => decodeBy(schema, readCbor(bytes)),
}
