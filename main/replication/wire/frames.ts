// The frames two devices, or a device and a relay, speak in: one schema each, of which their types follow. What their bytes
// are is the business of frame-codec.ts.
import { z } from 'zod'
import type { BucketEntry, Head, SealedEnvelope } from '../core/types.ts'
import { decodeEnvelope, encodeEnvelope } from './envelope-codec.ts'
import { awarenessLimit, docNameLimit, envelopeLimit, frameLimit } from './limits.ts'
import * as shape from './shapes.ts'
import { vectorSchema as vector } from './vector-codec.ts'
import { WireError } from './wire-error.ts'

/** The protocols that devices and relays speak. The first one had a layout of its own for each frame. */
export const protocols = { min: 2, max: 2 } as const

/** Buckets of a digest. */
export const bucketCount = 1024

/** Bytes of a bucket of a digest, and of the hash of a document's content. */
export const logicalHashBytes = 8

/** Bytes of the hash of a document's name. */
export const nameHashBytes = 8

/** Bytes of the whole that pieces may make. */
export const wholeLimit = envelopeLimit

const entryBytes = nameHashBytes + logicalHashBytes

/** Entries one after the other in one byte string: names of members would take more than what they name. */
const bucketEntries = z.codec(shape.bytes(frameLimit), z.custom<readonly BucketEntry[]>(), {
  encode(entries) {
    const isWhole = ({ name, hash }: BucketEntry): boolean =>
      name.length === nameHashBytes && hash.length === logicalHashBytes
    if (entries.every(isWhole)) return Buffer.concat(entries.flatMap(({ name, hash }) => [name, hash]))
    throw new WireError('malformed', 'A hash in a bucket has another length.')
  },
  decode(packed) {
    if (packed.length % entryBytes !== 0) throw new WireError('malformed', 'An entry of a bucket is cut.')
    return Array.from({ length: packed.length / entryBytes }, (_, index) => {
      const entry = packed.subarray(index * entryBytes, (index + 1) * entryBytes)
      return { name: entry.subarray(0, nameHashBytes), hash: entry.subarray(nameHashBytes) }
    })
  },
})

/** Each envelope is one byte string, the same as where it is stored and in the chain. */
const envelopes = z.codec(
  z.custom<readonly unknown[]>((value) => Array.isArray(value)),
  z.custom<readonly SealedEnvelope[]>(),
  {
    encode: (list) => list.map(encodeEnvelope),
    decode: (list) =>
      list.map((one) => {
        if (one instanceof Uint8Array) return decodeEnvelope(one)
        throw new WireError('malformed', 'An envelope is no byte string.')
      }),
  },
)

const head: z.ZodType<Head> = z.strictObject({
  inc: shape.incarnation,
  seq: shape.sequence,
  hash: shape.hash,
  sig: shape.signature,
})

/** More pieces than a whole of the largest size has when each holds a single KiB. */
const pieceLimit = wholeLimit / 1024
const piece = {
  /** From 0. */
  part: shape.uint(pieceLimit - 1),
  parts: shape.positive(pieceLimit),
  /** Bytes of the whole. */
  size: shape.uint(wholeLimit),
  bytes: shape.bytes(frameLimit),
}
const isPiece = ({ part, parts }: { readonly part: number; readonly parts: number }): boolean => part < parts

/** What one device says of another one's admission to a relay. */
const admission = {
  /** Public key of the device concerned. */
  key: shape.hash,
  /** Public key of the device that says so. */
  by: shape.hash,
  /** The latest word about a device counts, so an old one cannot be said again. */
  at: shape.time,
  sig: shape.signature,
}

const doc = shape.text(docNameLimit)
const contradiction = 'The numbers of a frame contradict each other.'

/** Every frame this version knows by its kind. A name is never given a second meaning. */
export const frameSchemas = {
  /** Opens a connection: both sides send it first, and the lower common protocol is used. */
  HELLO: z
    .strictObject({
      kind: z.literal('HELLO'),
      protoMin: shape.uint(0xffff),
      protoMax: shape.uint(0xffff),
      ws: shape.workspaceId,
      epoch: shape.revision,
      /** Id of the device. */
      device: shape.text(64),
      inc: shape.incarnation,
      /** By the sender's clock. */
      time: shape.time,
      appVersion: shape.text(64),
      schemaRev: shape.revision,
      vector,
    })
    .refine(({ protoMin, protoMax }) => protoMin <= protoMax, contradiction),
  /** Proves the device's key for this one connection: a signature over the channel's hash and the sender's side of it. */
  AUTH: z.strictObject({
    kind: z.literal('AUTH'),
    key: shape.hash,
    sig: shape.signature,
    /** Admin token of a relay, where the connection is to register a workspace. */
    token: shape.text(512).optional(),
  }),
  /** Envelopes of one run or a part of it. The head vouches for everything of its incarnation up to its number. */
  ENV: z.strictObject({ kind: z.literal('ENV'), envelopes, head: head.optional() }),
  /** A piece of one encoded envelope. */
  ENVPART: z.strictObject({ kind: z.literal('ENVPART'), ...piece }).refine(isPiece, contradiction),
  /** What is durable at the sender of the frame. */
  ACK: z.strictObject({ kind: z.literal('ACK'), vector }),
  /** Asks for envelopes `from` to `to`. */
  WANT: z
    .strictObject({ kind: z.literal('WANT'), inc: shape.incarnation, from: shape.sequence, to: shape.sequence })
    .refine(({ from, to }) => from <= to, contradiction),
  /** What the digest of everything at a vector comes to. Where it is the other side's, nothing more needs to travel. */
  DIGESTHASH: z.strictObject({ kind: z.literal('DIGESTHASH'), vector, hash: shape.hash }),
  /** The digest of everything at a vector: 1,024 buckets of 8 bytes. */
  DIGEST: z.strictObject({ kind: z.literal('DIGEST'), vector, buckets: shape.fixed(bucketCount * logicalHashBytes) }),
  /** Asks for a bucket, or with entries answers. */
  BUCKET: z.strictObject({
    kind: z.literal('BUCKET'),
    bucket: shape.uint(bucketCount - 1),
    entries: bucketEntries.optional(),
  }),
  /**
   * Repairs one document, in pieces where it is large. Step 1: a state vector. 2: the difference to the one received.
   * 3: a part of it; the next one is to be asked for.
   */
  DOCSYNC: z
    .strictObject({ kind: z.literal('DOCSYNC'), doc, step: shape.positive(3), ...piece })
    .refine(isPiece, contradiction),
  /** An update of a text that is open on the other side; may be lost. */
  LIVE: z.strictObject({ kind: z.literal('LIVE'), doc, update: shape.bytes(frameLimit) }),
  /** Who is in an open text and where; may be lost, never stored. */
  AWARE: z.strictObject({ kind: z.literal('AWARE'), doc, update: shape.bytes(awarenessLimit) }),
  /** Asks to be told once everything sent before it is durable; the answer has the same id. */
  BARRIER: z.strictObject({ kind: z.literal('BARRIER'), id: shape.revision, reply: z.boolean() }),
  /** Admits a device to a relay. */
  GRANT: z.strictObject({ kind: z.literal('GRANT'), ...admission }),
  /** Closes a device out of a relay. */
  REVOKE: z.strictObject({ kind: z.literal('REVOKE'), ...admission }),
  /**
   * Says of a device that a REVOKE of the same moment closes out why: its person may not read everything. A relay that does
   * not know it closes it out all the same; no answer.
   */
  NARROW: z.strictObject({ kind: z.literal('NARROW'), ...admission }),
  /** Where the sender listens by now, `host:port`: it was elsewhere when the two connected last. */
  PLACE: z.strictObject({ kind: z.literal('PLACE'), addresses: z.array(shape.text(300)).max(16) }),
  /** Something could not be taken; `item` names the envelope it is about. */
  ERR: z.strictObject({
    kind: z.literal('ERR'),
    code: shape.text(64),
    item: z.strictObject({ inc: shape.incarnation, seq: shape.sequence }).optional(),
    detail: shape.text(1024).optional(),
  }),
  /** Asks whether the other side is there. */
  PING: z.strictObject({ kind: z.literal('PING'), id: shape.revision }),
  /** Answers a PING with its id. */
  PONG: z.strictObject({ kind: z.literal('PONG'), id: shape.revision }),
  /** Everything the other side lacked at this vector has been sent. */
  DONE: z.strictObject({ kind: z.literal('DONE'), vector }),
}

/** The kinds of frames. */
export type FrameKind = keyof typeof frameSchemas

/** A frame of one kind, or of one of several. */
export type FrameOf<K extends FrameKind> = { [One in K]: Readonly<z.output<(typeof frameSchemas)[One]>> }[K]

/** A frame this version knows. */
export type KnownFrame = FrameOf<FrameKind>

/** A piece of what is larger than a frame. */
export type Piece = Readonly<z.output<z.ZodObject<typeof piece>>>

/** A frame of a kind this version does not know. It is no error: the sender may be newer. */
export interface UnknownFrame {
  readonly kind: 'unknown'
  /** All of it. */
  readonly bytes: Uint8Array
}

/** What one message of a connection holds. */
export type Frame = KnownFrame | UnknownFrame
