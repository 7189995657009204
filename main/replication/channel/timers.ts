// Waiting as the channel sees it: a clock that never jumps and calls that can be taken back. Knows no socket.
import { performance } from 'node:perf_hooks'

/** Time that only moves forward, and calls to be made later. */
export interface Timers {
  /** Milliseconds since some moment; unlike the clock of the machine nobody sets it. */
  now(): number
  /**
   * Calls `run` once after `ms` milliseconds.
   * @returns takes the call back; harmless when it was made already
   */
  after(ms: number, run: () => void): () => void
}

/** The machine's own timers. They do not keep the process alive. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** {@link Timers} that stand still until told otherwise. */
export interface ManualTimers extends Timers {
  /** Moves time forward and makes every call that is due, in the order of its time. */
  advance(ms: number): void
  /** Calls that wait. */
  pending(): number
}

/**
 * Makes {@link ManualTimers}.
 * @internal for tests
 */
export function createManualTimers(): ManualTimers {
  let now = 0
  const calls = new Set<{ at: number; run: () => void }>()
  const nextUntil = (end: number): { at: number; run: () => void } | undefined =>
    [...calls].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
  return {
    now: () => now,
    after(ms, run) {
      const call = { at: now + ms, run }
      calls.add(call)
      return () => void calls.delete(call)
    },
    advance(ms) {
      const end = now + ms
      for (let call = nextUntil(end); call !== undefined; call = nextUntil(end)) {
        calls.delete(call)
        now = call.at
        call.run()
      }
      now = end
    },
    pending: () => calls.size,
  }
}
