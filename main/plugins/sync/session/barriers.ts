// Waiting until everything written so far is on a peer's disk. Knows vectors and times, no frame.
import type { Timers } from '#main/replication/channel/timers.ts'
import type { Vector } from '#main/replication/core/types.ts'
import { missingRanges } from '#main/replication/wire/vector-codec.ts'
import type { SendLog } from './send-log.ts'
import type { BarrierResult } from './types.ts'

/** Barriers that may wait at once on one link. */
const barrierLimit = 256

/** The barriers of one link. */
export interface Barriers {
  wait(timeoutMs: number): Promise<BarrierResult>
  /** The peer has answered a BARRIER. @returns false: nobody asked */
  answered(id: number): boolean
  /** Nobody will answer any more. */
  stop(): void
}

/** What barriers work with. */
export interface BarrierParts {
  readonly timers: Timers
  readonly sender: Pick<SendLog, 'bar' | 'unbar'>
  /** What is to be durable there, and what is. */
  readonly vector: () => Vector
  readonly acked: () => Vector
  readonly wake: () => void
}

/** Makes a place where barriers wait. */
export function createBarriers({ timers, sender, vector, acked, wake }: BarrierParts): Barriers {
  const open = new Map<number, () => void>()
  let nextId = 1
  let isStopped = false

  return {
    wait(timeoutMs) {
      const from = timers.now()
      const target = vector()
      const isReached = (): boolean => missingRanges(acked(), target).length === 0
      const result = (): BarrierResult => ({ reached: isReached(), waitedMs: Math.round(timers.now() - from) })
      if (isStopped || open.size >= barrierLimit) return Promise.resolve({ reached: false, waitedMs: 0 })
      const id = nextId
      nextId = nextId >= 0x7f_ff_ff_ff ? 1 : nextId + 1
      return new Promise((resolve) => {
        const finish = (): void => {
          cancel()
          open.delete(id)
          sender.unbar(id)
          resolve(isStopped ? { ...result(), reached: false } : result())
        }
        const cancel = timers.after(timeoutMs, finish)
        open.set(id, finish)
        sender.bar(id, target)
        wake()
      })
    },
    answered(id) {
      const finish = open.get(id)
      finish?.()
      // One that was given up may be answered late.
      return finish !== undefined || id < nextId
    },
    stop() {
      isStopped = true
      for (const finish of open.values()) finish()
    },
  }
}
