// The time of a node: what only ever goes forward, and what people may set.
import { performance } from 'node:perf_hooks'

/** What a node measures time with. */
export interface HubTime {
  /** Milliseconds that only go forward; they may stand still while the machine is suspended. */
  monotonic(): number
  /** Milliseconds since 1970; people and time servers may set it. */
  wall(): number
  /** Calls once after so many milliseconds. @returns what calls it off */
  after(ms: number, call: () => void): () => void
}

/** The time of this machine. */
export const machineTime: HubTime = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after so many milliseconds. */
export function pauseFor(time: HubTime, ms: number): Promise<void> {
  return new Promise((resolve) => void time.after(ms, resolve))
}
