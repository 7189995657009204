// Runs asynchronous work one piece after the other.

/** Makes a lock: each call starts when the one before has ended, whether or not it failed. */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work, work)
    last = result
    return result
  }
}
