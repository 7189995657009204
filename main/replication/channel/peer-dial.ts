// Opens one connection to another device: TLS 1.3 with both certificates, the fingerprint compared before the first byte
// of ours leaves, then the WebSocket. Knows no roster and does not try twice.
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { WebSocket } from 'ws'
import { peerFingerprint } from './fingerprint.ts'
import { createPeerLink, maxMessageBytes } from './peer-link.ts'
import type { LinkOptions, LinkPurpose, PeerLink } from './peer-link.ts'
import type { ChannelIdentity } from './self-signed.ts'

/** Where a device may be reached. */
export interface PeerAddress {
  readonly host: string
  readonly port: number
}

/** Why no connection came about. */
export type DialReason =
  /** Nobody answered at the address. */
  | 'unreachable'
  /** Somebody answered too slowly. */
  | 'timeout'
  /** Another device answered. */
  | 'wrong_peer'
  /** The device does not know this one, or not for this purpose. */
  | 'refused'
  /** The device says that this one was unpaired. */
  | 'unpaired'
  /** Whoever answered does not speak this protocol. */
  | 'protocol'
  /** A relay joins no more devices for now. */
  | 'relay_busy'

/** A connection did not come about. */
export class DialError extends Error {
  readonly reason: DialReason
  /** Fingerprint of whoever answered, where it came that far. */
  readonly fingerprint: string | undefined
  /** Whether it hung up without a word once it had seen whose certificate this is. */
  readonly isHangUp: boolean

  constructor(
    reason: DialReason,
    options: { cause?: unknown; fingerprint?: string | undefined; isHangUp?: boolean } = {},
  ) {
    super(`The device could not be reached: ${reason}.`, { cause: options.cause })
    this.name = 'DialError'
    this.reason = reason
    this.fingerprint = options.fingerprint
    this.isHangUp = options.isHangUp ?? false
  }
}

/** What a connection is opened with. */
export interface DialOptions {
  readonly identity: ChannelIdentity
  /** The fingerprint that must answer; null takes whoever answers, which only pairing and the way to it may do. */
  readonly peer: string | null
  readonly purpose: LinkPurpose
  /** For the whole way to an open link; default 10 s. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly link?: LinkOptions
}

/** The name of the protocol by purpose, as the subprotocol of the WebSocket. */
export const subprotocols: Readonly<Record<LinkPurpose, string>> = {
  peer: 'cairn.peer.1',
  pairing: 'cairn.pair.1',
  mailbox: 'cairn.box.1',
}

/** The status of an answer to a device that was unpaired. */
export const unpairedStatus = 410

/** The path both sides agree on. */
export const channelPath = '/channel'

/** What the library is told on both sides; it checks the length a frame names before it takes memory. */
export const socketLimits = {
  maxPayload: maxMessageBytes,
  perMessageDeflate: false,
  maxFragments: 64,
  maxBufferedChunks: 16 * 1024,
  // Whoever does not answer a close frame is cut; the library knows the option, its types do not.
  closeTimeout: 1_000,
} as const

/**
 * Opens a link.
 * @param place an address, or a stream that is open already and ends with the link
 * @throws DialError
 */
export function dialPeer(place: PeerAddress | Duplex, options: DialOptions): Promise<PeerLink> {
  const { identity, peer, purpose, timeoutMs = 10_000, signal } = options
  if (peer === null && purpose === 'peer') throw new Error('Only pairing may take whoever answers.')
  return new Promise((resolve, reject) => {
    let found: string | undefined
    let isOpen = false
    const channel = connect({
      ...('host' in place ? { host: place.host, port: place.port } : { socket: place }),
      cert: identity.certificate,
      key: identity.privateKey,
      minVersion: 'TLSv1.3',
      // No authority vouches for a device: its fingerprint is compared below, before anything is sent.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    })
    const fail = (reason: DialReason, cause?: unknown): void => {
      stopWaiting()
      channel.destroy()
      reject(new DialError(reason, { cause, fingerprint: found, isHangUp: reason === 'refused' && isCut(cause) }))
    }
    const timer = setTimeout(() => fail('timeout'), timeoutMs)
    const aborted = (): void => fail('unreachable', signal?.reason)
    const stopWaiting = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
    }
    if (signal?.aborted === true) {
      aborted()
      return
    }
    signal?.addEventListener('abort', aborted)
    channel.setNoDelay(true)
    channel.on('error', (error) => {
      // Before the handshake ended nobody we know has answered; afterwards it is the other side that hung up.
      if (!isOpen) fail(channel.getProtocol() === 'TLSv1.3' && found !== undefined ? 'refused' : reasonOf(error), error)
    })
    channel.once('secureConnect', () => {
      found = peerFingerprint(channel)
      if (found === undefined) fail('protocol')
      else if (peer !== null && found !== peer) fail('wrong_peer')
      else upgrade(channel, found)
    })

    function upgrade(over: TLSSocket, fingerprint: string): void {
      const socket = new WebSocket(`ws://device${channelPath}`, [subprotocols[purpose]], {
        ...socketLimits,
        createConnection: () => over,
      })
      socket.on('error', (error) => {
        if (!isOpen) fail('refused', error)
      })
      socket.on('unexpected-response', (_request, { statusCode }) =>
        fail(statusCode === unpairedStatus ? 'unpaired' : 'refused'),
      )
      socket.once('open', () => {
        isOpen = true
        stopWaiting()
        resolve(
          createPeerLink({ ...options.link, socket, channel: over, peer: fingerprint, purpose, direction: 'out' }),
        )
      })
    }
  })
}

/** What an end without an answer looks like, whether it met what was just sent or not. */
const cuts: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE'])

function isCut(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cuts.has(cause.code)
}

function reasonOf(error: Error & { code?: string }): DialReason {
  return error.code?.startsWith('ERR_SSL_') === true ? 'protocol' : 'unreachable'
}
