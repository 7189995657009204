// What one device has sent and a relay has not settled yet: it waits here while the device is over its rate, in its
// order, and no more of it than a window and one envelope. Knows sizes and costs, no envelope.
import type { TokenBuckets } from './token-bucket.ts'

/** One thing to do in its turn. */
export interface Work {
  /** Envelopes it counts as. */
  readonly cost: number
  readonly bytes: number
  /** Begins it; `settled` is called once it is durable or refused. */
  start(settled: () => void): void
}

/** The receiving side of one connection. */
export interface Inbox {
  /** Takes work and begins it as soon as the rate allows; false when more is waiting than a peer may send. */
  add(work: Work): boolean
  /** Forgets what has not begun. */
  close(): void
}

/** What an inbox works with. */
export interface InboxParts {
  /** Bytes that may be unsettled. */
  readonly limit: number
  readonly device: string
  readonly rates: TokenBuckets
  /** Calls back after so many milliseconds. */
  readonly later: (milliseconds: number, job: () => void) => void
}

/** Makes an empty inbox. */
export function createInbox({ limit, device, rates, later }: InboxParts): Inbox {
  let waiting: Work[] = []
  let unsettled = 0
  let isPaused = false
  let isClosed = false

  const drain = (): void => {
    isPaused = false
    for (let work = waiting[0]; work && !isClosed; work = waiting[0]) {
      const wait = rates.take(device, work.cost)
      if (wait > 0) {
        isPaused = true
        later(wait, drain)
        return
      }
      waiting.shift()
      const { bytes } = work
      work.start(() => void (unsettled -= bytes))
    }
  }

  return {
    add(work) {
      if (unsettled + work.bytes > limit) return false
      unsettled += work.bytes
      waiting.push(work)
      if (!isPaused) drain()
      return true
    },
    close() {
      isClosed = true
      waiting = []
    },
  }
}
