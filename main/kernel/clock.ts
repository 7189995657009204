// The one source of time. Plugins take it from the host so that tests can move it.

/** Time as the host sees it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** The present instant as D-10 writes it: ISO 8601 UTC with three fraction digits. */
  iso(): string
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  iso: () => new Date().toISOString(),
}

/** A clock that stands still until told otherwise; `set` and `advance` move it (tests, replays). */
export interface ManualClock extends Clock {
  set(ms: number): void
  advance(ms: number): void
}

/**
 * Makes a {@link ManualClock} that starts at `startMs`.
 * @internal for tests
 */
export function createManualClock(startMs: number): ManualClock {
  let ms = startMs
  return {
    now: () => ms,
    iso: () => new Date(ms).toISOString(),
    set: (value) => {
      ms = value
    },
    advance: (delta) => {
      ms += delta
    },
  }
}
