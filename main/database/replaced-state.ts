// What a restore replaced, read once more by those whose rows stay as they are now (D-410). Knows no capability.
import path from 'node:path'
import type { Reads } from '#main/kernel/database.ts'
import { readRestoreNote } from '#main/kernel/restore-note.ts'
import { openReader } from './open.ts'
import { createStatements } from './statements.ts'

/** Reads of a closed file. */
export type ReplacedState = Pick<Reads, 'all' | 'get'>

/**
 * Reads what the state had that a restore replaced.
 * @returns undefined where no restore went before this start; null where that state cannot be read
 */
export function readReplaced<T extends object>(
  dataDir: string,
  read: (state: ReplacedState) => T,
): T | null | undefined {
  const note = readRestoreNote(dataDir)
  if (note === undefined) return undefined
  if (note.present === null) return null
  try {
    const connection = openReader(path.join(dataDir, 'backups', note.present, 'cairn.db'))
    try {
      return read(createStatements(connection))
    } finally {
      connection.close()
    }
  } catch {
    return null
  }
}
