// Counts what storing rows takes.
import type { AppendFigures } from '#main/kernel/hub-facts.ts'

/** Counts the appends of one leader. */
export interface AppendCounter {
  stored(ms: number, bytes: number): void
  failed(): void
  figures(): AppendFigures
}

/** Upper bounds in seconds: from a store beside the node to one that callers no longer wait for. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Makes the counter. */
export function createAppendCounter(): AppendCounter {
  const counts = bounds.map(() => 0)
  let [count, failures, seconds, sum] = [0, 0, 0, 0]
  return {
    stored(ms, bytes) {
      const took = ms / 1000
      count += 1
      seconds += took
      sum += bytes
      const bucket = bounds.findIndex((bound) => took <= bound)
      if (bucket !== -1) counts[bucket]! += 1
    },
    failed: () => void (failures += 1),
    figures() {
      let below = 0
      const buckets = bounds.map((atMost, at) => ({ atMost, count: (below += counts[at]!) }))
      return { count, failures, seconds, bytes: sum, buckets }
    },
  }
}
