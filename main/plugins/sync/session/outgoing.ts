// What leaves over one link: short words first, then the log as far as it may go, in slices that leave the event loop
// free. Knows frames as bytes and a link by its ways to send.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame, FrameOf } from '#main/replication/wire/frames.ts'
import { windowLimit } from '#main/replication/wire/limits.ts'

/** Bytes of waiting words above which nothing more is taken from the peer: a peer that reads never gets there. */
const holdLimit = 4 * windowLimit

/** Bytes that wait, here or in the link, above which what may be lost is. */
const losableLimit = windowLimit / 4

/** What a waiting word costs beside its bytes, so that very many small ones are bounded too. */
const wordOverhead = 256

/** How long one slice of sending lasts. */
const sliceMs = 4

/** What the sending side works with. */
export interface OutgoingParts {
  readonly link: Pick<PeerLink, 'offer' | 'send' | 'queuedBytes'>
  /** The next frame of the log; undefined when there is none to be sent now. */
  readonly next: () => Frame | undefined
  /** Nothing more can be sent. */
  readonly failed: (error: unknown) => void
}

/** Makes an empty one. */
export function createOutgoing({ link, next, failed }: OutgoingParts) {
  const words: Uint8Array[] = []
  const last: Frame[] = []
  const wakers: (() => void)[] = []
  let bytes = 0
  let isSending = false
  let isStopped = false

  const take = (): Uint8Array | undefined => {
    if (isStopped) return undefined
    const word = words.shift()
    if (word === undefined) {
      const frame = next() ?? last.shift()
      return frame && encodeFrame(frame)
    }
    bytes -= word.byteLength + wordOverhead
    if (bytes <= holdLimit) for (const run of wakers.splice(0)) run()
    return word
  }

  function stop(): void {
    isStopped = true
    words.length = 0
    last.length = 0
    bytes = 0
    for (const run of wakers.splice(0)) run()
  }

  async function sendAll(): Promise<void> {
    isSending = true
    try {
      let since = performance.now()
      for (let message = take(); message !== undefined; message = take()) {
        if (!link.offer(message) && !(await link.send(message))) stop()
        if (performance.now() - since < sliceMs) continue
        await nextTurn()
        since = performance.now()
      }
    } catch (error) {
      stop()
      failed(error)
    }
    isSending = false
  }

  const wake = (): void => {
    if (!isSending && !isStopped) void sendAll()
  }

  function say(...frames: readonly Frame[]): void {
    if (isStopped) return
    for (const frame of frames) {
      const word = encodeFrame(frame)
      words.push(word)
      bytes += word.byteLength + wordOverhead
    }
    wake()
  }

  return {
    /** Sends words in their order, before what is left of the log. */
    say,
    /** Sends what may be lost, unless much waits already. @returns false: it was dropped */
    sayLosable(frame: FrameOf<'LIVE' | 'AWARE'>): boolean {
      if (isStopped || bytes > losableLimit || link.queuedBytes() > losableLimit) return false
      say(frame)
      return true
    },
    /** Sends a frame once nothing of the log waits. Whoever calls bounds how many wait. */
    sayLast(frame: Frame): void {
      if (isStopped) return
      last.push(frame)
      wake()
    },
    /** Looks for something of the log to send. */
    wake,
    /** Resolves when the peer may be heard again; undefined when that is so now. */
    untilLow: (): Promise<void> | undefined =>
      bytes <= holdLimit ? undefined : new Promise((resolve) => void wakers.push(resolve)),
    /** Bytes of words that wait. */
    waiting: (): number => bytes,
    /** Sends nothing more. */
    stop,
  }
}
