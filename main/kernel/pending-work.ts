// Lets synchronous code say that an answer takes longer than the event loop may be held. Knows nothing of the work.

/** Thrown where an answer is being worked out in the background; ask again when `settled` resolves. */
export class PendingWork extends Error {
  /** Resolves when the answer is there; rejects when it cannot be had. */
  readonly settled: Promise<void>

  constructor(settled: Promise<void>) {
    super('The answer is being worked out.')
    this.name = 'PendingWork'
    this.settled = settled
    // Whoever catches this decides whether to wait; nobody waiting is no failure of its own.
    settled.catch(() => undefined)
  }
}

/** Asks until the answer is there. @throws what the question or the work behind it throws */
export async function whenReady<T>(ask: () => T): Promise<T> {
  for (;;) {
    try {
      return ask()
    } catch (error) {
      if (!(error instanceof PendingWork)) throw error
      await error.settled
    }
  }
}
