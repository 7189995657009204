// Tells work that can wait whether somebody is asking for something at this moment.

/** The traffic of one host. */
export interface Traffic {
  /** Called for each request that comes in. */
  arrived(): void
  /** Whether another request came in within the last moment; one that began the work itself is forgotten by then. */
  isBusy(): boolean
  /** Milliseconds since the last request, or since the start. */
  quietMs(): number
}

/** A person's next click, or the next request of a script that works in sequence, comes within it. */
const momentMs = 150

/** Makes the traffic of a host. */
export function createTraffic(now: () => number = () => performance.now()): Traffic {
  const startedAt = now()
  let lastAt = -Infinity
  return {
    arrived() {
      lastAt = now()
    },
    isBusy: () => now() - lastAt < momentMs,
    quietMs: () => now() - Math.max(lastAt, startedAt),
  }
}
