// Owns turning a burst of wishes into few runs: the first at once, then at most one per gap, and never two at a time.
// Knows nothing of what runs.

/** Runs per burst; see {@link createCoalescer}. */
export interface Coalescer {
  /** Wishes a run; wishes while one waits are one. */
  ask(): void
  /** Drops what waits; a later wish counts again. */
  stop(): void
}

/** Five runs a second: a screen that changes more often is not read any better. */
export const refreshGapMs = 200

/** Creates a coalescer over a function; a run that takes longer than the gap delays the next one. */
export function createCoalescer(run: () => unknown, gapMs: number = refreshGapMs): Coalescer {
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastStart = Number.NEGATIVE_INFINITY
  let running = false
  let wished = false

  const start = async (): Promise<void> => {
    timer = undefined
    wished = false
    running = true
    lastStart = performance.now()
    try {
      await run()
    } finally {
      running = false
      if (wished) schedule()
    }
  }
  const schedule = (): void => {
    if (timer !== undefined) return
    const wait = Math.max(0, lastStart + gapMs - performance.now())
    // Whatever runs tells the person itself when it fails.
    timer = setTimeout(() => void start().catch(() => undefined), wait)
  }

  return {
    ask() {
      wished = true
      if (!running) schedule()
    },
    stop() {
      wished = false
      clearTimeout(timer)
      timer = undefined
    },
  }
}
