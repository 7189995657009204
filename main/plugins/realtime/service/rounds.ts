// Hands events to many connections in short turns, in order, so that requests do not wait for the last of a thousand
// sockets. Knows no right.
import type { PlatformEvent } from '#shared/events.ts'
import type { Connection } from './connection.ts'
import type { EventCache } from './messages.ts'
import { createEventCache } from './messages.ts'
import type { Subscription } from './subscription.ts'

/** How long one turn lasts. */
const turnMs = 4

/** Events under way beyond which nothing waits for its turn: memory is not a queue. */
const maxRounds = 1_000

type Receivers = ReadonlyMap<Connection, readonly Subscription[]>

/** The events under way. */
export interface Rounds {
  /** Hands an event over, after all those before it; the first turn is now. */
  add(event: PlatformEvent, receivers: Receivers): void
}

interface Round {
  readonly event: PlatformEvent
  readonly rest: Iterator<[Connection, readonly Subscription[]]>
  cache: EventCache
  validity: string
}

/** Makes them; `validity` is a text that changes when what was worked out for an event may be wrong by now. */
export function createRounds(validity: () => string): Rounds {
  const rounds: Round[] = []
  let isScheduled = false

  const run = (): void => {
    const until = performance.now() + turnMs
    for (let round = rounds[0]; round !== undefined; round = rounds[0]) {
      const now = validity()
      if (round.validity !== now) {
        round.validity = now
        round.cache = createEventCache()
      }
      for (let next = round.rest.next(); next.done !== true; next = round.rest.next()) {
        const [connection, subscriptions] = next.value
        connection.offer(round.event, subscriptions, round.cache)
        if (performance.now() < until || rounds.length > maxRounds) continue
        later()
        return
      }
      rounds.shift()
    }
  }

  const later = (): void => {
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      run()
    })
  }

  return {
    add(event, receivers) {
      rounds.push({ event, rest: receivers.entries(), cache: createEventCache(), validity: validity() })
      if (!isScheduled) run()
    },
  }
}
