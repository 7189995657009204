// A mailbox of a relay as the two devices use it: one waits there, the other visits, and both get a stream of bytes that
// the relay only passes on. Knows no pairing.
import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Signer } from '#main/replication/wire/device-key.ts'
import type { MailboxWord } from '#main/replication/wire/mailbox-words.ts'
import {
  boxAuthLabel,
  boxBytes,
  boxMessageLimit,
  decodeMailboxWord,
  encodeMailboxWord,
} from '#main/replication/wire/mailbox-words.ts'
import { proveChannel } from '#main/replication/wire/proofs.ts'
import { createLinkStream } from './link-stream.ts'
import type { LinkStream } from './link-stream.ts'
import { DialError, dialPeer } from './peer-dial.ts'
import type { DialReason, PeerAddress } from './peer-dial.ts'
import type { PeerLink } from './peer-link.ts'
import type { ChannelIdentity } from './self-signed.ts'

/** Where a mailbox is. */
export interface MailboxPlace {
  readonly relay: PeerAddress
  /** Of the relay; null takes whoever answers, since what is said inside does not depend on the relay. */
  readonly fingerprint: string | null
  readonly box: Uint8Array
}

/** What a mailbox is visited with. */
export interface VisitOptions {
  readonly identity: ChannelIdentity
  /** The fingerprint that must answer inside; null takes whoever answers. */
  readonly peer: string | null
}

/** What a device waits with. */
export interface SeatOptions {
  readonly identity: ChannelIdentity
  /** Its key, which a relay knows. */
  readonly signer: Signer
  readonly workspace: Uint8Array
  readonly epoch: number
  readonly signal: AbortSignal
  /** The relay has said that the device waits. */
  opened(): void
}

/** Somebody visits. */
export interface Seat {
  readonly stream: Duplex
  readonly link: PeerLink
}

/** How long a relay may take for an answer. */
const answerMs = 5_000

/**
 * How long a visitor comes again while nobody waits for a moment: longer than a relay that was started anew says so of a
 * mailbox it does not know. Its pauses grow, since a relay counts visits.
 */
const comeAgain = { forMs: 12_000, firstMs: 500, longestMs: 2_000 } as const

/** Draws the name of a mailbox. */
export function drawBox(): Uint8Array {
  return new Uint8Array(randomBytes(boxBytes))
}

/**
 * Connects with the device that waits in a mailbox, as {@link dialPeer} does with one at an address.
 * @throws DialError
 */
export async function visitMailbox(place: MailboxPlace, options: VisitOptions): Promise<PeerLink> {
  const { identity, peer } = options
  const { stream, link } = await enter(place, identity)
  try {
    const inside = await dialPeer(stream, { identity, peer, purpose: 'pairing' })
    inside.onClose(() => link.close('done'))
    return inside
  } catch (error) {
    link.close('done')
    throw error
  }
}

/** Nobody waits for a moment between two visitors, and after the relay was started anew. */
async function enter(place: MailboxPlace, identity: ChannelIdentity): Promise<Seat> {
  const until = performance.now() + comeAgain.forMs
  for (let pauseMs: number = comeAgain.firstMs; ; pauseMs = Math.min(pauseMs * 1.5, comeAgain.longestMs)) {
    const link = await dialPeer(place.relay, { identity, peer: place.fingerprint, purpose: 'mailbox' })
    const timer = setTimeout(() => link.close('done'), answerMs)
    try {
      return { link, stream: await attend(link, { kind: 'visit', box: place.box }) }
    } catch (error) {
      const isBusy = error instanceof MailboxRefused && error.code === 'nobody_waits'
      if (!isBusy || performance.now() > until) throw error
    } finally {
      clearTimeout(timer)
    }
    await pause(pauseMs)
  }
}

/**
 * Waits in a mailbox for one visitor.
 * @throws DialError, also when the signal ends it, which closes the mailbox
 */
export async function sitInMailbox(place: MailboxPlace, options: SeatOptions): Promise<Seat> {
  const { identity, signer, workspace, epoch, signal } = options
  const link = await dialPeer(place.relay, { identity, peer: place.fingerprint, purpose: 'mailbox' })
  const leave = (): void => link.close('done')
  const timer = setTimeout(leave, answerMs)
  try {
    const { key, sig } = proveChannel(signer, link.secret(boxAuthLabel), 'client')
    const word = { kind: 'open', box: place.box, ws: workspace, epoch, key, sig } as const
    const opened = (): void => {
      clearTimeout(timer)
      options.opened()
      // Only who waits in a mailbox can close it: whoever came later would be told that nobody waits for the moment.
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave)
    }
    return { link, stream: await attend(link, word, opened) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}

/** A relay gave another answer. */
export class MailboxRefused extends DialError {
  /** The relay's word. */
  readonly code: string

  constructor(code: string) {
    super(reasonOf(code))
    this.name = 'MailboxRefused'
    this.code = code
  }
}

function reasonOf(code: string): DialReason {
  return code === 'too_many' ? 'relay_busy' : 'refused'
}

/** Asks, and resolves with the stream once the relay has joined two. */
function attend(link: PeerLink, word: MailboxWord, opened?: () => void): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    let joined: LinkStream | undefined
    link.onMessage((message) => {
      if (joined !== undefined) return joined.put(message)
      const answer = wordOf(message)
      if (answer?.kind === 'opened') opened?.()
      else if (answer?.kind === 'joined') {
        joined = createLinkStream(link, boxMessageLimit)
        resolve(joined.stream)
      } else {
        reject(answer?.kind === 'refused' ? new MailboxRefused(answer.code) : new DialError('protocol'))
        link.close('done')
      }
      return undefined
    })
    link.onClose(() => reject(new DialError('unreachable')))
    link.offer(encodeMailboxWord(word))
  })
}

/** What a relay says; undefined for what is no word. */
function wordOf(message: Uint8Array): MailboxWord | undefined {
  try {
    return decodeMailboxWord(message)
  } catch {
    return undefined
  }
}
