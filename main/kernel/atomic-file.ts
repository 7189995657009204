// Writes and reads small private files so that a crash leaves the old or the new text, and a planted link is refused.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

const noFollow = constants.O_NOFOLLOW ?? 0

/**
 * Replaces a file: exclusive temporary with mode 0600, fsync, rename, fsync of the folder.
 * @throws Error when something other than a plain file lies at `path`
 */
export function writeFileAtomic(path: string, content: string | Uint8Array): void {
  refuseSpecialFile(path)
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const descriptor = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, 0o600)
  try {
    try {
      const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
      for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncPath(dirname(path))
}

/**
 * Reads a private text file; undefined when there is none.
 * @throws Error when it is a link, has a second name, or is larger than `maxBytes`
 */
export function readPrivateFile(path: string, maxBytes = 1024 * 1024): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  refuseSpecialFile(path)
  const descriptor = openSync(path, constants.O_RDONLY | noFollow)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > maxBytes) throw new Error(`Not a readable file: ${path}`)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** @throws Error when `path` exists and is a link, a folder, a device or a file with a second name (safety rule L4) */
export function refuseSpecialFile(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isFile()) throw new Error(`Not a regular file: ${path}`)
  if (stat.nlink > 1) throw new Error(`The file has more than one name (hard link): ${path}`)
}

/** Forces a file, or the names in a folder, to disk. Windows cannot sync a folder and does not need it. */
export function syncPath(path: string): void {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY)
  } catch (error) {
    if (process.platform === 'win32') return
    throw error
  }
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (process.platform !== 'win32') throw error
  } finally {
    closeSync(descriptor)
  }
}
