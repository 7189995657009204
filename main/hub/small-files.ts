// The small files beside a database that its content depends on: without their keys another node could read the file and
// not open what is sealed in it. They are in the store before the row that may depend on them.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stateFileOf } from '#main/database/state-file.ts'
import { readPrivateFile, writeFileAtomic } from '#main/kernel/atomic-file.ts'
import { makeSecretKey } from '#main/kernel/file-secrets.ts'
import type { PostgresStore } from './store/postgres-store.ts'

/** Keys: they change seldom, and rows may depend on them at once. */
const keyFiles = ['secret.key', 'auth.key', 'sync-device.json'] as const
/** Where the audit ends. It may be behind the database, never before it, so it is stored when all rows are. */
const anchorFile = 'audit.head'
/** What one machine notes of its own past with the file, which is over once another one had the file. */
const ownFiles = ['sync-incarnation.json'] as const

/** The small files of one folder. */
export interface SmallFiles {
  /**
   * Makes the folder's files those of the store, and forgets what the machine noted of its own past with the database.
   * @param kept what the store has
   */
  take(kept: ReadonlyMap<string, Buffer>): void
  /** Stores the keys that have changed. @throws Error when the epoch is over, or of the store */
  storeKeys(): Promise<void>
  /** Stores where the audit ends, if that has changed. To be called when every row is stored. */
  storeAnchor(): Promise<void>
}

/** Makes the small files of a folder. @param epoch of the writer */
export function createSmallFiles(folder: string, store: Pick<PostgresStore, 'putFile'>, epoch: number): SmallFiles {
  const stored = new Map<string, string>()

  const markOf = (name: string): string | undefined => {
    const found = statSync(join(folder, name), { bigint: true, throwIfNoEntry: false })
    return found === undefined ? undefined : `${found.ino}/${found.mtimeNs}/${found.size}`
  }
  const put = async (name: string): Promise<void> => {
    const mark = markOf(name)
    if (mark === undefined || stored.get(name) === mark) return
    const text = readPrivateFile(join(folder, name))
    if (text === undefined) return
    if (!(await store.putFile(epoch, name, Buffer.from(text))))
      throw new Error('Another node leads this workspace now.')
    stored.set(name, mark)
  }

  return {
    take(kept) {
      for (const name of [...keyFiles, anchorFile]) {
        const body = kept.get(name)
        if (body === undefined) continue
        if (readPrivateFile(join(folder, name)) !== body.toString()) writeFileAtomic(join(folder, name), body)
        stored.set(name, markOf(name)!)
      }
      for (const name of ownFiles) rmSync(join(folder, name), { force: true })
      rmSync(stateFileOf(join(folder, 'cairn.db')), { force: true })
    },
    async storeKeys() {
      for (const name of keyFiles) await put(name)
    },
    storeAnchor: () => put(anchorFile),
  }
}

/** Stores the files of a closed folder; makes the key of its secrets where there is none, so that all nodes have one. */
export async function storeSmallFiles(folder: string, store: PostgresStore, epoch: number): Promise<void> {
  makeSecretKey(join(folder, keyFiles[0]))
  const files = createSmallFiles(folder, store, epoch)
  await files.storeKeys()
  await files.storeAnchor()
}
