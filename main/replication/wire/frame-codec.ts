// Frames as bytes: one message of the socket is one frame, its type first. Each layout stands once, for the writer and
// the reader alike. Knows no socket and no order of frames.
import * as encoding from 'lib0/encoding'
import type { Head, SealedEnvelope } from '../core/types.ts'
import { decodeEnvelope, encodeEnvelope } from './envelope-codec.ts'
import type { Field, Fields } from './fields.ts'
import { bytes, fixed, flag, list, optional, positive, record, text, uint, uint32 } from './fields.ts'
import type { BucketEntry, DeviceCard, Frame, KnownFrame } from './frames.ts'
import {
  awarenessLimit,
  docNameLimit,
  envelopeLimit,
  frameLimit,
  hashBytes,
  maxMilliseconds,
  maxRevision,
  maxSequence,
  signatureBytes,
  workspaceIdBytes,
} from './limits.ts'
import { StrictReader } from './strict-reader.ts'
import type { Position } from './vector-codec.ts'
import { vectorField } from './vector-codec.ts'
import { WireError } from './wire-error.ts'

/** Buckets of a digest. */
export const bucketCount = 1024

/** Bytes of a bucket of a digest, and of the hash of a document's content. */
export const logicalHashBytes = 8

/** Bytes of the hash of a document's name. */
export const nameHashBytes = 8

/** Bytes of the whole that pieces may make. */
export const wholeLimit = envelopeLimit

type Kind = KnownFrame['kind']
type FrameOf<K extends Kind> = Extract<KnownFrame, { readonly kind: K }>

const hash = fixed(hashBytes)
const signature = fixed(signatureBytes)
const workspace = fixed(workspaceIdBytes)
const id = text(64)
const name = text(512)
const doc = text(docNameLimit)
const revision = uint(maxRevision)
const time = uint(maxMilliseconds)
const sequence = positive(maxSequence)
const frameBytes = bytes(frameLimit)

const head = record<Head>({ inc: uint32, seq: sequence, hash, sig: signature })
const position = record<Position>({ inc: uint32, seq: sequence })
const card = record<DeviceCard>({ name, signKey: hash })
const bucketEntry = record<BucketEntry>({ name: fixed(nameHashBytes), hash: fixed(logicalHashBytes) })

const envelope: Field<SealedEnvelope> = {
  write: (to, value) => frameBytes.write(to, encodeEnvelope(value)),
  read: (from) => decodeEnvelope(frameBytes.read(from)),
}
/** Length, version, incarnation, sequence number, epoch, seal and the length of an empty body. */
const leastEnvelopeBytes = 10

/** More pieces than a whole of the largest size has when each holds a single KiB. */
const pieceLimit = wholeLimit / 1024

const piece = { part: uint(pieceLimit - 1), parts: positive(pieceLimit), size: uint(wholeLimit), bytes: frameBytes }
const admission = { key: hash, by: hash, at: time, sig: signature }
const echo = { id: revision }

/** A frame's number on the wire and its layout. */
interface Layout {
  readonly kind: Kind
  readonly type: number
  readonly fields: Field<object>
}

/** Every frame. A number is never given a second time; those from 64 on are left to trials. */
const layouts: { readonly [K in Kind]: Layout } = {
  HELLO: layout('HELLO', 1, {
    protoMin: uint(0xffff),
    protoMax: uint(0xffff),
    ws: workspace,
    epoch: revision,
    device: id,
    inc: uint32,
    time,
    appVersion: id,
    schemaRev: revision,
    vector: vectorField,
  }),
  AUTH: layout('AUTH', 2, { key: hash, sig: signature, token: optional(name) }),
  ENV: layout('ENV', 3, { envelopes: list(envelope, frameLimit, leastEnvelopeBytes), head: optional(head) }),
  ENVPART: layout('ENVPART', 4, piece),
  ACK: layout('ACK', 5, { vector: vectorField }),
  WANT: layout('WANT', 6, { inc: uint32, from: sequence, to: sequence }),
  DIGEST: layout('DIGEST', 7, { vector: vectorField, buckets: fixed(bucketCount * logicalHashBytes) }),
  BUCKET: layout('BUCKET', 8, {
    bucket: uint(bucketCount - 1),
    entries: optional(list(bucketEntry, frameLimit, nameHashBytes + logicalHashBytes)),
  }),
  DOCSYNC: layout('DOCSYNC', 9, { doc, step: positive(3), ...piece }),
  LIVE: layout('LIVE', 10, { doc, update: frameBytes }),
  AWARE: layout('AWARE', 11, { doc, update: bytes(awarenessLimit) }),
  BARRIER: layout('BARRIER', 12, { id: revision, reply: flag }),
  GRANT: layout('GRANT', 13, admission),
  REVOKE: layout('REVOKE', 14, admission),
  PAIR1: layout('PAIR1', 15, { commitment: hash, proof: hash, card }),
  PAIR2: layout('PAIR2', 16, { nonce: hash, card }),
  PAIR3: layout('PAIR3', 17, { nonce: hash }),
  PAIR4: layout('PAIR4', 18, { payload: bytes(128 * 1024) }),
  ERR: layout('ERR', 19, { code: id, item: optional(position), detail: optional(text(1024)) }),
  PING: layout('PING', 20, echo),
  PONG: layout('PONG', 21, echo),
  DONE: layout('DONE', 22, { vector: vectorField }),
  PAIRSTEP: layout('PAIRSTEP', 23, { step: positive(2) }),
  DIGESTHASH: layout('DIGESTHASH', 24, { vector: vectorField, hash }),
}
const byType = new Map(Object.values(layouts).map((one) => [one.type, one]))
const frameType = uint(0xffff)

/** The bytes of a frame. @throws WireError when it is too large or holds what its reader would refuse */
export function encodeFrame(frame: Frame): Uint8Array {
  const encoder = encoding.createEncoder()
  if (frame.kind === 'unknown') {
    if (byType.has(frame.type)) throw new WireError('malformed', `The frame type ${frame.type} is known.`)
    frameType.write(encoder, frame.type)
    encoding.writeUint8Array(encoder, frame.bytes)
  } else {
    checkFrame(frame)
    const { type, fields } = layouts[frame.kind]
    frameType.write(encoder, type)
    fields.write(encoder, frame)
  }
  const encoded = encoding.toUint8Array(encoder)
  if (encoded.length > frameLimit) throw new WireError('too_large', `A frame has ${encoded.length} bytes.`)
  return encoded
}

/**
 * Reads one frame that fills the bytes given. Bytes within it are views on them: copy what is kept longer.
 * A type this version does not know is an answer and no error.
 * @throws WireError
 */
export function decodeFrame(encoded: Uint8Array): Frame {
  if (encoded.length > frameLimit) throw new WireError('too_large', `A frame has ${encoded.length} bytes.`)
  const reader = new StrictReader(encoded)
  const type = frameType.read(reader)
  const known = byType.get(type)
  if (known === undefined) return { kind: 'unknown', type, bytes: reader.rest() }
  const values = known.fields.read(reader)
  reader.end()
  const frame = { kind: known.kind, ...values } as KnownFrame
  checkFrame(frame)
  return frame
}

/** What no single field can say. */
function checkFrame(frame: KnownFrame): void {
  const isWrong =
    (frame.kind === 'WANT' && frame.from > frame.to) ||
    (frame.kind === 'HELLO' && frame.protoMin > frame.protoMax) ||
    ((frame.kind === 'ENVPART' || frame.kind === 'DOCSYNC') && frame.part >= frame.parts)
  if (isWrong) throw new WireError('malformed', `The numbers of a ${frame.kind} contradict each other.`)
}

function layout<K extends Kind>(kind: K, type: number, fields: Fields<Omit<FrameOf<K>, 'kind'>>): Layout {
  // Its own layout is all a frame is ever written with; the table forgets which one that is.
  return { kind, type, fields: record(fields) as unknown as Field<object> }
}
