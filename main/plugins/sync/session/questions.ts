// Questions to a peer that it answers with their id or in their order: whether it is there, whether it admits a device,
// whether everything written so far is on its disk. Knows their frames, vectors and times, no link.
import type { Timers } from '#main/replication/channel/timers.ts'
import type { Vector } from '#main/replication/core/types.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { lacks } from '#main/replication/wire/vector-codec.ts'
import type { SendLog } from './send-log.ts'
import type { BarrierResult } from './types.ts'

/** Questions of a kind that may be open at once: a peer that answers none must not fill the memory. */
const openLimit = 64
const barrierLimit = 256

/** PINGs that wait for their PONG. */
export function createPings(say: (frame: Frame) => void) {
  const open = new Map<number, (() => void) | undefined>()
  let next = 1
  return {
    /** Asks, and calls back once the peer has read everything said so far; not at all when too many are open. */
    ask(answered?: () => void): void {
      if (open.size >= openLimit) return
      open.set(next, answered)
      say({ kind: 'PING', id: next })
      next = (next + 1) % 0xff_ff_ff_ff
    },
    answered(id: number): void {
      const answer = open.get(id)
      open.delete(id)
      answer?.()
    },
  }
}

/** Words about devices that wait for a relay's answer. */
export function createAdmissions() {
  const open: ((isCounted: boolean) => void)[] = []
  return {
    /** Resolves with whether the word counts. */
    ask(say: () => void): Promise<boolean> {
      if (open.length >= openLimit) return Promise.resolve(false)
      return new Promise((resolve) => {
        open.push(resolve)
        say()
      })
    },
    /** The oldest word is answered. */
    answered: (isCounted: boolean): void => open.shift()?.(isCounted),
    /** Nobody will answer any more. */
    stop(): void {
      for (const answer of open.splice(0)) answer(false)
    },
  }
}

/** What barriers work with. */
export interface BarrierParts {
  readonly timers: Pick<Timers, 'now' | 'after'>
  readonly sender: Pick<SendLog, 'bar' | 'unbar'>
  /** What is to be durable there, and what is. */
  readonly vector: () => Vector
  readonly acked: () => Vector
  readonly wake: () => void
}

/** BARRIERs of one link that wait for their answer. */
export function createBarriers({ timers, sender, vector, acked, wake }: BarrierParts) {
  const open = new Map<number, () => void>()
  let nextId = 1
  let isStopped = false

  return {
    /** Waits until everything written so far is on the peer's disk. */
    wait(timeoutMs: number): Promise<BarrierResult> {
      const from = timers.now()
      const target = vector()
      if (isStopped || open.size >= barrierLimit) return Promise.resolve({ reached: false, waitedMs: 0 })
      const id = nextId
      nextId = nextId >= 0x7f_ff_ff_ff ? 1 : nextId + 1
      return new Promise((resolve) => {
        const finish = (): void => {
          cancel()
          open.delete(id)
          sender.unbar(id)
          const reached = !isStopped && !lacks(acked(), target)
          resolve({ reached, waitedMs: Math.round(timers.now() - from) })
        }
        const cancel = timers.after(timeoutMs, finish)
        open.set(id, finish)
        sender.bar(id, target)
        wake()
      })
    },
    /** The peer has answered a BARRIER. @returns false: nobody asked */
    answered(id: number): boolean {
      const finish = open.get(id)
      finish?.()
      // One that was given up may be answered late.
      return finish !== undefined || id < nextId
    },
    /** Nobody will answer any more. */
    stop(): void {
      isStopped = true
      for (const finish of open.values()) finish()
    },
  }
}
