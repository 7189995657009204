// Keeps the rows of a job in a file of the data folder until it has ended: one JSON value per line, read again from any
// line on. The files are private (0600) and on disk before a job is acknowledged.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import { diskFullError } from '#main/kernel/disk-full.ts'
import type { SharedFiles } from '#main/kernel/hub-facts.ts'
import type { RowSource, SourceRow } from './sources.ts'

/** Rows of one job at most (D-199). */
export const maxJobRows = 1_000_000

/** Bytes of one staged source at most. */
const maxStagedBytes = 2_000_000_000

/** Characters are gathered up to this many before they are written. */
const bufferLength = 262_144

const readBytes = 262_144

/** Rows read from a staged file, and where the next one begins. */
export interface StagedSlice {
  readonly rows: SourceRow[]
  /** Bytes from the start of the file. */
  readonly end: number
}

/** The folder of staged sources. */
export interface Staging {
  /** A path in the folder for another step, for example an uploaded spreadsheet. */
  path(name: string): string
  /**
   * Writes every row and syncs the file.
   * @returns how many rows there are
   * @throws validation_error for more rows than a job may have, payload_too_large, service_unavailable on a full disk
   */
  stage(name: string, source: RowSource): Promise<number>
  /** Writes bytes as they come. @throws payload_too_large beyond the limit, service_unavailable on a full disk */
  stageBytes(name: string, bytes: AsyncIterable<Uint8Array>, limitBytes: number): Promise<void>
  /** Reads rows in slices of `size` from a place in the file on. */
  read(name: string, from: number, size: number): AsyncGenerator<StagedSlice>
  remove(name: string): Promise<void>
  /** Keeps a staged file where the next leader of a hub finds it. @throws service_unavailable */
  share(name: string): Promise<void>
  /** Removes a file that was shared. */
  forget(name: string): Promise<void>
  /** Removes every file that `wanted` does not name: what the end of the process has left behind. */
  sweep(wanted: ReadonlySet<string>): void
}

/**
 * Opens the folder below the data folder; it is made on first use.
 * @param hasRoom whether the disk has room: a file that may not fit would take what deletions need
 * @param shared of the hub that this host leads; null where it is alone
 */
export function createStaging(dataDir: string, hasRoom: () => boolean, shared: SharedFiles | null): Staging {
  const folder = path.join(dataDir, 'imports')
  const fileOf = (name: string): string => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return path.join(folder, name)
  }
  const create = (name: string): Promise<FileHandle> =>
    hasRoom() ? open(fileOf(name), 'wx', 0o600) : Promise.reject(diskFullError())

  /** A job may come out of a backup without its rows, or be that of another node. @throws resource_not_found */
  const openStaged = async (name: string): Promise<FileHandle> => {
    const file = fileOf(name)
    try {
      return await open(file, 'r')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    if (!(await (shared?.fetch(name, file) ?? Promise.resolve(false)).catch(refuseStore)))
      throw notFound('import_source')
    return open(file, 'r')
  }
  const remove = (name: string): Promise<void> => rm(fileOf(name), { force: true })

  return {
    path: fileOf,

    async stage(name, source) {
      const file = await create(name)
      let total = 0
      let bytes = 0
      let buffer = ''
      const flush = async (): Promise<void> => {
        bytes += Buffer.byteLength(buffer)
        if (bytes > maxStagedBytes) throw platformError('payload_too_large', { limitBytes: maxStagedBytes })
        // Whole or not at all: a single write may end early on a disk that becomes full.
        await file.appendFile(buffer)
        buffer = ''
      }
      try {
        for await (const rows of source.rows) {
          total += rows.length
          if (total > maxJobRows) throw tooManyRows(maxJobRows)
          for (const row of rows) {
            buffer += `${JSON.stringify(row)}\n`
            if (buffer.length > bufferLength) await flush()
          }
        }
        await flush()
        await file.sync()
      } finally {
        await file.close()
      }
      return total
    },

    async stageBytes(name, bytes, limitBytes) {
      const file = await create(name)
      let total = 0
      try {
        for await (const chunk of bytes) {
          total += chunk.length
          if (total > limitBytes) throw platformError('payload_too_large', { limitBytes })
          await file.appendFile(chunk)
        }
      } finally {
        await file.close()
      }
    },

    async *read(name, from, size) {
      const file = await openStaged(name)
      try {
        let rest = Buffer.alloc(0)
        let start = from
        let rows: SourceRow[] = []
        const chunk = Buffer.alloc(readBytes)
        for (;;) {
          const { bytesRead } = await file.read(chunk, 0, readBytes, start + rest.length)
          if (bytesRead === 0) break
          let data =
            rest.length === 0
              ? Buffer.from(chunk.subarray(0, bytesRead))
              : Buffer.concat([rest, chunk.subarray(0, bytesRead)])
          let lineEnd = data.indexOf(10)
          let at = 0
          while (lineEnd >= 0) {
            rows.push(JSON.parse(data.toString('utf8', at, lineEnd)) as SourceRow)
            at = lineEnd + 1
            if (rows.length === size) {
              yield { rows, end: start + at }
              rows = []
            }
            lineEnd = data.indexOf(10, at)
          }
          data = data.subarray(at)
          start += at
          rest = data
        }
        if (rows.length > 0) yield { rows, end: start }
      } finally {
        await file.close()
      }
    },

    remove,

    share: async (name) => shared?.keep(name, fileOf(name)).catch(refuseStore),

    async forget(name) {
      await remove(name)
      // What stays is swept at the next start.
      await shared?.drop(name).catch(() => undefined)
    },

    sweep(wanted) {
      void shared?.sweep('.ndjson', wanted).catch(() => undefined)
      let names: string[]
      try {
        names = readdirSync(folder)
      } catch {
        // Nothing was ever staged.
        return
      }
      for (const name of names) if (!wanted.has(name)) rmSync(path.join(folder, name), { force: true, recursive: true })
    },
  }
}

/** @throws service_unavailable: the job waits until the store answers */
function refuseStore(cause: unknown): never {
  throw platformError('service_unavailable', { reason: 'hub_store', retryAfterSeconds: 1 }, cause)
}

/** The refusal of a source with more rows than fit. */
export function tooManyRows(limit: number, received?: number): Error {
  return validationError(
    [{ field: 'rows', code: 'max_items', message: `At most ${limit} rows fit in one import.`, constraint: limit }],
    { limit, ...(received === undefined ? {} : { received }) },
  )
}
