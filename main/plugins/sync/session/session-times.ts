// Calls that a session has made later: all of them end with it. Knows timers, nothing of what is called.
import type { Timers } from '#main/replication/channel/timers.ts'

/** Calls made later over the timers of the machine. */
export function createSessionTimes(timers: Timers) {
  const cancels = new Set<() => void>()
  let isStopped = false
  return {
    now: (): number => timers.now(),
    after(ms: number, run: () => void): () => void {
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
    /** Takes all calls back, and those to come. */
    stop(): void {
      isStopped = true
      for (const cancel of cancels) cancel()
      cancels.clear()
    },
  }
}

/** A call that is made later; setting it anew takes the earlier one back. */
export function createAlarm(timers: Pick<Timers, 'after'>) {
  let cancel = (): void => undefined
  return {
    set(ms: number, run: () => void): void {
      cancel()
      cancel = timers.after(ms, run)
    },
    cancel: (): void => cancel(),
  }
}

/** A bell that rings a moment after it was pulled, once for all pulls until then. */
export function createBell(timers: Pick<Timers, 'after'>, ms: number) {
  const listeners = new Set<() => void>()
  let isPulled = false
  return {
    pull(): void {
      if (isPulled) return
      isPulled = true
      timers.after(ms, () => {
        isPulled = false
        for (const listener of listeners) listener()
      })
    },
    onRing(listener: () => void): () => void {
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
export function createWake(times: Pick<Timers, 'now' | 'after'>, run: () => void): (ms: number) => void {
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
