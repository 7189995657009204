// Takes stale documents out of the indexes, a few per write job, when no searched text has changed for a moment or
// when too many have gathered.
import type { Tx, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { platformError } from '#shared/errors.ts'
import { deleteDocument, deleteStale, readEntry, readStale } from '../store.ts'
import { createStaleStrikes, isWorthStriking } from './stale-strikes.ts'

/** The cleaner of one host. */
export interface StaleCleaner {
  /** Notes stale documents of an object; call after COMMIT. */
  note(objectUid: string, count?: number): void
  /**
   * Cleans everything noted so far, now.
   * @throws service_unavailable when the cleaner was stopped before the end
   */
  finish(): Promise<void>
  /** Ends after the present slice; what is left is found again at the next start. */
  stop(): Promise<void>
}

/** When and how fast the cleaner works. */
export interface CleanerPace {
  /** Quiet time before it starts. */
  readonly quietMs: number
  /** Pause between two slices, so that requests come first. */
  readonly pauseMs: number
  /** Above this many noted documents it starts at once, and takes a fifth of the time while texts go on changing. */
  readonly most: number
  /** Above this many it takes half of the time. */
  readonly tooMany: number
  /** From this many stale documents of an index on it looks whether striking them is cheaper. */
  readonly strikeFrom: number
}

/** Documents per write job: together a few milliseconds. */
const docsPerSlice = 8
const defaultPace: CleanerPace = { quietMs: 2000, pauseMs: 25, most: 20_000, tooMany: 200_000, strikeFrom: 1_000 }

/** Makes a cleaner. */
export function createStaleCleaner(options: {
  write: Write
  log: Logger
  pace?: CleanerPace
  /** Told in the write that finds no stale document of an object left. */
  cleaned?: (tx: Tx, objectUid: string) => void
}): StaleCleaner {
  const { write, log } = options
  const pace = options.pace ?? defaultPace
  const noted = new Map<string, number>()
  let total = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let hurry = false
  let stopped = false
  /** When texts changed last, by a clock nobody sets. */
  let notedAt = -Infinity

  /** Requests come first: a moment after each slice, and for as long as texts go on changing. */
  const breathe = async (): Promise<void> => {
    do await new Promise((resolve) => setTimeout(resolve, pace.pauseMs))
    while (!stopped && !hurry && total <= pace.most && performance.now() - notedAt < pace.quietMs)
  }

  /** Cleans one slice of an index; answers whether there is more. */
  const slice = (tx: Tx, objectUid: string): boolean => {
    const documents = readStale(tx, objectUid, { from: 0, to: Number.MAX_SAFE_INTEGER, limit: docsPerSlice })
    for (const { doc, texts } of documents) {
      deleteDocument(tx, objectUid, doc, texts)
      deleteStale(tx, objectUid, doc)
    }
    return documents.length === docsPerSlice
  }

  const cleanOne = async (objectUid: string): Promise<void> => {
    const exists = (tx: Tx): boolean => readEntry(tx, objectUid) !== undefined
    const isStriking = await write(
      'search.clean',
      (tx) => exists(tx) && isWorthStriking(tx, objectUid, pace.strikeFrom),
    )
    const strikes = isStriking ? createStaleStrikes(objectUid) : undefined
    let workedMs = 0
    const work = (tx: Tx): boolean => {
      const began = performance.now()
      const goesOn = exists(tx) && (strikes === undefined ? slice(tx, objectUid) : strikes.step(tx))
      if (!goesOn) options.cleaned?.(tx, objectUid)
      // FTS5 gathers changes and does most of its work when they are written: at a savepoint, which is seen here, or in
      // the COMMIT, which is not.
      tx.savepoint(() => undefined)
      workedMs = performance.now() - began
      return goesOn
    }
    let more = true
    while (more && !stopped) {
      more = await write('search.clean', work)
      if (hurry || stopped) continue
      if (total <= pace.most) await breathe()
      // As much again goes into the commit: half of the time is a third of what writers do, a fifth they hardly see.
      else await new Promise((resolve) => setTimeout(resolve, (total > pace.tooMany ? 2 : 8) * workedMs))
    }
  }

  const clean = async (): Promise<void> => {
    for (const [objectUid, count] of noted) {
      // Forgotten first: a failure must not be tried again without end.
      noted.delete(objectUid)
      total -= count
      await cleanOne(objectUid)
      if (stopped) return
    }
  }

  const start = (): Promise<void> => {
    clearTimeout(timer)
    running ??= clean().finally(() => {
      running = null
      if (noted.size > 0) arm()
    })
    return running
  }

  const startAlone = (): void => {
    start().catch((error: unknown) => {
      log.error({ err: error }, 'Stale search documents could not be cleaned; the next start tries again.')
    })
  }

  const arm = (): void => {
    clearTimeout(timer)
    if (stopped) return
    if (total > pace.most) startAlone()
    else timer = setTimeout(startAlone, pace.quietMs).unref()
  }

  return {
    note(objectUid, count = 1) {
      if (stopped) return
      noted.set(objectUid, (noted.get(objectUid) ?? 0) + count)
      total += count
      notedAt = performance.now()
      if (running === null) arm()
    },
    async finish() {
      hurry = true
      try {
        await running
        await start()
      } finally {
        hurry = false
      }
      if (stopped) throw platformError('service_unavailable', { reason: 'stopping' })
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running?.catch(() => undefined)
    },
  }
}
