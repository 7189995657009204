// Checks and compares database files in a process of their own, so that a large file does not hold the host up.
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { ProcessSpawner } from '#main/kernel/ports.ts'
import type { ComparedTable, TableComparison } from './compare-files.ts'
import { translateEngineError } from './engine-errors.ts'
import { createReaderPool } from './reader-pool.ts'
import type { FileReport } from './reader-protocol.ts'

/** Checks and compares files; its process is started on use and ends by itself. */
export interface FileChecker {
  check(file: string): Promise<FileReport>
  /** Compares tables of the host's database with those of a closed file. */
  compare(file: string, tables: readonly ComparedTable[], signal: AbortSignal): Promise<readonly TableComparison[]>
  close(): void
}

const checkTimeoutMs = 30 * 60_000
const compareTimeoutMs = 5 * 60_000
const idleMs = 2000

/** Makes a checker. `file` is the database of the host; only a comparison opens it. */
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
    compare: (file, tables, signal) => pool.compare(file, tables, { timeoutMs: compareTimeoutMs, signal }),
    close: () => pool.close(),
  }
}
