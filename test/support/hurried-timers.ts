// The machine's timers at another pace, for what waits seconds between two machines that are real. Knows no test.
import { systemTimers } from '#main/plugins/sync/channel/timers.ts'
import type { Timers } from '#main/plugins/sync/channel/timers.ts'

/** Timers by which everything is due `factor` times as soon, and as much time has gone by. */
export function createHurriedTimers(factor: number): Timers {
  return {
    now: () => systemTimers.now() * factor,
    after: (ms, run) => systemTimers.after(ms / factor, run),
  }
}
