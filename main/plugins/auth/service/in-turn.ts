// Runs work about one and the same thing one after the other. Knows nothing of the work.

/** Runs `work` when everything begun before under the same key has ended, whatever came of it. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Makes an empty queue. */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
