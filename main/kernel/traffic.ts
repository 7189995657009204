// Tells work that can wait whether somebody is asking for something at this moment, and gives memory back to the system when
// nobody is: the engine keeps what a burst needed, a start or an import, until its own limits are near, which on a large
// machine is never.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

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

/** After the start nobody waits for this long, and the modules that were loaded have left most behind. */
const firstMs = 250
/** Later a pause has to be one: the event loop is held for about 100 ms. */
const laterMs = 5_000
/** Less than this is not worth it. */
const worthBytes = 24 * 1024 * 1024

/** A collection of the engine: of everything, or of what is young. */
export type Collect = (
  options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' } | { type: 'minor'; execution: 'sync' },
) => void

/**
 * Begins to watch for pauses.
 * @returns ends it
 */
export function returnMemoryInPauses(traffic: Traffic): () => void {
  const collect = collector()
  let keptBytes = 0
  let waitMs = firstMs
  const look = (): void => {
    const total = process.memoryUsage().heapTotal
    if (traffic.quietMs() < waitMs || total < keptBytes + worthBytes) return
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    keptBytes = process.memoryUsage().heapTotal
    waitMs = laterMs
    clearInterval(timer)
    timer = setInterval(look, laterMs / 2).unref()
  }
  let timer = setInterval(look, firstMs / 2).unref()
  return () => clearInterval(timer)
}

/** The engine's own collection; the flag adds a name to contexts made from now on, and to no other. */
export function collector(): Collect {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return collect
}
