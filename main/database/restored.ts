// What a restore replaced, read once more by those whose rows stay as they are now (D-410). Knows no capability.
import path from 'node:path'
import type { Logger } from '#main/kernel/logger.ts'
import type { Restored } from '#main/kernel/restore-note.ts'
import { readRestoreNote } from '#main/kernel/restore-note.ts'
import { openReader } from './open.ts'
import { createStatements } from './statements.ts'

/**
 * Opens the state that was replaced, beside the one in its place.
 * @returns undefined where no restore went before this start
 */
export function openRestored(dataDir: string, log: Logger): (Restored & { close(): void }) | undefined {
  const note = readRestoreNote(dataDir)
  if (note === undefined) return undefined
  const { present } = note
  const failed = (error: unknown): null => {
    log.error(
      { err: error, present },
      'The state before the restore could not be read: what was taken away since the backup holds again.',
    )
    return null
  }
  const connection = present === null ? null : attempt(() => openReader(fileOf(dataDir, present)), failed)
  const reads = connection && createStatements(connection)
  return {
    note,
    read: (fn) => reads && attempt(() => fn(reads), failed),
    close: () => connection?.close(),
  }
}

const fileOf = (dataDir: string, backup: string): string => path.join(dataDir, 'backups', backup, 'cairn.db')

function attempt<T>(fn: () => T, failed: (error: unknown) => null): T | null {
  try {
    return fn()
  } catch (error) {
    return failed(error)
  }
}
