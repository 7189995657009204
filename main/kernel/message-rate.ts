// How many messages a client of a socket may send, whatever the protocol spoken over it (D-175).

/** Messages of a client in a second; more end its socket. */
const maxMessagesPerSecond = 100

/** Makes what counts the messages of one socket: false for each message beyond the limit. */
export function createMessageRate(now: () => number): () => boolean {
  let windowStart = now()
  let messages = 0
  return () => {
    const at = now()
    if (at - windowStart >= 1_000) {
      windowStart = at
      messages = 0
    }
    messages += 1
    return messages <= maxMessagesPerSecond
  }
}
