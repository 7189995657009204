// Bytes that come from other machines: gathered in a file of their own until they are whole and are those that were
// announced, so that a stop of either side costs nothing but the wait. Knows no machine.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Arrival } from '../api.ts'
import { namesElsewhere, putStatus, readFile } from '../store.ts'
import type { ByteStore } from './byte-store.ts'
import type { Files } from './files.ts'

/** The arrivals of a host. */
export interface Arrivals {
  /** Begins, or goes on with what has come before. One at a time for each file. @throws storage_quota_exceeded */
  begin(fileId: string): Promise<Arrival | undefined>
  /** Removes what has come of files that are gone, or here. */
  sweep(): Promise<void>
}

/** What arrivals work with. */
export interface ArrivalParts {
  readonly read: Reads
  readonly write: Write
  readonly bytes: ByteStore
  readonly files: Pick<Files, 'requireQuota'>
  readonly dataDir: string
}

const noFollow = constants.O_NOFOLLOW ?? 0

/** Makes the arrivals; their folder is made with the first one. */
export function createArrivals({ read, write, bytes, files, dataDir }: ArrivalParts): Arrivals {
  const folder = path.join(dataDir, 'files', 'arriving')
  const underWay = new Set<string>()

  return {
    async begin(fileId) {
      const file = readFile(read, fileId)
      if (file === undefined || file.sha256 === null || (file.status !== 'away' && file.status !== 'lost'))
        return undefined
      if (underWay.has(fileId)) return undefined
      const { sha256, size, home, created_at: createdAt } = file
      if (file.status === 'away') files.requireQuota(read, size)
      underWay.add(fileId)
      // By the file and not by its bytes: what one sender sent amiss spoils nothing of another file.
      const place = path.join(folder, fileId)
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const digest = createHash('sha256')
        const handle = await open(place, constants.O_RDWR | constants.O_CREAT | noFollow, 0o600)
        let received = 0
        try {
          if ((await handle.stat()).size > size) await handle.truncate(0)
          for await (const part of handle.createReadStream({ autoClose: false, start: 0, highWaterMark: 1_048_576 })) {
            digest.update(part as Buffer)
            received += (part as Buffer).length
          }
        } catch (error) {
          await handle.close()
          throw error
        }
        const leave = async (): Promise<void> => {
          if (!underWay.delete(fileId)) return
          await handle.close()
        }
        return {
          id: fileId,
          ...{ sha256, size, home, createdAt },
          received: () => received,
          async write(part) {
            for (let at = 0; at < part.length;)
              at += (await handle.write(part, at, part.length - at, received + at)).bytesWritten
            digest.update(part)
            received += part.length
          },
          async finish() {
            const isRight = received === size && digest.digest('hex') === sha256
            if (isRight) await handle.sync()
            await leave()
            if (!isRight) {
              await rm(place, { force: true })
              return false
            }
            await bytes.keep({ temporary: place, size, sha256, beginning: new Uint8Array() }, () =>
              write('storage.arrived', (tx) => {
                const now = readFile(tx, fileId)
                if (now?.sha256 !== sha256 || (now.status !== 'away' && now.status !== 'lost')) return
                if (now.status === 'away') files.requireQuota(tx, size)
                putStatus(tx, fileId, 'ready')
              }),
            )
            return true
          },
          leave,
        }
      } catch (error) {
        underWay.delete(fileId)
        throw error
      }
    },
    async sweep() {
      const names = await readdir(folder).catch(() => [])
      for (const name of names)
        if (!underWay.has(name) && !namesElsewhere(read, name)) await rm(path.join(folder, name), { force: true })
    },
  }
}
