// Gathers what is asked for one by one within a turn of the event loop and asks for all of it at once. Knows no record.

/** Answers the value of a key; undefined when there is none. */
export type Batched<Value> = (key: string) => Promise<Value | undefined>

interface Waiting<Value> {
  readonly key: string
  readonly resolve: (value: Value | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes a batched lookup. Nothing is remembered beyond a batch: what is asked after a write sees it.
 * @param limit most keys of one call
 * @param load answers the values of distinct keys
 */
export function createBatched<Value>(
  limit: number,
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): Batched<Value> {
  let waiting: Waiting<Value>[] = []

  const run = async (): Promise<void> => {
    const batch = waiting
    waiting = []
    const keys = [...new Set(batch.map(({ key }) => key))]
    try {
      const found = new Map<string, Value>()
      for (let start = 0; start < keys.length; start += limit) {
        for (const [key, value] of await load(keys.slice(start, start + limit))) found.set(key, value)
      }
      for (const { key, resolve } of batch) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      // After the promises of this turn: the fields of all records of a level ask before the batch leaves.
      if (waiting.length === 0) setImmediate(() => void run())
      waiting.push({ key, resolve, reject })
    })
}
