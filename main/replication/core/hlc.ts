// The hybrid logical clock: the stamps that rank concurrent edits. Knows no document and reads no clock of its own.
import type { Hlc } from './types.ts'

const MAX_MS = 2 ** 48 - 1
const MAX_CTR = 0xffff
/** How far a foreign stamp may be ahead of this machine's time and still move its clock. */
const TRUSTED_AHEAD_MS = 5 * 60_000

/** A stamp together with the incarnation that made it: the full rank of an edit. */
export interface Stamp extends Hlc {
  readonly inc: number
}

/** Makes the stamps of one machine. */
export interface HlcClock {
  /**
   * A new stamp, greater than every one this clock made or observed.
   * @param seen greatest stamp in the document that is edited; the new stamp is greater than that one too. Where it is
   * more than five minutes ahead, only this edit follows it, not the clock.
   */
  tick(seen?: Hlc): Hlc
  /**
   * Takes note of a foreign stamp, so that later edits of this machine rank above it.
   * @returns by how many milliseconds the stamp is too far ahead to be followed; 0 if it was followed
   */
  observe(hlc: Hlc): number
  /** The greatest stamp made or followed so far; kept by the caller over restarts. */
  last(): Hlc
}

/** What a clock is made from. */
export interface HlcClockOptions {
  /** Milliseconds since 1970 on this machine, corrected by the offset that peers agree on. */
  readonly now: () => number
  /** The last stamp before the restart; one that is more than five minutes ahead is not followed. */
  readonly last?: Hlc | undefined
}

/** The stamp before all others. */
export const ZERO_HLC: Hlc = { ms: 0, ctr: 0 }

/**
 * Makes the clock of a machine. A time that steps back only counts up; time never refuses an edit.
 * @source sync.md sections 4 and 16
 */
export function createHlcClock({ now, last = ZERO_HLC }: HlcClockOptions): HlcClock {
  const time = (): number => Math.min(Math.max(Math.floor(now()), 0), MAX_MS)
  // The last edit may have followed a stamp that the clock did not.
  let own = last.ms > time() + TRUSTED_AHEAD_MS ? ZERO_HLC : last
  return {
    tick(seen = ZERO_HLC) {
      const ms = time()
      const base = laterHlc({ ms, ctr: 0 }, own)
      if (compareHlc(seen, base) > 0) {
        if (seen.ms > ms + TRUSTED_AHEAD_MS) return nextHlc(seen)
        own = nextHlc(seen)
      } else {
        own = nextHlc(base)
      }
      return own
    },
    observe(hlc) {
      const ahead = hlc.ms - time()
      if (ahead > TRUSTED_AHEAD_MS) return ahead
      own = laterHlc(own, hlc)
      return 0
    },
    last: () => own,
  }
}

/** Orders two stamps: negative when `a` is the earlier one. */
export function compareHlc(a: Hlc, b: Hlc): number {
  return a.ms - b.ms || a.ctr - b.ctr
}

/** Orders two stamps of different machines; the incarnation decides between equal ones. */
export function compareStamps(a: Stamp, b: Stamp): number {
  return compareHlc(a, b) || a.inc - b.inc
}

/** The greater of two stamps. */
export function laterHlc(a: Hlc, b: Hlc): Hlc {
  return compareHlc(a, b) >= 0 ? a : b
}

/** Whether two numbers are a stamp: 48 bits of milliseconds and 16 bits of counter. */
export function isHlc(ms: unknown, ctr: unknown): boolean {
  return isUint(ms, MAX_MS) && isUint(ctr, MAX_CTR)
}

/** A stamp as 16 hex digits that sort as the stamps do. */
export function encodeHlc({ ms, ctr }: Hlc): string {
  return ms.toString(16).padStart(12, '0') + ctr.toString(16).padStart(4, '0')
}

/** The stamp of 16 hex digits; null for any other text. */
export function decodeHlc(text: string): Hlc | null {
  if (!/^[0-9a-f]{16}$/.test(text)) return null
  return { ms: Number.parseInt(text.slice(0, 12), 16), ctr: Number.parseInt(text.slice(12), 16) }
}

/** One tick later. At the end of time (the year 10889) the stamp stays: the incarnation ranks from there on. */
function nextHlc({ ms, ctr }: Hlc): Hlc {
  if (ctr < MAX_CTR) return { ms, ctr: ctr + 1 }
  return ms < MAX_MS ? { ms: ms + 1, ctr: 0 } : { ms, ctr }
}

function isUint(value: unknown, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max
}
