// The newest events, for connections that come back: at most 10,000, a day and a number of bytes. Knows no channel.
import type { PlatformEvent } from '#shared/events.ts'

/** How much is kept (D-174); the bytes are a bound of memory beside it. */
export interface RingLimits {
  readonly events: number
  readonly ageMs: number
  readonly bytes: number
}

/** The limits of a host. */
export const ringLimits: RingLimits = { events: 10_000, ageMs: 86_400_000, bytes: 64 * 1024 * 1024 }

/** Why a position cannot be resumed from. */
export type ResetReason = 'too_old' | 'unknown'

/** The ring. Positions are ids of events, or ids between them. */
export interface EventRing {
  /** Takes an event in order; one that nobody can receive only moves the end. */
  push(event: PlatformEvent, isSent: boolean): void
  /** The position after everything committed so far. */
  latest(): number
  /** The position as a client wrote it, or why there is no going on from it. */
  positionOf(text: string): number | ResetReason
  /** Whether nothing after the position was dropped. */
  holds(position: number): boolean
  /** The first event kept after a position. */
  next(position: number): PlatformEvent | undefined
}

/** Makes a ring whose first position is `start`. */
export function createEventRing(start: number, now: () => number, limits: RingLimits = ringLimits): EventRing {
  let events: PlatformEvent[] = []
  let sizes: number[] = []
  let head = 0
  let bytes = 0
  let floor = start
  let latest = start

  const dropOutdated = (): void => {
    const oldest = now() - limits.ageMs
    while (
      head < events.length &&
      (events.length - head > limits.events || bytes > limits.bytes || Date.parse(events[head]!.timestamp) < oldest)
    ) {
      floor = events[head]!.eventId
      bytes -= sizes[head]!
      head += 1
    }
    if (head <= limits.events) return
    events = events.slice(head)
    sizes = sizes.slice(head)
    head = 0
  }

  /** Index of the first event after a position. */
  const after = (position: number): number => {
    let [low, high] = [head, events.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (events[middle]!.eventId > position) high = middle
      else low = middle + 1
    }
    return low
  }

  return {
    push(event, isSent) {
      latest = event.eventId
      if (!isSent) return
      const size = sizeOf(event.payload, 4) + 200
      events.push(event)
      sizes.push(size)
      bytes += size
      dropOutdated()
    },
    latest: () => latest,
    positionOf(text) {
      dropOutdated()
      const position = /^\d{1,16}$/.test(text) ? Number(text) : NaN
      if (Number.isNaN(position) || position > latest) return 'unknown'
      return position < floor ? 'too_old' : position
    },
    holds: (position) => position >= floor,
    next: (position) => events[after(position)],
  }
}

/** About how many bytes a value takes; parts far inside of it count as little. */
function sizeOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length + 16
  if (typeof value !== 'object' || value === null || depth === 0) return 16
  let sum = 32
  for (const key in value) sum += key.length + sizeOf((value as Record<string, unknown>)[key], depth - 1)
  return sum
}
