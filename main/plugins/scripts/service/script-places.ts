// Who comes next: places for runs, one queue per depth. Knows no processes.

/** Places for runs. */
export interface Places {
  /**
   * Waits for a place of the depth.
   * @returns gives it back, to be called once; undefined when the signal was aborted first
   */
  take(depth: number, signal: AbortSignal | undefined): Promise<(() => void) | undefined>
}

/** Makes `count` places per depth: a run waits only for deeper ones, so nobody waits in a circle. */
export function createPlaces(count: number): Places {
  const depths = new Map<number, { taken: number; readonly queue: Set<() => void> }>()
  return {
    async take(depth, signal) {
      if (signal?.aborted === true) return undefined
      const places = depths.get(depth) ?? { taken: 0, queue: new Set() }
      depths.set(depth, places)
      if (places.taken < count) places.taken += 1
      else if (!(await queued(places.queue, signal))) return undefined
      return () => {
        // The place goes to the next in the queue, so the count stays.
        const [next] = places.queue
        if (next === undefined) places.taken -= 1
        else next()
      }
    },
  }
}

/** Whether the turn came before the end. */
function queued(queue: Set<() => void>, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (came: boolean): void => {
      queue.delete(next)
      signal?.removeEventListener('abort', onAbort)
      resolve(came)
    }
    const next = (): void => settle(true)
    const onAbort = (): void => settle(false)
    queue.add(next)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
