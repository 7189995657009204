// Folds the write-ahead log into the file from a thread of its own once it is long. In a COMMIT of the main thread that
// takes as long as the disk wants, and everybody waits; here only writers do, and the event loop is free.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Logger } from '#main/kernel/logger.ts'
import type { WriteQueue } from './write-queue.ts'

/**
 * What the thread says: that it is open; then how many pages of the log are not in the file yet because somebody still
 * reads older ones; or why it failed, and whether that was for want of space.
 */
export type FoldReply = 'ready' | { readonly left: number } | { readonly failure: string; readonly diskFull?: boolean }

/** Folds the log of one database. */
export interface LogFolding {
  /** Called after each COMMIT: begins to fold when the log has become long. */
  committed(): void
  /** Ends the thread; call when nothing is written any more. */
  close(): Promise<void>
}

/** What it works with. */
export interface LogFoldingOptions {
  readonly file: string
  readonly durable: boolean
  readonly lend: WriteQueue['lend']
  /** Pages the log has now. */
  readonly logPages: () => number
  /** Whether the disk is full: the log is then kept short. */
  readonly isShort?: () => boolean
  readonly log: Logger
}

/** The log is folded in from this length on; SQLite does it in a COMMIT only when it has become much longer. */
export const foldPages = 4000

/** The same on a full disk: what the log takes, deletions lack. */
const shortPages = 256

/** The thread is started at this length, so that nobody waits for its start. */
const startPages = foldPages / 2

/** An idle thread is ended after this long. */
const idleMs = 10_000

/** Heap of the thread, which holds next to nothing. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

/** Path of the thread's entry: the source when the host runs from sources, else the bundle beside the host's. */
function entryFile(): string | undefined {
  const places = ['../workers/checkpointer.ts', './workers/checkpointer.js', '../workers/checkpointer.js']
  return places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path))
}

/** Makes the folding; no thread is started before the log is long. */
export function createLogFolding(options: LogFoldingOptions): LogFolding {
  const { file, durable, lend, logPages, isShort = () => false, log } = options
  const entry = entryFile()
  let worker: Worker | undefined
  let isReady = false
  let take: ((reply: FoldReply) => void) | undefined
  let idle: NodeJS.Timeout | undefined
  let underWay: Promise<void> | undefined
  let isOff = entry === undefined
  /** Grows while readers hold older states: what they hold back is not tried again at every COMMIT. */
  let next = foldPages

  /** SQLite goes on with its own way, later and in a COMMIT. */
  const giveUp = (reason: string): void => {
    if (!isOff) log.warn({ reason }, 'The write-ahead log is not folded in beside the traffic.')
    isOff = true
    take?.({ failure: reason })
  }

  const start = (): Worker => {
    const fresh = new Worker(entry!, { workerData: { file, durable }, execArgv: [], resourceLimits })
    isReady = false
    fresh.on('message', (reply: FoldReply) => {
      if (reply === 'ready') isReady = worker === fresh
      else take?.(reply)
    })
    fresh.on('error', (error) => giveUp(error.message))
    fresh.on('exit', () => {
      if (worker !== fresh) return
      worker = undefined
      giveUp('The thread ended.')
    })
    fresh.unref()
    return fresh
  }

  const endWhenIdle = (): void => {
    clearTimeout(idle)
    idle = setTimeout(() => void end(), idleMs).unref()
  }

  const end = async (): Promise<void> => {
    const ended = worker
    worker = undefined
    clearTimeout(idle)
    if (ended === undefined) return
    const exit = new Promise((resolve) => ended.once('exit', resolve))
    ended.ref()
    ended.postMessage('end')
    await exit
  }

  /** Folds once; answers how many pages are left, null when that failed. */
  const fold = async (asked: Worker): Promise<number | null> => {
    // A process that stops waits for the answer, not for an idle thread.
    asked.ref()
    const reply = await new Promise<FoldReply>((resolve) => {
      take = resolve
      if (worker === asked) asked.postMessage('fold')
      else resolve({ failure: 'The thread ended.' })
    })
    take = undefined
    asked.unref()
    if (reply !== 'ready' && 'left' in reply) return reply.left
    // On a full disk it is tried again: there is space one day, and SQLite's own way has no more of it now.
    if (reply !== 'ready' && reply.diskFull === true) return null
    giveUp(reply === 'ready' ? 'The thread began anew.' : reply.failure)
    return null
  }

  /**
   * First beside the writers, which takes as long as the disk wants; then what they have added meanwhile, while they wait,
   * since only a log that is folded whole begins anew.
   */
  const foldWhole = async (asked: Worker): Promise<void> => {
    clearTimeout(idle)
    if ((await fold(asked)) === null) return
    await lend(
      async () => {
        const left = await fold(asked)
        if (left !== null) next = left > 0 ? logPages() + foldPages : foldPages
      },
      { keepsSchema: true, onlyFolds: true },
    )
    endWhenIdle()
  }

  return {
    committed() {
      if (isOff || underWay !== undefined) return
      const pages = logPages()
      if (pages < foldPages) next = foldPages
      if (pages < (isShort() ? shortPages : startPages)) return
      if (worker === undefined) {
        worker = start()
        endWhenIdle()
      }
      if (pages < (isShort() ? shortPages : next) || !isReady) return
      underWay = foldWhole(worker)
        .catch(() => undefined)
        .finally(() => (underWay = undefined))
    },
    async close() {
      isOff = true
      await underWay
      await end()
    },
  }
}
