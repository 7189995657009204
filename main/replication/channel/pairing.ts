// The words of pairing two devices: its states, its messages and what both sides check of them. Knows no socket and no
// frame; the messages are carried by whoever owns the wire.
import type { LinkClose } from './link-close.ts'
import type { PeerLink } from './peer-link.ts'

/** Where a pairing stands. */
export type PairingState = 'waiting' | 'comparing' | 'confirmed' | 'transferring' | 'done' | 'failed' | 'expired'

/** Why a pairing came to nothing. */
export type PairingReason =
  /** The code is another one. */
  | 'code_invalid'
  /** The code was tried too often. */
  | 'too_many_tries'
  /** The invite serves another device already, or has ended. */
  | 'used'
  /** Too much time passed. */
  | 'expired'
  /** A person said that the numbers differ. */
  | 'not_matching'
  /** A person gave up. */
  | 'cancelled'
  /** The other side broke the rules of the exchange. */
  | 'protocol'
  /** The connection ended. */
  | 'connection'
  /** What is handed over at the end could not be made or taken. */
  | 'payload'

/** How a device introduces itself. */
export interface PairCard {
  /** Its name, for people. */
  readonly name: string
  /** Its public Ed25519 key, 32 bytes. */
  readonly signKey: Uint8Array
}

/** The device on the other side. */
export interface PairedPeer extends PairCard {
  /** Of its certificate, proved by the handshake. */
  readonly fingerprint: string
}

/** What travels, in the order it does. B joins, A has invited. */
export type PairMessage =
  /** B to A: binds B to its nonce and proves that B was told the code. */
  | { readonly kind: 'commit'; readonly card: PairCard; readonly commitment: Uint8Array; readonly proof: Uint8Array }
  /** A to B. */
  | { readonly kind: 'challenge'; readonly card: PairCard; readonly nonce: Uint8Array }
  /** B to A: opens the commitment. */
  | { readonly kind: 'reveal'; readonly nonce: Uint8Array }
  /** B to A: B's user has seen the same number. */
  | { readonly kind: 'confirmed' }
  /** A to B: what B needs to belong to the workspace. B to A afterwards: where B is, if it can be reached. */
  | { readonly kind: 'payload'; readonly payload: Uint8Array }
  /** B to A: B has it. */
  | { readonly kind: 'received' }
  /** Either way: the end. */
  | { readonly kind: 'refused'; readonly reason: PairingReason; readonly triesLeft?: number }

/** The connection a pairing runs over. */
export interface PairChannel {
  /** Fingerprint of the other side. */
  readonly peer: string
  /** 32 bytes that only the two ends of the TLS session know. */
  readonly secret: Uint8Array
  send(message: PairMessage): void
  onMessage(take: (message: PairMessage) => void): void
  onClose(listener: () => void): void
  close(): void
}

/** What people and the API see of a pairing. */
export interface PairingView {
  readonly side: 'inviter' | 'joiner'
  readonly state: PairingState
  /** Six digits to compare; from `comparing` on. */
  readonly comparison?: string
  readonly peer?: PairedPeer
  readonly reason?: PairingReason
  /** Wrong codes that are still forgiven. */
  readonly triesLeft?: number
  /** When the code, later the comparison, is no longer good: milliseconds since 1970. */
  readonly expiresAt: number
}

/** How long a code is good, and afterwards the comparison. */
export const pairingMs = 5 * 60_000

/** How long the other side may take for an answer that no person has to give. */
export const answerMs = 10_000

/** How long the other side may take with what it is handed at the end. */
export const transferMs = 60_000

/** The label of the secret both sides take from the TLS session. */
const secretLabel = 'cairn-pairing'

/** Turns messages into bytes and back; `decode` throws for anything else. */
export interface PairCodec {
  encode(message: PairMessage): Uint8Array
  decode(bytes: Uint8Array): PairMessage
}

/** Runs a pairing over a link: bytes that are no message end it. */
export function pairChannel(link: PeerLink, codec: PairCodec): PairChannel {
  return {
    peer: link.peer,
    secret: link.secret(secretLabel),
    send: (message) => void link.offer(codec.encode(message)),
    onMessage(take) {
      link.onMessage((bytes) => {
        let message: PairMessage
        try {
          message = codec.decode(bytes)
        } catch {
          // Whoever sends anything else is no device of ours.
          link.close('protocol')
          return
        }
        take(message)
      })
    },
    onClose: (listener) => link.onClose((_close: LinkClose) => listener()),
    close: () => link.close('done'),
  }
}

/** Whether a card is one people can be shown: a short name without control or direction characters, and a whole key. */
export function isCard(card: PairCard): boolean {
  const { name, signKey } = card
  return (
    name.trim() !== '' && name.length <= 100 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name) && signKey.byteLength === 32
  )
}

/** A name as a card may have it: without what is not shown, such as what joins emoji, or turns around what is. */
export function cardName(name: string): string {
  const shown = name.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim()
  return shown === '' ? 'Cairn' : shown
}

/** Whether bytes have the length of every nonce, commitment and proof. */
export function isBytes32(bytes: Uint8Array): boolean {
  return bytes.byteLength === 32
}
