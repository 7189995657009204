// The one source of time, which plugins take from the host so that tests can move it, and timestamps as callers write them
// (D-10).
import { formatInstant, parseInstant } from '#shared/calendar/iso.ts'
import { validationError } from '#shared/errors.ts'

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

/**
 * A timestamp with any offset and precision, as D-10 writes it.
 * @param zone the workspace's, for one without an offset: at the ends of the calendar it decides whether there is such a moment
 * @throws validation_error naming the field
 */
export function instantOf(field: string, text: string, zone: string): string {
  const ms = parseInstant(text, zone)
  if (ms !== null) return formatInstant(ms)
  throw validationError([{ field, code: 'invalid_datetime', message: 'Expected an ISO 8601 timestamp.', value: text }])
}
