// The frames two devices, or a device and a relay, speak in. Types only; their bytes are the business of frame-codec.ts.
import type { Head, SealedEnvelope, Vector } from '../core/types.ts'
import type { Position } from './vector-codec.ts'

/** Opens a connection: both sides send it first, and the lower common protocol is used. */
export interface HelloFrame {
  readonly kind: 'HELLO'
  readonly protoMin: number
  readonly protoMax: number
  /** Id of the workspace, 16 bytes. */
  readonly ws: Uint8Array
  readonly epoch: number
  /** Id of the device. */
  readonly device: string
  readonly inc: number
  /** Milliseconds since 1970 by the sender's clock. */
  readonly time: number
  readonly appVersion: string
  readonly schemaRev: number
  readonly vector: Vector
}

/** Proves the device's key for this one connection. */
export interface AuthFrame {
  readonly kind: 'AUTH'
  /** Public key of the device, 32 bytes. */
  readonly key: Uint8Array
  /** Signature over the channel's hash and the sender's side of it. */
  readonly sig: Uint8Array
  /** Admin token of a relay, where the connection is to register a workspace. */
  readonly token?: string
}

/** Envelopes of one run or a part of it. The head vouches for everything of its incarnation up to its number. */
export interface EnvFrame {
  readonly kind: 'ENV'
  readonly envelopes: readonly SealedEnvelope[]
  readonly head?: Head
}

/** A piece of what is larger than a frame. */
export interface Piece {
  /** From 0. */
  readonly part: number
  readonly parts: number
  /** Bytes of the whole. */
  readonly size: number
  readonly bytes: Uint8Array
}

/** A piece of one encoded envelope. */
export interface EnvPartFrame extends Piece {
  readonly kind: 'ENVPART'
}

/** What is durable at the sender of the frame. */
export interface AckFrame {
  readonly kind: 'ACK'
  readonly vector: Vector
}

/** Asks for envelopes `from` to `to`. */
export interface WantFrame {
  readonly kind: 'WANT'
  readonly inc: number
  readonly from: number
  readonly to: number
}

/** What the digest of everything at a vector comes to. Where it is the other side's, nothing more needs to travel. */
export interface DigestHashFrame {
  readonly kind: 'DIGESTHASH'
  readonly vector: Vector
  /** SHA-256 of the buckets. */
  readonly hash: Uint8Array
}

/** The digest of everything at a vector: 1,024 buckets of 8 bytes. */
export interface DigestFrame {
  readonly kind: 'DIGEST'
  readonly vector: Vector
  readonly buckets: Uint8Array
}

/** One document in a bucket. */
export interface BucketEntry {
  /** First eight bytes of SHA-256 of the document's name. */
  readonly name: Uint8Array
  /** Hash of its logical content, eight bytes. */
  readonly hash: Uint8Array
}

/** Asks for a bucket, or with entries answers. */
export interface BucketFrame {
  readonly kind: 'BUCKET'
  readonly bucket: number
  readonly entries?: readonly BucketEntry[]
}

/** Repairs one document: first its state vector, then what the other side lacks; in pieces where it is large. */
export interface DocSyncFrame extends Piece {
  readonly kind: 'DOCSYNC'
  readonly doc: string
  /** 1: a state vector. 2: the difference to the one received. 3: a part of it; the next one is to be asked for. */
  readonly step: number
}

/** An update of a text that is open on the other side; may be lost. */
export interface LiveFrame {
  readonly kind: 'LIVE'
  readonly doc: string
  readonly update: Uint8Array
}

/** Who is in an open text and where; may be lost, never stored. */
export interface AwareFrame {
  readonly kind: 'AWARE'
  readonly doc: string
  readonly update: Uint8Array
}

/** Asks to be told once everything sent before it is durable; the answer has the same id. */
export interface BarrierFrame {
  readonly kind: 'BARRIER'
  readonly id: number
  readonly reply: boolean
}

/** What one device says of another one's admission to a relay. */
export interface AdmissionWord {
  /** Public key of the device concerned. */
  readonly key: Uint8Array
  /** Public key of the device that says so. */
  readonly by: Uint8Array
  /** Milliseconds since 1970: the latest word about a device counts, so an old one cannot be said again. */
  readonly at: number
  readonly sig: Uint8Array
}

/** Admits a device to a relay. */
export interface GrantFrame extends AdmissionWord {
  readonly kind: 'GRANT'
}

/** Closes a device out of a relay. */
export interface RevokeFrame extends AdmissionWord {
  readonly kind: 'REVOKE'
}

/** What a device says of itself while pairing. */
export interface DeviceCard {
  readonly name: string
  /** Public key that its heads are signed with, 32 bytes. */
  readonly signKey: Uint8Array
}

/** The joiner's commitment to its random bytes, and that it knows the code. */
export interface Pair1Frame {
  readonly kind: 'PAIR1'
  readonly commitment: Uint8Array
  readonly proof: Uint8Array
  readonly card: DeviceCard
}

/** The inviter's random bytes. */
export interface Pair2Frame {
  readonly kind: 'PAIR2'
  readonly nonce: Uint8Array
  readonly card: DeviceCard
}

/** The joiner's random bytes, which the commitment was made of. */
export interface Pair3Frame {
  readonly kind: 'PAIR3'
  readonly nonce: Uint8Array
}

/** After both people confirmed: what the joiner needs to take part, in a layout of its own. */
export interface Pair4Frame {
  readonly kind: 'PAIR4'
  readonly payload: Uint8Array
}

/** What the joiner says in between: 1, its person has seen the same number; 2, it has what it was handed. */
export interface PairStepFrame {
  readonly kind: 'PAIRSTEP'
  readonly step: number
}

/** Something could not be taken; `item` names the envelope it is about. */
export interface ErrFrame {
  readonly kind: 'ERR'
  readonly code: string
  readonly item?: Position
  readonly detail?: string
}

/** Asks whether the other side is there. */
export interface PingFrame {
  readonly kind: 'PING'
  readonly id: number
}

/** Answers a PING with its id. */
export interface PongFrame {
  readonly kind: 'PONG'
  readonly id: number
}

/** Everything the other side lacked at this vector has been sent. */
export interface DoneFrame {
  readonly kind: 'DONE'
  readonly vector: Vector
}

/** A frame of a type this version does not know. It is no error: the sender may be newer. */
export interface UnknownFrame {
  readonly kind: 'unknown'
  readonly type: number
  readonly bytes: Uint8Array
}

/** Every frame this version knows. */
export type KnownFrame =
  | HelloFrame
  | AuthFrame
  | EnvFrame
  | EnvPartFrame
  | AckFrame
  | WantFrame
  | DigestHashFrame
  | DigestFrame
  | BucketFrame
  | DocSyncFrame
  | LiveFrame
  | AwareFrame
  | BarrierFrame
  | GrantFrame
  | RevokeFrame
  | Pair1Frame
  | Pair2Frame
  | Pair3Frame
  | Pair4Frame
  | PairStepFrame
  | ErrFrame
  | PingFrame
  | PongFrame
  | DoneFrame

/** What one message of a connection holds. */
export type Frame = KnownFrame | UnknownFrame
