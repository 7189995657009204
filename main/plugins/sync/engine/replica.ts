// What a connection to a peer asks of the log and the documents of this machine, and what these ask of the roster. Types only.
import type { KeyObject } from 'node:crypto'
import type { DocumentPart } from '#main/replication/core/document-part.ts'
import type { BucketEntry, Head, SealedEnvelope, Vector } from '#main/replication/core/types.ts'
import type { ChainPoint } from '#main/replication/wire/chain.ts'
import type { SequenceRange } from '#main/replication/wire/vector-codec.ts'

/** Who this machine is in which workspace. */
export interface ReplicaIdentity {
  /** Id of the workspace, 16 bytes. */
  readonly workspace: Uint8Array
  readonly epoch: number
  readonly device: string
  readonly inc: number
}

/** A part of the log: envelopes of one incarnation by rising sequence number, the last one under a head. */
export interface LogRun {
  readonly envelopes: readonly SealedEnvelope[]
  readonly heads: readonly Head[]
}

/** What became of a run that a peer sent. */
export type Received =
  /** All of it is on disk; `stored` of its envelopes were new. */
  | { readonly ok: true; readonly stored: number }
  /** It begins after a gap: ask for what is missing from `from` on. Nothing was stored. */
  | { readonly ok: false; readonly reason: 'gap'; readonly from: number }
  /**
   * Its envelopes differ from the ones that are stored under the same numbers: the incarnation was used twice. Of the own
   * incarnation only what this machine has signed and does not have is a fork.
   */
  | { readonly ok: false; readonly reason: 'fork' }
  /** Nobody who may write here has signed it, or it is not what was signed. */
  | { readonly ok: false; readonly reason: 'unknown_device' | 'revoked' | 'bad_signature' | 'invalid' }

/** An envelope that was stored and cannot be applied, by its writer's fault. */
export interface Quarantined {
  /** Who wrote and signed it. */
  readonly device: string
  readonly inc: number
  readonly seq: number
  readonly reason: 'invalid' | 'too_big'
}

/** The log and the documents of this machine, as peers see them. Reads are synchronous and see committed rows. */
export interface Replica {
  identity(): ReplicaIdentity
  /** What is stored without a gap and on disk. */
  vector(): Vector
  /** Envelopes that are stored and not yet applied, and how many lie aside. */
  backlog(): { readonly waiting: number; readonly parked: number; readonly quarantined: number }
  /**
   * Documents, and items of metadata, that are merged and have no place in the data here yet: their object is not known, or
   * what they need cannot be stored. While `isTrying`, another attempt goes on or is about to.
   */
  unprojected(): { readonly waiting: number; readonly isTrying: boolean }
  /**
   * The beginning of a range of the log: at most about `maxBytes`, at least one envelope, always up to a head. For the
   * own incarnation a head is signed where there is none. Empty when nothing of the range is stored.
   */
  read(range: SequenceRange, maxBytes: number): LogRun
  /** Where the chain of an incarnation stands at the end of what is stored. */
  chain(inc: number): ChainPoint
  /** To be called before a range is first sent; returns when the number is noted on disk. Own incarnation only. */
  beforeSending(lastSeq: number): void
  /**
   * Checks, stores and then applies a run; resolves when it is stored on disk, before it is applied. A head of the own
   * incarnation without envelopes is checked alone.
   */
  receive(envelopes: readonly SealedEnvelope[], head: Head): Promise<Received>
  /** Resolves when everything stored so far is applied or lies aside. */
  settled(): Promise<void>
  /**
   * The digest of all documents, and the vector it belongs to; null while something is not yet applied or lies aside. It
   * tells of documents alone: what waits for its place in the data is in them and counts as {@link Replica.unprojected}.
   */
  digest(): { readonly vector: Vector; readonly buckets: Uint8Array } | null
  /** The documents of a bucket. */
  bucket(bucket: number): readonly BucketEntry[]
  /** Names of the documents of a bucket by the hash of their name, in hexadecimal digits. */
  namesIn(bucket: number): ReadonlyMap<string, string>
  /** The Yjs state vector of a document; that of an empty one where there is none. */
  stateVector(doc: string): Uint8Array
  /** What a state vector lacks of a document, or a part of it that can be merged by itself. */
  difference(doc: string, stateVector: Uint8Array): DocumentPart
  /**
   * Merges what a peer has of a document, the last part of it or one before; resolves with whether anything changed. What
   * the document means is looked at with the last part. @throws DocError
   */
  repair(doc: string, update: Uint8Array, from: { readonly peer: string; readonly isLast: boolean }): Promise<boolean>
  /** What this machine refused of a device's writes: the hashes of the documents that say so, by name. */
  refusalsOf(device: string): ReadonlyMap<string, string>
  /** Notes that a document still differs from a peer's after a repair: conflict `fork`. */
  noteFork(doc: string, peer: string): void
  /** Hears whenever the log has grown, once it is on disk, whoever wrote it. Answers how to stop. */
  onGrown(listener: () => void): () => void
  /** Hears once of each envelope that is laid aside for good. Answers how to stop. */
  onQuarantined(listener: (quarantined: Quarantined) => void): () => void
  /** Hears the name of a document that was found damaged and that an envelope needs. Answers how to stop. */
  onDamaged(listener: (doc: string) => void): () => void
  /** Tries again what failed by a fault of this machine; it may be repaired, or whoever can repair it is connected now. */
  retryFailed(): void
  /** Whether a document that is damaged here may be taken whole from a device. */
  mayMend(device: string): boolean
  /** Hears whenever documents were merged or the backlog changed. Answers how to stop. */
  onApplied(listener: () => void): () => void
}

/** A log of this machine of which others have another one. */
export interface Disputed {
  readonly inc: number
  /** Up to here both are the same. */
  readonly common: number
}

/** A device that belongs, or belonged, to the workspace. */
export interface KnownDevice {
  readonly device: string
  /** The person whose machine it is. */
  readonly user: string
  readonly publicKey: KeyObject
  /** Only admin devices may write metadata and the roster. */
  readonly role: 'admin' | 'member'
  readonly isRevoked: boolean
  /** Of one that was unpaired: how much of its logs counts, by incarnation; none without it. */
  readonly seen?: Readonly<Record<string, number>> | undefined
}

/** The devices of the workspace, answered from memory. */
export interface Devices {
  all(): readonly KnownDevice[]
  find(device: string): KnownDevice | undefined
  /** The name of a person, as their machine told it; undefined when none did. */
  nameOf(user: string): string | undefined
}
