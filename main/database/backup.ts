// Copies a live database into one self-contained file. Knows no retention, no manifest and no folder.
import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncPath } from '#main/kernel/atomic-file.ts'
import { openPlain } from './open.ts'
import type { Connection } from './open.ts'

/** Pages per step: a step blocks the event loop, so it stays within a few milliseconds. */
const pagesPerStep = 256

/**
 * Copies the database page by page between turns of the event loop while writing goes on.
 * The source is the writer's own connection: SQLite then carries later changes into the copy instead of starting over.
 * The finished file has no write-ahead log and is on disk (file and folder) when the promise resolves.
 * @throws Error when `target` exists
 */
export async function copyDatabase(source: Connection, target: string): Promise<void> {
  if (existsSync(target)) throw new Error(`The target of a backup exists already: ${target}`)
  try {
    await source.backup(target, { progress: () => pagesPerStep })
    const copy = openPlain(target)
    try {
      copy.pragma('journal_mode = DELETE')
    } finally {
      copy.close()
    }
    syncPath(target)
    syncPath(dirname(target))
  } catch (error) {
    rmSync(target, { force: true })
    throw error
  }
}
