// Counts what a peer sent that cannot be used, and says when it is too much. Knows a clock, no frame.
import type { Timers } from '#main/replication/channel/timers.ts'

/** Bad things a peer may send in a minute: one more pauses it. */
export const badPerMinute = 20

/** A count that forgets what is older than a minute. */
export interface BadCount {
  /** Counts one. @returns whether it is one too many */
  add(): boolean
  /** All there ever were. */
  total(): number
}

/** Makes an empty count. @source sync.md section 10 */
export function createBadCount(timers: Pick<Timers, 'now'>): BadCount {
  let times: number[] = []
  let total = 0
  return {
    add() {
      const now = timers.now()
      times = [...times.filter((at) => at > now - 60_000), now]
      total += 1
      return times.length > badPerMinute
    },
    total: () => total,
  }
}
