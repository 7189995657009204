// Questions to a peer that it answers in their order: whether it is there, and whether it admits a device. Knows the two
// frames, no link.
import type { Frame } from '#main/replication/wire/frames.ts'

/** Questions that may be open at once: a peer that answers none must not fill the memory. */
const openLimit = 64

/** PINGs that wait for their PONG. */
export interface Pings {
  /** Asks, and calls back once the peer has read everything said so far; not at all when too many are open. */
  ask(answered?: () => void): void
  answered(id: number): void
}

/** Makes a place where PINGs wait. */
export function createPings(say: (frame: Frame) => void): Pings {
  const open = new Map<number, (() => void) | undefined>()
  let next = 1
  return {
    ask(answered) {
      if (open.size >= openLimit) return
      open.set(next, answered)
      say({ kind: 'PING', id: next })
      next = (next + 1) % 0xff_ff_ff_ff
    },
    answered(id) {
      const answer = open.get(id)
      open.delete(id)
      answer?.()
    },
  }
}

/** Words about devices that wait for a relay's answer. */
export interface Admissions {
  /** Resolves with whether the word counts. */
  ask(say: () => void): Promise<boolean>
  /** The oldest word is answered. */
  answered(isCounted: boolean): void
  /** Nobody will answer any more. */
  stop(): void
}

/** Makes a place where words about devices wait. */
export function createAdmissions(): Admissions {
  const open: ((isCounted: boolean) => void)[] = []
  return {
    ask(say) {
      if (open.length >= openLimit) return Promise.resolve(false)
      return new Promise((resolve) => {
        open.push(resolve)
        say()
      })
    },
    answered: (isCounted) => open.shift()?.(isCounted),
    stop() {
      for (const answer of open.splice(0)) answer(false)
    },
  }
}
