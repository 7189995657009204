// What a session with a peer is given and what it tells: ports, hooks and its status. Types only.
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import type { Timers } from '#main/replication/channel/timers.ts'
import type { Replica } from '../engine/replica.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import type { BadCount } from './misbehaviour.ts'

/** Whom a session talks to: another device, which has documents, or a relay, which only keeps the log. */
export type PeerKind = 'device' | 'relay'

/** A device of the workspace as its roster names it. */
export interface PeerDevice {
  /** Public key that it signs with, 32 bytes. */
  readonly signKey: Uint8Array
  /** Fingerprint of its certificate. */
  readonly fingerprint: string
  readonly isRevoked: boolean
}

/** The devices of the workspace. */
export interface PeerRoster {
  find(device: string): PeerDevice | undefined
}

/** What a session tells its host beside its status. They must not throw; bytes are views, to be copied if kept. */
export interface SessionHooks {
  /** An update of a text that is open on the peer; nothing vouches for it but the peer. */
  onLive?(peer: string, doc: string, update: Uint8Array): void
  onAware?(peer: string, doc: string, update: Uint8Array): void
  /** The peer listens elsewhere than it did. */
  onPlace?(peer: string, addresses: readonly string[]): void
  /**
   * Two different envelopes have one place: what came from the peer of an incarnation is not what is stored here. Of the own
   * one, this machine has signed what came: the word of a peer proves nothing.
   */
  onFork?(peer: string, inc: number): void
}

/** What all sessions of a machine share. */
export interface SessionWorld {
  readonly replica: Replica
  readonly keys: Signer
  readonly roster: PeerRoster
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
  readonly appVersion: string
  readonly schemaRev?: () => number
  readonly hooks?: SessionHooks
  /**
   * Whether a peer may have everything that is here, at this moment; left out, each may. A relay may once it has shut out
   * the machines that may not.
   */
  readonly mayHave?: (peer: string) => boolean
}

/** What one session works with. */
export interface SessionParts extends SessionWorld {
  readonly link: PeerLink
  /** Id of the device, or the name under which a relay is known. */
  readonly peer: string
  readonly kind: PeerKind
  /** Admin token of a relay that does not know the workspace yet. */
  readonly token?: string
  /** How much of the log of this machine's number the peer had before this link. */
  readonly hadOwn?: number
  /** What was held against the peer over earlier links too; its own where left out. */
  readonly bad?: BadCount
  /** Told at once that the peer is paused, while its link still closes, and why. */
  readonly onPaused?: (reason: string) => void
}

/** When and how this machine and a peer were last found to have the same. */
export interface Proof {
  /** ISO 8601. */
  readonly at: string
  readonly peer: string
  /** SHA-256 of the digest of all documents, in hexadecimal digits. */
  readonly digest: string
  /** `digest`: both digests were compared. `log`: a relay has no documents; it has the same signed log. */
  readonly compared: 'digest' | 'log'
}

/** Where a session stands. */
export type SessionState =
  /** Neither side has proved itself to the other. */
  | 'opening'
  /** The first exchange of what each side lacked goes on. */
  | 'catching_up'
  | 'open'
  /** The peer sent too much that cannot be used. */
  | 'paused'
  /** The two do not belong together; `lastError` says why. */
  | 'refused'
  | 'closed'

/** What a session tells of itself. */
export interface SessionStatus {
  readonly peer: string
  readonly kind: PeerKind
  readonly state: SessionState
  /** Envelopes the peer has and this machine lacks. */
  readonly behindThem: number
  /** Envelopes the peer has not acknowledged. */
  readonly behindUs: number
  /** What came and what is to come since this machine last lacked nothing. */
  readonly incoming: { readonly remaining: number; readonly total: number }
  /** Milliseconds the peer's clock is ahead; undefined until measured. */
  readonly clockOffsetMs?: number
  readonly bytesIn: number
  readonly bytesOut: number
  /** Documents that were made equal again without an envelope. */
  readonly repairs: number
  /** Things of the peer that could not be used. */
  readonly refused: number
  readonly lastError?: string
  /** Left out unless it holds at this moment. */
  readonly proof?: Proof
  /** ISO 8601. */
  readonly lastSeenAt: string
  readonly appVersion?: string
  readonly protocol?: number
}

/** What became of a barrier. */
export interface BarrierResult {
  /** Whether everything written before the call is on the peer's disk. */
  readonly reached: boolean
  readonly waitedMs: number
}
