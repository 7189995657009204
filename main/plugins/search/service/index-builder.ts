// Fills indexes from the records in slices, each a write job of a few milliseconds, until all are complete.
import { PlatformError } from '#shared/errors.ts'
import type { Tx, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { readLiveRows } from '#main/database/query/object-rows.ts'
import type { IndexEntry } from '../store.ts'
import { readEntry, writeProgress } from '../store.ts'
import { addDocument } from './documents.ts'
import type { IndexMerger } from './index-merger.ts'
import { documentOf } from './search-document.ts'

/** Records indexed per write job; keeps a job within a few milliseconds. */
const rowsPerSlice = 100
/** What could not be written is tried again after this long. */
const retryMs = 5_000

/** The builder of one host. */
export interface IndexBuilder {
  /** Indexes the next records of an unfinished index; answers whether it is complete. */
  slice(tx: Tx, entry: IndexEntry, limit?: number): boolean
  /** Builds an index in the background; call after COMMIT. */
  start(objectUid: string): void
  /** Resolves when nothing is being built. */
  settled(): Promise<void>
  /** Ends after the present slice; unfinished indexes go on at the next start. */
  stop(): Promise<void>
}

/** Makes a builder. */
export function createIndexBuilder(options: { write: Write; log: Logger; merger: IndexMerger }): IndexBuilder {
  const { write, log, merger } = options
  const waiting = new Set<string>()
  /** Whose building failed where trying again may help. */
  const failed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let stopped = false

  const slice = (tx: Tx, entry: IndexEntry, limit = rowsPerSlice): boolean => {
    const columns = entry.columns.map(({ column }) => column)
    const rows = readLiveRows(tx, { table: entry.objectTable }, columns, { after: entry.builtTo ?? 0, limit })
    for (const row of rows) {
      const texts = documentOf(entry.columns, row)
      // Only rows that are indexed leave documents, and these are not yet.
      addDocument(tx, entry.objectUid, row.rowid, texts, false)
      merger.added(tx, entry.objectUid, texts)
    }
    const complete = rows.length < limit
    writeProgress(tx, entry.objectUid, complete ? null : rows.at(-1)!.rowid)
    return complete
  }

  const build = async (objectUid: string): Promise<void> => {
    let complete = false
    while (!complete && !stopped) {
      complete = await write('search.build', (tx) => {
        const entry = readEntry(tx, objectUid)
        return entry === undefined || entry.builtTo === null || slice(tx, entry)
      })
    }
  }

  const run = async (): Promise<void> => {
    for (const objectUid of waiting) {
      if (stopped) break
      // Forgotten first: one that is made anew meanwhile is noted again.
      waiting.delete(objectUid)
      try {
        await build(objectUid)
        failed.delete(objectUid)
      } catch (error) {
        const isPassing = error instanceof PlatformError && error.retryable
        if (!failed.has(objectUid))
          log.error({ err: error, objectUid, isPassing }, 'A search index could not be built.')
        if (isPassing) failed.add(objectUid)
      }
    }
    running = null
    clearTimeout(timer)
    if (failed.size > 0 && !stopped) timer = setTimeout(() => failed.forEach(start), retryMs).unref()
  }

  const start = (objectUid: string): void => {
    waiting.add(objectUid)
    running ??= run()
  }

  return {
    slice,
    start,
    async settled() {
      while (running !== null) await running
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
