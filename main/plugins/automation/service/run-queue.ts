// Which runs go on now (D-154): 50 of the host, so many of each lock; the others wait in the database, in the order they
// came. Knows no node.
import type { Logger } from '#main/kernel/logger.ts'

/** A run that waits for its turn. */
export interface QueuedRun {
  readonly id: string
  readonly lockKey: string
  readonly maxConcurrent: number
  /** Milliseconds since 1970 after which it has waited too long. */
  readonly until: number
}

/** What the queue works with. */
export interface QueueParts {
  readonly log: Logger
  /** Carries a run out until it ends or waits. */
  readonly execute: (runId: string, stop: AbortSignal) => Promise<void>
  readonly now: () => number
  /** Says that a run waited too long. */
  readonly expire: (runId: string) => Promise<void>
}

/** The runs of one host. */
export interface RunQueue {
  /**
   * Keeps a place for a run that is about to be stored.
   * @returns gives the place back, to be called right before `add`; undefined when there is none
   */
  reserve(lock: Pick<QueuedRun, 'lockKey' | 'maxConcurrent'>): (() => void) | undefined
  /** How many wait. */
  waiting(): number
  /** Takes a pending run. */
  add(run: QueuedRun): void
  /** Lets a run go on whose state says that it runs; whatever the lock says, it had its turn. */
  goOn(run: Pick<QueuedRun, 'id' | 'lockKey'>): void
  /** Stops what a run is doing and forgets that it waits. */
  drop(runId: string, reason: string): void
  /** Runs of a lock that are under way. */
  active(lockKey: string): readonly string[]
  /** Resolves when the run is not being carried out and does not wait for its turn. */
  settled(runId: string): Promise<void>
  /** Ends waiting runs whose time is over. */
  expireOld(): Promise<void>
  /** Begins nothing any more; what is under way has so many milliseconds to finish its nodes. */
  stop(graceMs: number): Promise<void>
  isStopping(): boolean
}

/** Runs of the host at a time, and waiting ones. @source D-154 */
export const hostLimits = { running: 50, waiting: 1_000 } as const

/** A run the database took nothing of goes on after this long. */
const retryMs = 5_000

interface Active {
  readonly lockKey: string
  readonly controller: AbortController
  readonly done: Promise<void>
  /** It was asked to go on while it was ending. */
  again: boolean
}

/** Makes the queue. */
export function createRunQueue(parts: QueueParts): RunQueue {
  const waiting = new Map<string, QueuedRun>()
  const active = new Map<string, Active>()
  const settling = new Map<string, PromiseWithResolvers<void>>()
  const timers = new Set<NodeJS.Timeout>()
  let isStopping = false

  const reserved = new Set<{ readonly lockKey: string }>()

  const countOf = (lockKey: string): number => {
    let count = [...reserved].filter((one) => one.lockKey === lockKey).length
    for (const one of active.values()) if (one.lockKey === lockKey) count += 1
    return count
  }

  const hasRoom = ({ lockKey, maxConcurrent }: Pick<QueuedRun, 'lockKey' | 'maxConcurrent'>): boolean =>
    active.size + reserved.size < hostLimits.running && countOf(lockKey) < maxConcurrent

  const settle = (runId: string): void => {
    if (active.has(runId) || waiting.has(runId)) return
    settling.get(runId)?.resolve()
    settling.delete(runId)
  }

  const launch = (run: Pick<QueuedRun, 'id' | 'lockKey'>): void => {
    const controller = new AbortController()
    let isAway = false
    const work = async (): Promise<void> => {
      try {
        await parts.execute(run.id, controller.signal)
      } catch (error) {
        isAway = true
        if (!isStopping) parts.log.warn({ err: error, runId: run.id }, 'A run could not be stored; it goes on later.')
      }
    }
    const done = work().then(() => {
      const { again } = active.get(run.id)!
      active.delete(run.id)
      if (!isStopping && isAway) later(run)
      else if (!isStopping && again) launch(run)
      settle(run.id)
      pump()
    })
    active.set(run.id, { lockKey: run.lockKey, controller, done, again: false })
  }

  const later = (run: Pick<QueuedRun, 'id' | 'lockKey'>): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (!isStopping && !active.has(run.id)) launch(run)
    }, retryMs).unref()
    timers.add(timer)
  }

  const pump = (): void => {
    if (isStopping) return
    const full = new Set<string>()
    for (const run of waiting.values()) {
      if (active.size >= hostLimits.running) return
      if (full.has(run.lockKey)) continue
      if (!hasRoom(run)) {
        full.add(run.lockKey)
        continue
      }
      waiting.delete(run.id)
      launch(run)
    }
  }

  return {
    reserve(lock) {
      if (!hasRoom(lock)) return undefined
      const place = { lockKey: lock.lockKey }
      reserved.add(place)
      return () => {
        reserved.delete(place)
      }
    },
    waiting: () => waiting.size,
    add(run) {
      if (active.has(run.id)) return
      waiting.set(run.id, run)
      pump()
    },
    goOn(run) {
      const running = active.get(run.id)
      if (running !== undefined) running.again = true
      else if (!isStopping) launch(run)
    },
    drop(runId, reason) {
      waiting.delete(runId)
      active.get(runId)?.controller.abort(reason)
      settle(runId)
    },
    active: (lockKey) => [...active].filter(([, one]) => one.lockKey === lockKey).map(([id]) => id),
    settled(runId) {
      if (!active.has(runId) && !waiting.has(runId)) return Promise.resolve()
      let known = settling.get(runId)
      if (known === undefined) settling.set(runId, (known = Promise.withResolvers<void>()))
      return known.promise
    },
    async expireOld() {
      const now = parts.now()
      for (const run of [...waiting.values()]) {
        if (run.until > now || !waiting.delete(run.id)) continue
        await parts.expire(run.id)
        settle(run.id)
      }
    },
    async stop(graceMs) {
      isStopping = true
      waiting.clear()
      for (const timer of timers) clearTimeout(timer)
      const all = Promise.all([...active.values()].map(({ done }) => done))
      const grace = setTimeout(() => {
        for (const { controller } of active.values()) controller.abort('stopping')
      }, graceMs)
      await all
      clearTimeout(grace)
    },
    isStopping: () => isStopping,
  }
}
