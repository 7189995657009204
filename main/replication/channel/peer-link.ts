// One open connection to another device: whole binary messages in both directions, each with a bound on what waits in
// memory, and a heartbeat. Both ends of the channel use it. Knows no frame, no document and not how it was opened.
import { randomBytes } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { RawData, WebSocket } from 'ws'
import { createInbox, messageOverhead } from './inbox.ts'
import type { MessageConsumer } from './inbox.ts'
import { codeOf, reasonOf } from './link-close.ts'
import type { LinkClose, LinkEnd } from './link-close.ts'
import { systemTimers } from './timers.ts'
import type { Timers } from './timers.ts'

/** The largest message either side takes. */
export const maxMessageBytes = 1024 * 1024

/** What a link is for. A stranger gets none but `pairing`; `mailbox` is one to a relay, for what another device says. */
export type LinkPurpose = 'peer' | 'pairing' | 'mailbox'

/** A connection to another device. */
export interface PeerLink {
  /** Fingerprint of the other side, proved by the handshake. */
  readonly peer: string
  readonly purpose: LinkPurpose
  /** Who dialled: `out` is this side. */
  readonly direction: 'in' | 'out'
  /** Address and port of the other side. */
  readonly address: string
  /** 32 bytes that only the two ends of this TLS session know, by label (RFC 8446 section 7.5); random ones once it ended. */
  secret(label: string): Uint8Array
  /**
   * Hands a message over unless too much waits already. The bytes must not change afterwards.
   * @returns false: it was not taken, because the queue is full or the link has ended
   * @throws RangeError for a message no peer would take
   */
  offer(message: Uint8Array): boolean
  /** Waits until the message is taken; false when the link ended first. Await it before the next one. */
  send(message: Uint8Array): Promise<boolean>
  /** Bytes handed over that the network has not taken yet. */
  queuedBytes(): number
  /** Bytes on the wire, encryption included. */
  traffic(): { readonly bytesIn: number; readonly bytesOut: number }
  /** Nothing is read before the consumer is there, and nothing while too much waits for it. */
  onMessage(consumer: MessageConsumer): void
  /** Called once, after the consumer has had what came before the end; at once when the link has ended already. */
  onClose(listener: (close: LinkClose) => void): void
  /**
   * Whether the other side is heard within `ms`; if not, the link ends as `silent`. A side whose own consumer stands
   * still for so long counts as silent too, since it does not read the question.
   */
  probe(ms: number): Promise<boolean>
  /** Ends the link; what does not answer is cut after a second. */
  close(reason?: Exclude<LinkEnd, 'lost'>): void
  /** How it ended; undefined while it is open. */
  ended(): LinkClose | undefined
}

/** Bounds and times of a link. */
export interface LinkOptions {
  readonly timers?: Timers
  /** Default 15 s. */
  readonly heartbeatMs?: number
  /** Bytes that may wait to be sent; default 1.25 MiB, so that the largest message fits. */
  readonly maxQueuedBytes?: number
  /** Bytes that may wait for the consumer before reading pauses; default 256 KiB. */
  readonly maxWaitingBytes?: number
  /** How long the other side may take to answer a close frame before it is cut; default 1 s. */
  readonly closeAnswerMs?: number
}

/** What a link is made of. */
export interface LinkParts extends LinkOptions {
  readonly socket: WebSocket
  readonly channel: TLSSocket
  readonly peer: string
  readonly purpose: LinkPurpose
  readonly direction: 'in' | 'out'
}

/** How long a consumer may take to finish what came before the end. */
const finishMs = 5_000

/** Wraps an open WebSocket and the TLS session below it. Call it in the turn the socket opened in. */
export function createPeerLink(parts: LinkParts): PeerLink {
  const { socket, channel, peer, purpose, direction, timers = systemTimers } = parts
  const {
    heartbeatMs = 15_000,
    maxQueuedBytes = maxMessageBytes * 1.25,
    maxWaitingBytes = 256 * 1024,
    closeAnswerMs = 1_000,
  } = parts
  const address = `${channel.remoteAddress ?? ''}:${String(channel.remotePort ?? 0)}`
  const closeListeners: ((close: LinkClose) => void)[] = []
  const waiters = new Set<() => void>()
  let queued = 0
  let closing: LinkEnd | undefined
  let ended: LinkClose | undefined
  let heardBytes = channel.bytesRead
  let quietBeats = 0
  let wasPaused = true
  let cancelBeat = timers.after(heartbeatMs, beat)

  const inbox = createInbox({
    maxWaitingBytes,
    pause() {
      wasPaused = true
      socket.pause()
    },
    resume: () => socket.resume(),
    failed: () => close('failed'),
  })
  socket.pause()

  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (closing !== undefined) return
    if (!isBinary) close('protocol')
    else inbox.put(bytesOf(data))
  })
  socket.on('error', (error: Error & { code?: string }) => {
    // The library has sent the close frame by then; the reason is kept for this side.
    closing ??= error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? 'too_large' : protocolOrLost(error.code)
  })
  socket.on('close', (code: number) => {
    cancelBeat()
    const close = { reason: closing ?? reasonOf(code), here: closing !== undefined && closing !== 'lost' }
    const cancel = timers.after(finishMs, () => finish(close))
    inbox.whenIdle(() => {
      cancel()
      finish(close)
    })
  })

  function finish(close: LinkClose): void {
    if (ended !== undefined) return
    ended = close
    inbox.drop()
    for (const wake of waiters) wake()
    for (const listener of closeListeners.splice(0)) listener(close)
  }

  /** Both sides ping, so that a side that is not being read is still heard. */
  function beat(): void {
    cancelBeat = timers.after(heartbeatMs, beat)
    if (socket.readyState !== socket.OPEN) return
    // What is not read cannot be heard: silence counts only while this side listens.
    const isQuiet = channel.bytesRead === heardBytes && !wasPaused
    heardBytes = channel.bytesRead
    wasPaused = socket.isPaused
    quietBeats = isQuiet ? quietBeats + 1 : 0
    if (quietBeats >= 2) cut('silent')
    else socket.ping()
  }

  function close(reason: Exclude<LinkEnd, 'lost'> = 'done'): void {
    if (closing !== undefined || socket.readyState === socket.CLOSED) return
    closing = reason
    cancelBeat()
    inbox.drop()
    for (const wake of waiters) wake()
    socket.close(codeOf(reason))
    // A paused socket would never see the answer.
    socket.resume()
    const cancel = timers.after(closeAnswerMs, () => socket.terminate())
    socket.once('close', cancel)
  }

  function cut(reason: LinkEnd): void {
    closing ??= reason
    socket.terminate()
  }

  function offer(message: Uint8Array): boolean {
    if (message.byteLength > maxMessageBytes) throw new RangeError('The message is larger than a peer takes.')
    if (closing !== undefined || socket.readyState !== socket.OPEN) return false
    const cost = message.byteLength + messageOverhead
    // An empty queue takes any message.
    if (queued > 0 && queued + cost > maxQueuedBytes) return false
    queued += cost
    socket.send(message, { binary: true }, () => {
      queued -= cost
      if (queued <= maxQueuedBytes / 2) for (const wake of waiters) wake()
    })
    return true
  }

  function wait(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        waiters.delete(wake)
        resolve()
      }
      waiters.add(wake)
    })
  }

  return {
    peer,
    purpose,
    direction,
    address,
    // Whoever proves something with random ones proves nothing, to nobody.
    secret: (label) =>
      channel.destroyed ? randomBytes(32) : new Uint8Array(channel.exportKeyingMaterial(32, label, Buffer.alloc(0))),
    offer,
    async send(message) {
      while (closing === undefined && ended === undefined && socket.readyState === socket.OPEN) {
        if (offer(message)) return true
        await wait()
      }
      return false
    },
    queuedBytes: () => queued,
    traffic: () => ({ bytesIn: channel.bytesRead, bytesOut: channel.bytesWritten }),
    onMessage: (consumer) => inbox.start(consumer),
    onClose(listener) {
      if (ended === undefined) closeListeners.push(listener)
      else listener(ended)
    },
    async probe(ms) {
      if (socket.readyState !== socket.OPEN) return false
      if (socket.isPaused) return true
      const before = channel.bytesRead
      socket.ping()
      await new Promise<void>((resolve) => {
        timers.after(ms, resolve)
        socket.once('pong', () => resolve())
        socket.once('close', () => resolve())
      })
      const isHeard = channel.bytesRead > before && socket.readyState === socket.OPEN
      if (!isHeard) cut('silent')
      return isHeard
    },
    close,
    ended: () => ended,
  }
}

function protocolOrLost(code: string | undefined): LinkEnd {
  return code?.startsWith('WS_ERR_') === true ? 'protocol' : 'lost'
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
