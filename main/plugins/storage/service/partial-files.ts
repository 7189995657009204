// The bytes of uploads in chunks: one file for each upload, in which every chunk is written where it belongs, so that nothing
// is copied when the last one is there. Knows no row: which chunks count its callers say.
import { createHash } from 'node:crypto'
import type { Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { Arrived, ArrivalRules } from './arriving-bytes.ts'
import { writeArriving } from './arriving-bytes.ts'
import { makeFolder, syncFolder } from './folders.ts'
import { beginningBytes } from './media-types.ts'

/** Where a chunk belongs. */
export interface ChunkPlace {
  readonly uploadId: string
  readonly index: number
  /** Of its first byte in the file. */
  readonly position: number
}

/** A chunk as it was acknowledged. */
export interface KnownChunk extends Arrived {
  readonly index: number
}

/** A file all of whose bytes are there; `beginning` is what types are told by. */
export interface WholeFile extends Arrived {
  readonly path: string
  readonly beginning: Uint8Array
}

/** The files of uploads in chunks. */
export interface PartialFiles {
  /**
   * Writes a chunk in its place, forces it to the disk, and lets it be noted. One call at a time for each chunk, and none for
   * one that is noted.
   * @param note notes the chunk; when it throws, the chunk does not count
   * @param notedBytes where the last noted chunk ends: what a failure leaves behind it is given back to the disk
   */
  write(
    place: ChunkPlace,
    source: AsyncIterable<Uint8Array>,
    rules: ArrivalRules,
    use: { readonly note: (arrived: Arrived) => Promise<void>; readonly notedBytes: () => number },
  ): Promise<void>
  /** The whole of an upload, or the chunks whose bytes are not those that were acknowledged. @param chunks all, in order */
  finish(uploadId: string, totalSize: number, chunks: readonly KnownChunk[]): Promise<WholeFile | { lacking: number[] }>
  /** Removes what there is of an upload. */
  remove(uploadId: string): Promise<void>
  /** Removes what there is of uploads that are not open. */
  sweep(openUploads: () => ReadonlySet<string>): Promise<void>
}

/** What is known of an upload since the start of the process. */
interface PartialFile {
  /** The sum of the chunks before `next`: those that came in order need not be read for the sum of the whole. */
  sum: Hash
  next: number
  /** Chunks being written. */
  writing: number
  /** The end of what is done with the file as a whole. */
  turn: Promise<unknown>
}

const unsummed = (): Pick<PartialFile, 'sum' | 'next'> => ({ sum: createHash('sha256'), next: 0 })

const noFollow = constants.O_NOFOLLOW ?? 0
const readBytes = 262_144

/** Opens the store; folders are made when the first bytes come. @param requireRoom throws when the disk has no room */
export function createPartialFiles(dataDir: string, requireRoom: () => void): PartialFiles {
  const root = path.join(dataDir, 'files', 'uploads')
  const placeOf = (uploadId: string): string => path.join(root, uploadId, 'bytes')
  const partials = new Map<string, PartialFile>()

  const partialOf = (uploadId: string): PartialFile => {
    let partial = partials.get(uploadId)
    if (partial === undefined) {
      partial = { ...unsummed(), writing: 0, turn: Promise.resolve() }
      partials.set(uploadId, partial)
    }
    return partial
  }

  /** The file for writing. One that has a second name was put together before, in vain: what that name stands for stays. */
  const openOwn = async (uploadId: string): Promise<FileHandle> => {
    const place = placeOf(uploadId)
    const folder = path.dirname(place)
    const found = await lstat(place).catch(() => undefined)
    if (found === undefined) await makeFolder(folder)
    else if (found.nlink > 1) {
      await copyFile(place, `${place}.own`)
      await rename(`${place}.own`, place)
    }
    const handle = await open(place, constants.O_RDWR | constants.O_CREAT | noFollow, 0o600)
    try {
      if (found?.nlink !== 1) {
        await handle.sync()
        await syncFolder(folder)
      }
      return handle
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Gives back what a chunk that failed has taken of a disk that may be full; not while others write behind it. */
  const trim = async (partial: PartialFile, uploadId: string, notedBytes: () => number): Promise<void> => {
    if (partial.writing > 0) return
    const bytes = notedBytes()
    const handle = await open(placeOf(uploadId), constants.O_RDWR | noFollow)
    try {
      const { size, nlink } = await handle.stat()
      // What another name stands for stays, as in `openOwn`, which has failed then.
      if (nlink === 1 && size > bytes) await handle.truncate(bytes)
    } finally {
      await handle.close()
    }
  }

  const inTurn = <T>(partial: PartialFile, work: () => Promise<T>): Promise<T> => {
    const turn = partial.turn.then(work)
    partial.turn = turn.catch(() => undefined)
    return turn
  }

  const remove = async (uploadId: string): Promise<void> => {
    partials.delete(uploadId)
    await rm(path.join(root, uploadId), { recursive: true, force: true })
  }

  return {
    async write({ uploadId, index, position }, source, rules, { note, notedBytes }) {
      requireRoom()
      const partial = partialOf(uploadId)
      partial.writing += 1
      try {
        const handle = await inTurn(partial, () => openOwn(uploadId))
        if (index < partial.next) Object.assign(partial, unsummed())
        const before = partial.sum
        const sum = partial.next === index ? before.copy() : undefined
        let arrived: Arrived
        try {
          arrived = await writeArriving(handle, source, rules, {
            position,
            look: (part) => void sum?.update(part),
          })
        } finally {
          await handle.close()
        }
        await note(arrived)
        // Unless an earlier chunk was replaced meanwhile.
        if (sum !== undefined && partial.sum === before) {
          partial.sum = sum
          partial.next += 1
        }
        partial.writing -= 1
      } catch (error) {
        partial.writing -= 1
        await inTurn(partial, () => trim(partial, uploadId, notedBytes)).catch(() => undefined)
        throw error
      }
    },
    async finish(uploadId, totalSize, chunks) {
      const place = placeOf(uploadId)
      const partial = partialOf(uploadId)
      let handle: FileHandle
      try {
        handle = await open(place, constants.O_RDWR | noFollow)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        return { lacking: chunks.map(({ index }) => index) }
      }
      try {
        // Bytes that were summed up on their way need not be read again, as those of any other upload.
        const isKnown = (await handle.stat()).size === totalSize
        const next = isKnown ? partial.next : 0
        const sum = isKnown ? partial.sum.copy() : createHash('sha256')
        const lacking: number[] = []
        // One for all: a stream would make as many bytes of garbage as the file has.
        const buffer = Buffer.allocUnsafe(readBytes)
        let position = chunks.slice(0, next).reduce((bytes, { size }) => bytes + size, 0)
        for (const { index, size, sha256 } of chunks.slice(next)) {
          const digest = createHash('sha256')
          for (const end = position + size; position < end;) {
            const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - position), position)
            // The file may be shorter: the sum of the chunk tells.
            if (bytesRead === 0) break
            const part = buffer.subarray(0, bytesRead)
            digest.update(part)
            sum.update(part)
            position += bytesRead
          }
          if (digest.digest('hex') !== sha256) lacking.push(index)
        }
        if (lacking.length > 0) {
          Object.assign(partial, unsummed())
          return { lacking }
        }
        Object.assign(partial, { sum, next: chunks.length })
        if (!isKnown) await handle.truncate(totalSize)
        const beginning = Buffer.alloc(Math.min(totalSize, beginningBytes))
        await handle.read(beginning, 0, beginning.length, 0)
        await handle.sync()
        return { path: place, size: totalSize, sha256: sum.copy().digest('hex'), beginning }
      } finally {
        await handle.close()
      }
    },
    remove,
    async sweep(openUploads) {
      const names = await readdir(root).catch(() => [])
      // Asked afterwards: whatever has a folder was open before it had one.
      const open = openUploads()
      for (const uploadId of names) if (!open.has(uploadId)) await remove(uploadId)
    },
  }
}
