// Changes of presence that wait for a connection that asks rather than listens. Bounded: what counts is who is there now.
// Knows no right.
import type { PresenceChange } from './presence.ts'

/** Changes that wait for one connection; older ones make room, and clients ask for the whole list now and then. */
const maxWaiting = 1_000

/** The waiting changes of one connection. */
export interface PresenceQueue {
  add(change: PresenceChange): void
  /** Everything that waits, in order; it waits no more. */
  take(): readonly PresenceChange[]
}

/** Makes an empty queue. */
export function createPresenceQueue(): PresenceQueue {
  const waiting = new Map<string, PresenceChange>()
  return {
    add(change) {
      const key = `${change.channel} ${change.member.connectionId}`
      const before = waiting.get(key)
      // Who came and changed meanwhile has come, as far as the other side knows.
      const event = before?.event === 'join' && change.event === 'update' ? 'join' : change.event
      waiting.delete(key)
      if (waiting.size >= maxWaiting) waiting.delete(waiting.keys().next().value!)
      waiting.set(key, { ...change, event })
    },
    take() {
      const all = [...waiting.values()]
      waiting.clear()
      return all
    },
  }
}
