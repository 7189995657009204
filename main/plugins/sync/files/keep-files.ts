// Brings every file to a machine that keeps them all: in the background, the newest first, one at a time.
import type { Logger } from '#main/kernel/logger.ts'
import type { Timers } from '#main/replication/channel/timers.ts'
import type { Brought, BytesElsewhere, StorageService } from '#main/plugins/storage/api.ts'

/** How long after a pass the next one begins by itself: for files whose machine was not there. */
const restMs = 30_000

/** How long after a change: several come together. */
const soonMs = 500

/** How long a file that no machine gave is left alone. */
const refusedMs = 3_600_000

const filesPerSlice = 50

/** The keeper. */
export interface FileKeeper {
  /** Something has changed that may bring more. */
  look(): void
  stop(): void
  settled(): Promise<void>
}

/** Begins to keep. */
export function keepFiles(parts: {
  readonly timers: Timers
  readonly storage: () => Pick<StorageService, 'elsewhere'> | undefined
  /** Whether files are to be brought now. */
  readonly wanted: () => boolean
  readonly bring: (file: string) => Promise<Brought>
  readonly log: Logger
}): FileKeeper {
  const { timers, storage, wanted, bring, log } = parts
  let running: Promise<void> | undefined
  let isStopped = false
  let isDueSoon = false
  const refused = new Map<string, number>()
  let cancel = timers.after(restMs, begin)

  async function pass(): Promise<void> {
    let below: BytesElsewhere | null = null
    while (!isStopped && wanted()) {
      const files: BytesElsewhere[] = storage()?.elsewhere(below, filesPerSlice) ?? []
      for (const { id } of files) {
        if (isStopped || !wanted()) return
        if ((refused.get(id) ?? 0) > timers.now()) continue
        if ((await bring(id)) === 'refused') refused.set(id, timers.now() + refusedMs)
        else refused.delete(id)
      }
      below = files.at(-1) ?? null
      if (files.length < filesPerSlice) return
    }
  }

  function begin(): void {
    isDueSoon = false
    if (isStopped || running !== undefined) return
    running = pass()
      .catch((error: unknown) => log.error({ err: error }, 'Files of other machines could not be kept here.'))
      .finally(() => {
        running = undefined
        if (!isStopped) plan(restMs)
      })
  }

  function plan(ms: number): void {
    cancel()
    cancel = timers.after(ms, begin)
  }

  return {
    look() {
      if (running !== undefined || isStopped || isDueSoon || !wanted()) return
      isDueSoon = true
      plan(soonMs)
    },
    stop() {
      isStopped = true
      cancel()
    },
    settled: async () => running,
  }
}
