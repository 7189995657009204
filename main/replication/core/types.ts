// The words of sync that every part of it shares: stamps, registers, envelopes, vectors. Types only; knows no database,
// no socket and no host.

/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A stamp of the hybrid logical clock: milliseconds since 1970 (48 bits) and a counter within them (16 bits). */
export interface Hlc {
  readonly ms: number
  readonly ctr: number
}

/**
 * One live entry of a multi-value register: its key, its value, its stamp in two numbers, and the incarnation that wrote
 * it. The key is a field's uid, or `uid\0member` for one member of a list that is merged by member.
 */
export type RegisterEntry = readonly [key: string, value: Json, ms: number, ctr: number, inc: number]

/** What a register holds of one key: the entry that wins, and the concurrent ones it won against, latest first. */
export interface RegisterValue {
  readonly winner: RegisterEntry
  readonly losers: readonly RegisterEntry[]
}

/** What an envelope carries. */
export type EnvelopeKind = 'update' | 'text' | 'feed' | 'facts' | 'genesis' | 'control'

/** A row that is never edited: it is added once, by its id. */
export interface Fact {
  readonly id: string
  readonly kind: string
  readonly value: Json
}

/** The part of an envelope that only workspace members need to read. */
export interface EnvelopeBody {
  /** Name of the document, such as `r/<object uid>/<record id>`. */
  readonly doc: string
  readonly kind: EnvelopeKind
  readonly hlc: Hlc
  /** First sequence number and number of envelopes of the call this one belongs to. */
  readonly group: { readonly first: number; readonly count: number }
  /** Id of the user who made the change. */
  readonly author: string
  /** Revision of the access rules the author's machine judged by. */
  readonly aclRev: number
  /** Revision of the schema the author's machine knew. */
  readonly schemaRev: number
  /** Yjs update (v1); empty for facts alone. */
  readonly update: Uint8Array
  readonly facts: readonly Fact[]
}

/** One entry of the log of an incarnation. */
export interface Envelope {
  /** Random uint32: the origin of a log and the Yjs client id of its writes. */
  readonly inc: number
  /** 1, 2, 3, … without gaps within an incarnation. */
  readonly seq: number
  readonly epoch: number
  readonly body: EnvelopeBody
}

/** An envelope as it travels and is stored: the header in clear, the body as bytes. */
export interface SealedEnvelope {
  readonly inc: number
  readonly seq: number
  readonly epoch: number
  /** 0: the body is plain. 1 is reserved for AES-256-GCM. */
  readonly seal: number
  readonly body: Uint8Array
}

/** The signed end of a run of envelopes: the hash of the chain up to `seq`. */
export interface Head {
  readonly inc: number
  readonly seq: number
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** Ed25519 signature, 64 bytes. */
  readonly sig: Uint8Array
}

/** What a machine has: by incarnation, the last sequence number up to which nothing is missing. */
export type Vector = ReadonlyMap<number, number>

/** A document within its bucket of a digest, as peers exchange it. */
export interface BucketEntry {
  /** The first eight bytes of SHA-256 of the document's name. */
  readonly name: Uint8Array
  /** The document's logical hash, eight bytes. */
  readonly hash: Uint8Array
}
