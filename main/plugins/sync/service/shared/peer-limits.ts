// How much of live texts one machine may send, and for how long it is not heard when it sent too much that is not usable.
// Knows a clock, no frame.
import { badPerMinute } from '../../session/misbehaviour.ts'

/** Frames and bytes of one machine in a second; what is above it is left out. */
const perSecond = { frames: 1_000, bytes: 4 * 1024 * 1024 } as const

const minuteMs = 60_000

/** The limits of all machines. */
export interface PeerLimits {
  /** Counts a frame; false: it is to be left out. */
  allows(peer: string, bytes: number): boolean
  /** Counts something that is not usable. @returns how many there were in this minute */
  bad(peer: string): number
}

/** Makes them. */
export function createPeerLimits(now: () => number): PeerLimits {
  const seconds = new Map<string, { from: number; frames: number; bytes: number }>()
  const bads = new Map<string, { from: number; count: number }>()
  return {
    allows(peer, bytes) {
      const bad = bads.get(peer)
      if (bad !== undefined && bad.count >= badPerMinute && now() - bad.from < minuteMs) return false
      let window = seconds.get(peer)
      if (window === undefined || now() - window.from >= 1_000 || now() < window.from)
        seconds.set(peer, (window = { from: now(), frames: 0, bytes: 0 }))
      window.frames += 1
      window.bytes += bytes
      return window.frames <= perSecond.frames && window.bytes <= perSecond.bytes
    },
    bad(peer) {
      let bad = bads.get(peer)
      if (bad === undefined || now() - bad.from >= minuteMs) bads.set(peer, (bad = { from: now(), count: 0 }))
      bad.count += 1
      return bad.count
    },
  }
}
