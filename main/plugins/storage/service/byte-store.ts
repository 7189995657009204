// The bytes of files on disk: equal ones once, under their checksum, there whole or not at all. Knows no file by name; which
// bytes are wanted it asks.
import { constants } from 'node:fs'
import { open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { linkOrCopy } from '#main/kernel/second-name.ts'
import type { Arrived, ArrivalRules } from './arriving-bytes.ts'
import { writeArriving } from './arriving-bytes.ts'
import { makeFolder, syncFolder } from './folders.ts'
import { beginningBytes } from './media-types.ts'
import type { WholeFile } from './partial-files.ts'

const noFollow = constants.O_NOFOLLOW ?? 0
const shaForm = /^[0-9a-f]{64}$/

/** Bytes that have arrived whole and are on disk, in a temporary file. */
export interface ArrivedBytes extends Arrived {
  readonly temporary: string
  /** What types are told by. */
  readonly beginning: Uint8Array
}

/** The bytes of a host. */
export interface ByteStore {
  /** Writes bytes as they come to a temporary file, and it to the disk. @throws `tooMany` of the rules, and nothing stays */
  receive(source: AsyncIterable<Uint8Array>, rules: ArrivalRules): Promise<ArrivedBytes>
  /**
   * Puts arrived bytes in their place, then runs the write that names them; bytes nobody names afterwards go.
   * @throws what the write throws
   */
  keep<T>(arrived: ArrivedBytes, named: () => Promise<T>): Promise<T>
  /** The same bytes under the name of a temporary file, so that they stay where they are until they are kept. */
  take(whole: WholeFile): Promise<ArrivedBytes>
  /** Removes what was not kept. */
  discard(arrived: ArrivedBytes): Promise<void>
  /** Opens bytes for reading; undefined when they are not there in that size. */
  open(sha256: string, size: number): Promise<FileHandle | undefined>
  /** Removes bytes unless somebody names them; called once the write that forgot them is on disk. */
  free(sha256: string): void
  /** Whether bytes of that size lie in their place. */
  has(sha256: string, size: number): Promise<boolean>
  /** The checksums that begin with two digits and have bytes in their place, whole or not. */
  namesWith(digits: string): Promise<ReadonlySet<string>>
  /** Runs work while no bytes go. */
  whileKept<T>(work: () => Promise<T>): Promise<T>
  /**
   * Removes bytes nobody names, and temporary files.
   * @param olderThan only temporary files last written before then, in milliseconds
   */
  sweep(olderThan: number): Promise<number>
  /** Ends the removal of bytes that is under way. */
  settled(): Promise<void>
}

/** What the store works with. */
export interface ByteStoreParts {
  readonly dataDir: string
  readonly uniqueName: () => string
  /** Whether any file has these bytes; asked again whenever bytes might go. */
  readonly isNamed: (sha256: string) => boolean
  /** @throws when the disk has no room for something new */
  readonly requireRoom: () => void
  readonly onError: (error: unknown) => void
}

/** Opens the store; folders are made when the first bytes come. */
export function createByteStore(parts: ByteStoreParts): ByteStore {
  const root = path.join(parts.dataDir, 'files')
  const temporaries = path.join(root, 'tmp')
  const placeOf = (sha256: string): string => path.join(root, sha256.slice(0, 2), sha256)
  /** Bytes that a write under way is about to name. */
  const held = new Map<string, number>()
  /** What was to go while nothing might. */
  const waiting = new Set<string>()
  const removals = new Set<Promise<void>>()
  /** Folders whose names are on disk, or soon will be. */
  const made = new Map<string, Promise<void>>()
  let keeping = 0

  const isWanted = (sha256: string): boolean => held.has(sha256) || parts.isNamed(sha256)

  const remove = (sha256: string): Promise<void> | undefined => {
    if (isWanted(sha256)) return undefined
    if (keeping > 0) {
      waiting.add(sha256)
      return undefined
    }
    // Asked and begun in one turn; who brings the same bytes meanwhile waits for the end (settled).
    const removal = rm(placeOf(sha256), { force: true })
      .catch(parts.onError)
      .finally(() => removals.delete(removal))
    removals.add(removal)
    return removal
  }

  const settled = async (): Promise<void> => {
    while (removals.size > 0) await Promise.all(removals)
  }

  /** Until bytes that nothing names are gone: a refused upload is answered after it. */
  const release = async (sha256: string): Promise<void> => {
    const count = held.get(sha256)! - 1
    if (count > 0) held.set(sha256, count)
    else {
      held.delete(sha256)
      await remove(sha256)
    }
  }

  const make = (folder: string): Promise<void> => {
    let making = made.get(folder)
    if (making === undefined) {
      making = makeFolder(folder)
      made.set(folder, making)
      making.catch(() => made.delete(folder))
    }
    return making
  }

  const receive: ByteStore['receive'] = async (source, rules) => {
    parts.requireRoom()
    await make(temporaries)
    const temporary = path.join(temporaries, parts.uniqueName())
    const beginning: Uint8Array[] = []
    let looked = 0
    const look = (part: Uint8Array): void => {
      if (looked < beginningBytes) beginning.push(Buffer.from(part.subarray(0, beginningBytes - looked)))
      looked += part.length
    }
    const handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, 0o600)
    try {
      try {
        const arrived = await writeArriving(handle, source, rules, { look })
        return { ...arrived, temporary, beginning: Buffer.concat(beginning) }
      } finally {
        await handle.close()
      }
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  const put = async (temporary: string, place: string): Promise<void> => {
    await make(path.dirname(place))
    await rename(temporary, place)
    await syncFolder(path.dirname(place))
  }

  const names = async (folder: string): Promise<string[]> => {
    try {
      return await readdir(folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  return {
    receive,
    async keep(arrived, named) {
      const { sha256, temporary } = arrived
      held.set(sha256, (held.get(sha256) ?? 0) + 1)
      try {
        await settled()
        await put(temporary, placeOf(sha256))
        return await named()
      } finally {
        await release(sha256)
        await rm(temporary, { force: true })
      }
    },
    async take({ path: source, beginning, size, sha256 }) {
      parts.requireRoom()
      await make(temporaries)
      const temporary = path.join(temporaries, parts.uniqueName())
      // Old temporary files are swept.
      await utimes(source, new Date(), new Date())
      await linkOrCopy(source, temporary)
      return { temporary, size, sha256, beginning }
    },
    discard: ({ temporary }) => rm(temporary, { force: true }),
    async open(sha256, size) {
      let handle: FileHandle
      try {
        handle = await open(placeOf(sha256), constants.O_RDONLY | noFollow)
      } catch (error) {
        if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
        throw error
      }
      const found = await handle.stat()
      if (found.isFile() && found.size === size) return handle
      await handle.close()
      return undefined
    },
    free: (sha256) => void remove(sha256),
    async has(sha256, size) {
      const found = await stat(placeOf(sha256)).catch(() => undefined)
      return found?.isFile() === true && found.size === size
    },
    namesWith: async (digits) => new Set(await names(path.join(root, digits))),
    async whileKept(work) {
      keeping += 1
      try {
        await settled()
        return await work()
      } finally {
        keeping -= 1
        if (keeping === 0) {
          const late = [...waiting]
          waiting.clear()
          for (const sha256 of late) void remove(sha256)
        }
      }
    },
    async sweep(olderThan) {
      let removed = 0
      for (const name of await names(temporaries)) {
        const file = path.join(temporaries, name)
        const found = await stat(file).catch(() => undefined)
        if (found === undefined || found.mtimeMs >= olderThan) continue
        await rm(file, { recursive: true, force: true })
        removed += 1
      }
      for (const folder of await names(root)) {
        if (!/^[0-9a-f]{2}$/.test(folder)) continue
        for (const name of await names(path.join(root, folder))) {
          // A restore that was cut off has left it: none is under way while a host runs.
          if (name.endsWith('.incoming')) await rm(path.join(root, folder, name), { force: true })
          if (!shaForm.test(name) || isWanted(name)) continue
          void remove(name)
          removed += 1
        }
      }
      await settled()
      return removed
    },
    settled,
  }
}
