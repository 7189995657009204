// What waits to be sent over one link, with a bound for every kind of peer that does not read. Knows frames by whether
// they may be lost, and a link by its one way to send.
import { encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { windowLimit } from '#main/replication/wire/limits.ts'

/** Bytes above which frames that may be lost are. */
const losableLimit = windowLimit / 4

/**
 * Bytes above which nothing more is taken from the peer. Several windows: a device that keeps the protocol never gets
 * there, so the two ends cannot wait for each other.
 */
const holdLimit = 4 * windowLimit

/** Bytes at which a peer is given up. What follows a connection is far less, so that catching up always ends. */
const giveUpLimit = 8 * windowLimit

/** What a waiting frame costs beside its bytes: without it, very many very small ones would cost memory unseen. */
const frameOverhead = 1024

/** The sending side of a link. */
export interface Outgoing {
  /** Takes frames in their order. */
  push(frames: readonly Frame[]): void
  /** Resolves when so little waits that the peer may be heard again; undefined when that is so now. */
  untilLow(): Promise<void> | undefined
  /** Takes nothing more and calls back once everything has left, or nothing can leave any more. */
  finish(done: () => void): void
}

/** What the queue works with. */
export interface OutgoingParts {
  /** Resolves once the message is taken; false when the link has ended. */
  send(message: Uint8Array): Promise<boolean>
  /** Nothing more can be sent: too much waits for the peer, or a frame is one that no peer would take. */
  failed(error: Error): void
}

/** Makes an empty queue. */
export function createOutgoing({ send, failed }: OutgoingParts): Outgoing {
  let waiting: Uint8Array[] = []
  let bytes = 0
  let isSending = false
  /** Nothing more is taken; what waits still leaves, unless it was dropped. */
  let isClosed = false
  let isDropped = false
  let wakers: (() => void)[] = []
  let finished: (() => void) | undefined

  function wake(): void {
    if (bytes > holdLimit) return
    const woken = wakers
    wakers = []
    for (const run of woken) run()
  }

  function drop(): void {
    waiting = []
    bytes = 0
    isClosed = true
    isDropped = true
    wake()
  }

  async function sendAll(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      // Taken over as a whole: shifting one by one from a long list would cost its length each time.
      const batch = waiting
      waiting = []
      for (const message of batch) {
        if (!(await send(message))) drop()
        if (isDropped) break
        bytes -= message.byteLength + frameOverhead
        wake()
      }
    }
    isSending = false
    finished?.()
  }

  function add(frame: Frame): void {
    const isLosable = frame.kind === 'LIVE' || frame.kind === 'AWARE'
    if (isLosable && bytes > losableLimit) return
    const message = encodeFrame(frame)
    const cost = message.byteLength + frameOverhead
    if (bytes + cost > giveUpLimit) throw new Error(`The peer has not read ${bytes} bytes.`)
    waiting.push(message)
    bytes += cost
  }

  return {
    push(frames) {
      if (isClosed) return
      try {
        for (const frame of frames) add(frame)
      } catch (error) {
        // Whoever has something to send may be in the middle of telling others; this link alone ends.
        drop()
        failed(error as Error)
      }
      if (!isSending) void sendAll()
    },
    untilLow() {
      if (bytes <= holdLimit) return undefined
      return new Promise((resolve) => void wakers.push(resolve))
    },
    finish(done) {
      isClosed = true
      finished = done
      if (!isSending) done()
    },
  }
}
