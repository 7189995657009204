// How long a leader may answer reads without asking. Counted from before the store was asked: the store began its own count
// later, so it ends later there.
import type { HubTime } from './hub-time.ts'

/** The lease of one epoch, as its leader knows it. */
export interface Lease {
  /** Runs a call, after which the lease is renewed if `isRenewed` says so of its answer. */
  during<T>(call: () => Promise<T>, isRenewed: (answer: T) => boolean): Promise<T>
  /** Gives it up: only what is asked from now on renews it. */
  drop(): void
  /** Whether no other node can have been given the workspace yet. */
  holds(): boolean
  /** Milliseconds since the last success began. */
  ageMs(): number
}

/** The part of a lease that is used: clocks may differ in their rate by a tenth. */
const usedPart = 0.9
/** Wall time that passed beyond monotonic time: the machine was suspended, or its clock was set. */
const jumpPart = 0.1

/** A moment by both clocks of a node. */
export interface Moment {
  readonly monotonic: number
  readonly wall: number
}

/** Now, by both clocks. */
export function momentOf(time: HubTime): Moment {
  return { monotonic: time.monotonic(), wall: time.wall() }
}

/** Makes the lease of a leader. @param begun before the call that took the epoch */
export function createLease(time: HubTime, leaseMs: number, begun: Moment): Lease {
  let last: Moment | null = begun
  let notBefore = begun.monotonic
  return {
    async during(call, isRenewed) {
      const start = momentOf(time)
      const answer = await call()
      if (isRenewed(answer) && start.monotonic >= Math.max(notBefore, last?.monotonic ?? 0)) last = start
      return answer
    },
    drop() {
      last = null
      notBefore = time.monotonic()
    },
    holds() {
      if (last === null) return false
      const passed = time.monotonic() - last.monotonic
      const jumped = time.wall() - last.wall - passed
      return passed < leaseMs * usedPart && jumped < leaseMs * jumpPart
    },
    ageMs: () => (last === null ? Infinity : time.monotonic() - last.monotonic),
  }
}
