// Messages that wait for their consumer: handed over one after the other, with the sender paused while too much waits.
// Knows no socket and no message.

/** Whoever takes the messages; a promise says when the next one may come. Its failure ends the link. */
export type MessageConsumer = (message: Uint8Array) => void | Promise<void>

/** What a waiting message costs beside its bytes, so that very many very small ones are bounded too. */
export const messageOverhead = 128

/** What an inbox works with. */
export interface InboxParts {
  /** Bytes that may wait before the sender is paused. */
  readonly maxWaitingBytes: number
  pause(): void
  resume(): void
  /** The consumer threw; nothing is handed over any more. */
  failed(): void
}

/** Messages on their way to a consumer. */
export interface Inbox {
  put(message: Uint8Array): void
  /** Begins to hand over; there is one consumer in the life of an inbox. */
  start(consumer: MessageConsumer): void
  /** Forgets what waits and what comes. */
  drop(): void
  /** Calls back once nothing waits and the consumer is done; at once when it is so, or when there is no consumer. */
  whenIdle(run: () => void): void
}

/** Makes an inbox whose sender is paused already; it resumes with the consumer. */
export function createInbox(parts: InboxParts): Inbox {
  const waiting: Uint8Array[] = []
  const idle: (() => void)[] = []
  let bytes = 0
  let consumer: MessageConsumer | undefined
  let isBusy = false
  let isPaused = true
  let isDropped = false

  async function handOver(take: MessageConsumer): Promise<void> {
    if (isBusy) return
    isBusy = true
    try {
      for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
        bytes -= message.byteLength + messageOverhead
        const pending = take(message)
        if (pending !== undefined) await pending
        resumeWhenLow()
      }
    } catch {
      // Whoever takes the messages reports its own errors; here it only means that nothing can be taken any more.
      drop()
      parts.failed()
    }
    isBusy = false
    resumeWhenLow()
    for (const run of idle.splice(0)) run()
  }

  function resumeWhenLow(): void {
    if (!isPaused || isDropped || bytes > parts.maxWaitingBytes / 2) return
    isPaused = false
    parts.resume()
  }

  function drop(): void {
    isDropped = true
    waiting.length = 0
    bytes = 0
  }

  return {
    put(message) {
      if (isDropped) return
      waiting.push(message)
      bytes += message.byteLength + messageOverhead
      if (!isPaused && bytes > parts.maxWaitingBytes) {
        isPaused = true
        parts.pause()
      }
      if (consumer !== undefined) void handOver(consumer)
    },
    start(given) {
      if (consumer !== undefined) throw new Error('The link has a consumer already.')
      consumer = given
      void handOver(given)
    },
    drop,
    whenIdle(run) {
      if (!isBusy && (waiting.length === 0 || consumer === undefined)) run()
      else idle.push(run)
    },
  }
}
