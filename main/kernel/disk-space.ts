// The room the host keeps for the day the disk is full: a ballast file that gives way, so that the log of the database,
// deletions and a start have what they need, and comes back with the space. Knows files, no database and no HTTP.
import { randomFillSync } from 'node:crypto'
import { closeSync, constants, ftruncateSync, openSync, statSync, statfsSync, truncateSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { refuseSpecialFile } from './atomic-file.ts'
import { isDiskFull } from './disk-full.ts'

const megabyte = 1024 * 1024

/** Size of the whole ballast file. */
export const ballastBytes = 16 * megabyte

/** So much is given away at a time: what is free is open to every other program too. */
const stepBytes = 2 * megabyte
/** Less than this is no room to go on in. */
const leastBytes = megabyte
/** Written at once; random, because some file systems store no room for what can be compressed. */
const chunkBytes = megabyte
const lookEveryMs = 1000

/** The disk of one data folder. */
export interface DiskSpace {
  /** True from the first write that found no room until the ballast is whole again. */
  isFull(): boolean
  /** True while full, once the host runs: what is not about making room is refused then. A start may use the ballast. */
  refuses(): boolean
  /** Tells of a failed write; when it is one of a full disk, part of the ballast gives way. */
  failed(error: unknown): void
  /** Called before what may go on while the disk is full: part of the ballast gives way when next to nothing is left. */
  makeRoom(): void
  /** The host runs: begins to refuse, and fills up the ballast where there is room enough. */
  started(): void
  /** Ends watching, after putting back as much of the ballast as there is room for. */
  close(): Promise<void>
}

/** What it works with. */
export interface DiskSpaceOptions {
  /** Path of the ballast file; its disk is the one watched. */
  readonly file: string
  /** Size of the whole file; 0 keeps none. */
  readonly bytes: number
  /** Hears when the disk is found full and when there is space again. */
  readonly onChange: (isFull: boolean) => void
}

/**
 * Looks whether the disk has room, before anything else is written: on a full one part of the ballast gives way at once.
 * @throws Error when something other than a plain file lies in the ballast's place
 */
export function openDiskSpace({ file, bytes, onChange }: DiskSpaceOptions): DiskSpace {
  refuseSpecialFile(file)
  const chunk = randomFillSync(Buffer.alloc(chunkBytes))
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  let full = false
  let running = false
  /** The size to come back to before the disk counts as free again. */
  let goal = size
  let filling: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Bytes this process may still use; infinite where the file system does not tell. */
  const free = (): number => {
    try {
      const { bavail, bsize, blocks } = statfsSync(path.dirname(file))
      return blocks === 0 ? Infinity : bavail * bsize
    } catch {
      return Infinity // Not told: what is written next finds out.
    }
  }

  const giveWay = (): void => {
    // The last part is for the next start.
    if (size <= (running ? stepBytes : 0)) return
    size = Math.max(0, size - stepBytes)
    truncateSync(file, size)
  }

  const becomeFull = (): void => {
    if (!full) {
      full = true
      goal = size
      timer = setInterval(look, lookEveryMs).unref()
      onChange(true)
    }
    giveWay()
  }

  /** Writes up to `to` bytes beside the event loop; false when there is no room, and then nothing is taken of it. */
  const fill = async (to: number): Promise<boolean> => {
    const from = size
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
    try {
      for (let at = from; at < to;) {
        const { bytesWritten } = await handle.write(chunk, 0, Math.min(chunkBytes, to - at), at)
        // Something gave way meanwhile: it is needed elsewhere.
        if (size !== at) break
        at += bytesWritten
        size = at
      }
    } catch {
      size = Math.min(size, from)
    }
    try {
      await handle.truncate(size)
    } finally {
      await handle.close()
    }
    return size >= to
  }

  const fillOnce = (to: number): Promise<boolean> =>
    (filling ??= fill(to)
      .catch(() => false)
      .finally(() => (filling = undefined)))

  const look = (): void => {
    if (filling !== undefined || free() < goal - size + stepBytes) return
    void fillOnce(goal).then((isWhole) => {
      if (!isWhole || !full) return
      full = false
      clearInterval(timer)
      onChange(false)
    })
  }

  if (!hasRoom(file, size, chunk)) becomeFull()

  return {
    isFull: () => full,
    refuses: () => full && running,
    failed(error) {
      if (isDiskFull(error)) becomeFull()
    },
    makeRoom() {
      if (free() < leastBytes) giveWay()
    },
    started() {
      running = true
      if (!full && size < bytes && free() >= bytes - size + stepBytes) void fillOnce(bytes)
    },
    async close() {
      clearInterval(timer)
      await filling
      if (full) await fillOnce(Math.min(goal, size + Math.max(0, free() - leastBytes)))
    },
  }
}

/** Whether something can be written behind the ballast; it is taken back at once. */
function hasRoom(file: string, size: number, chunk: Buffer): boolean {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
    return writeSync(descriptor, chunk, 0, chunk.length, size) === chunk.length
  } catch (error) {
    // Whatever else is wrong with the folder is for those who need it.
    return !isDiskFull(error)
  } finally {
    if (descriptor !== undefined) {
      ftruncateSync(descriptor, size)
      closeSync(descriptor)
    }
  }
}
