// Calls that a session has made later: all of them end with it. Knows timers, nothing of what is called.
import type { Timers } from '#main/replication/channel/timers.ts'

/** Calls made later. */
export interface SessionTimes {
  now(): number
  after(ms: number, run: () => void): () => void
  /** Takes all calls back, and those to come. */
  stop(): void
}

/** Makes {@link SessionTimes} over the timers of the machine. */
export function createSessionTimes(timers: Timers): SessionTimes {
  const cancels = new Set<() => void>()
  let isStopped = false
  return {
    now: () => timers.now(),
    after(ms, run) {
      if (isStopped) return () => undefined
      const cancel = timers.after(ms, () => {
        cancels.delete(cancel)
        run()
      })
      cancels.add(cancel)
      return () => {
        cancels.delete(cancel)
        cancel()
      }
    },
    stop() {
      isStopped = true
      for (const cancel of cancels) cancel()
      cancels.clear()
    },
  }
}

/** A bell that rings a moment after it was pulled, once for all pulls until then. */
export interface Bell {
  pull(): void
  onRing(listener: () => void): () => void
}

/** Makes a bell. */
export function createBell(timers: Pick<Timers, 'after'>, ms: number): Bell {
  const listeners = new Set<() => void>()
  let isPulled = false
  return {
    pull() {
      if (isPulled) return
      isPulled = true
      timers.after(ms, () => {
        isPulled = false
        for (const listener of listeners) listener()
      })
    },
    onRing(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/**
 * Calls back at the nearest of the times it is asked for; whoever is called asks again for what is still to come. A timer
 * may ring a little before its time: it counts as rung all the same, or whoever then asks for the same time would wait
 * for nothing.
 * @returns asks for a call after so many milliseconds
 */
export function createWake(times: Pick<SessionTimes, 'now' | 'after'>, run: () => void): (ms: number) => void {
  let nearest = Infinity
  return (ms) => {
    const at = times.now() + ms
    if (at >= nearest) return
    nearest = at
    times.after(ms, () => {
      if (nearest === at) nearest = Infinity
      run()
    })
  }
}
