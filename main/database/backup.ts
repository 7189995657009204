// Copies a database into one self-contained file. Knows no retention, no manifest and no folder.
import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncPath } from '#main/kernel/atomic-file.ts'
import { openPlain } from './open.ts'
import type { Connection } from './open.ts'
import { dropUnfinishedBuild } from './schema/index-build.ts'

/** 2 MB per step. */
const pagesPerStep = 512
/** Pause after each step while another process writes to the same disk. */
const pauseMs = 4

/**
 * Copies the database as it is when the copy begins; other processes may write meanwhile, since the log keeps readers
 * and writers apart. It holds the process up until it is done: a host lets a process of its own do it.
 * The finished file has no write-ahead log and is on disk (file and folder) when the promise resolves.
 *
 * One read transaction around all steps makes them one snapshot, which no write can make start over. Each step is
 * forced to disk before the next: a large copy flushed at once made a host's own syncs wait for 60 to 90 ms.
 * @throws Error when `target` exists
 */
export async function copyDatabase(source: Connection, target: string): Promise<void> {
  if (existsSync(target)) throw new Error(`The target of a backup exists already: ${target}`)
  const waiting = new Int32Array(new SharedArrayBuffer(4))
  source.exec('BEGIN')
  try {
    source.prepare('SELECT count(*) FROM sqlite_schema').get()
    await source.backup(target, {
      progress: () => {
        syncPath(target)
        Atomics.wait(waiting, 0, 0, pauseMs)
        return pagesPerStep
      },
    })
    const copy = openPlain(target)
    try {
      copy.pragma('journal_mode = DELETE')
      dropUnfinishedBuild(copy)
    } finally {
      copy.close()
    }
    syncPath(target)
    syncPath(dirname(target))
  } catch (error) {
    rmSync(target, { force: true })
    throw error
  } finally {
    source.exec('COMMIT')
  }
}
