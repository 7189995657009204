// Events that wait to be taken one by one. Knows nothing of what they are.

/** A queue with one reader. */
export interface EventQueue<Event> extends AsyncIterableIterator<Event> {
  /** Bytes of the events that wait. */
  bytes(): number
  push(event: Event, bytes: number): void
  end(): void
}

/**
 * Makes a queue.
 * @param left called once, when its reader goes away or it is ended
 */
export function createEventQueue<Event>(left: () => void): EventQueue<Event> {
  const waiting: { readonly event: Event; readonly bytes: number }[] = []
  let bytes = 0
  let take: ((result: IteratorResult<Event>) => void) | undefined
  let isOver = false
  const over: IteratorResult<Event> = { done: true, value: undefined }

  const end = (): void => {
    if (isOver) return
    isOver = true
    waiting.length = 0
    bytes = 0
    take?.(over)
    left()
  }

  return {
    bytes: () => bytes,
    push(event, size) {
      if (isOver) return
      if (take === undefined) {
        waiting.push({ event, bytes: size })
        bytes += size
      } else {
        take({ done: false, value: event })
        take = undefined
      }
    },
    end,
    next() {
      const first = waiting.shift()
      if (first !== undefined) {
        bytes -= first.bytes
        return Promise.resolve({ done: false, value: first.event })
      }
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
