// Checks database files in a process of their own, so that a large file does not hold the host up.
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { ProcessSpawner } from '#main/kernel/ports.ts'
import { translateEngineError } from './engine-errors.ts'
import { createReaderPool } from './reader-pool.ts'
import type { FileReport } from './reader-protocol.ts'

/** Checks files; its process is started on use and ends by itself. */
export interface FileChecker {
  check(file: string): Promise<FileReport>
  close(): void
}

const checkTimeoutMs = 30 * 60_000
const idleMs = 2000

/** Makes a checker. `file` is the database of the host; the checker never opens it. */
export function createFileChecker(options: {
  file: string
  spawn: ProcessSpawner
  log: Logger
  clock: Clock
}): FileChecker {
  const pool = createReaderPool({
    ...options,
    size: 1,
    idleMs,
    maxWaitMs: checkTimeoutMs,
    translate: translateEngineError,
  })
  return {
    check: (file) => pool.checkFile(file, { timeoutMs: checkTimeoutMs }),
    close: () => pool.close(),
  }
}
