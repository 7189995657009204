// Files that the next leader needs, kept in the store in parts for as long as what they belong to: the rows of an import that
// it goes on with, archives of packages.
import { closeSync, openSync, readSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import type { SharedFiles } from '#main/kernel/hub-facts.ts'
import type { PostgresStore } from './store/postgres-store.ts'

const partBytes = 1024 * 1024

/** Makes the shared files of a leader. @param epoch of the leader */
export function createSharedFiles(
  store: Pick<PostgresStore, 'putFile' | 'file' | 'sharedNames' | 'dropShared'>,
  epoch: number,
): SharedFiles {
  /** What this leader has begun to keep: whoever looks for leftovers may not know of its work yet. */
  const own = new Set<string>()
  const put = async (name: string, body: Buffer): Promise<void> => {
    if (!(await store.putFile(epoch, name, body))) throw new Error('Another node leads this workspace now.')
  }
  const partOf = (name: string, part: number): string => `shared/${name}/${part}`

  return {
    async keep(name, path) {
      own.add(name)
      const descriptor = openSync(path, 'r')
      try {
        let parts = 0
        for (const bytes = Buffer.allocUnsafe(partBytes); ; parts += 1) {
          const length = readSync(descriptor, bytes, 0, partBytes, parts * partBytes)
          if (length === 0) break
          await put(partOf(name, parts), bytes.subarray(0, length))
        }
        // Last: a file without it is not whole.
        await put(`shared/${name}`, Buffer.from(String(parts)))
      } finally {
        closeSync(descriptor)
      }
    },
    async fetch(name, path) {
      const parts = await store.file(`shared/${name}`)
      if (parts === null) return false
      const file = await open(`${path}.part`, 'w', 0o600)
      try {
        for (let part = 0; part < Number(parts.toString()); part += 1)
          await file.appendFile((await store.file(partOf(name, part)))!)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.part`, path)
      return true
    },
    async drop(name) {
      // Also where the store does not answer: what stays of it is a leftover then.
      own.delete(name)
      await store.dropShared(epoch, name)
    },
    async sweep(ending, wanted) {
      const kept = new Set((await store.sharedNames()).filter((name) => name.endsWith(ending)))
      for (const name of kept) {
        if (wanted.has(name) || own.has(name)) continue
        await store.dropShared(epoch, name)
        kept.delete(name)
      }
      return kept
    },
  }
}
