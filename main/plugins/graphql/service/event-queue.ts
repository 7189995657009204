// Events that wait to be taken one by one. Knows nothing of what they are.

/** A queue with one reader. */
export interface EventQueue<Event> extends AsyncIterableIterator<Event> {
  /** How many wait. */
  size(): number
  push(event: Event): void
  end(): void
}

/**
 * Makes a queue.
 * @param left called once, when its reader goes away or it is ended
 */
export function createEventQueue<Event>(left: () => void): EventQueue<Event> {
  const waiting: Event[] = []
  let take: ((result: IteratorResult<Event>) => void) | undefined
  let isOver = false
  const over: IteratorResult<Event> = { done: true, value: undefined }

  const end = (): void => {
    if (isOver) return
    isOver = true
    waiting.length = 0
    take?.(over)
    left()
  }

  return {
    size: () => waiting.length,
    push(event) {
      if (isOver) return
      if (take === undefined) waiting.push(event)
      else {
        take({ done: false, value: event })
        take = undefined
      }
    },
    end,
    next() {
      const event = waiting.shift()
      if (event !== undefined) return Promise.resolve({ done: false, value: event })
      if (isOver) return Promise.resolve(over)
      return new Promise((resolve) => {
        take = resolve
      })
    },
    return() {
      end()
      return Promise.resolve(over)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
