// Log lines in a private file that is rotated by size: at most five files of ten megabytes.
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { isDiskFull } from './disk-full.ts'
import type { LogDestination } from './logger.ts'

const maxBytes = 10 * 1024 * 1024
const maxFiles = 5

/** A destination that owns a file descriptor. */
export interface LogFile extends LogDestination {
  close(): void
}

/**
 * Opens `<dir>/cairn.log` for appending, creating the folder; files have mode 0600. Lines that cannot be written, on a full
 * disk above all, are dropped and counted: the first one that can be written again comes after a line with their number.
 * @throws Error when the file cannot be opened for another reason than a full disk
 */
export function openLogFile(dir: string): LogFile {
  const file = path.join(dir, 'cairn.log')
  let descriptor: number | undefined
  let size = 0
  let dropped = 0
  const open = (): void => {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    descriptor = openPlain(file)
    size = fstatSync(descriptor).size
  }
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const rotate = (): void => {
    close()
    rmSync(`${file}.${maxFiles - 1}`, { force: true })
    for (let number = maxFiles - 2; number >= 1; number -= 1) moveIfThere(`${file}.${number}`, `${file}.${number + 1}`)
    moveIfThere(file, `${file}.1`)
  }
  /** @throws Error when not all of it can be written; nothing is written then */
  const append = (line: string): void => {
    const bytes = Buffer.from(line)
    if (size > 0 && size + bytes.length > maxBytes) rotate()
    if (descriptor === undefined) open()
    const written = writeSync(descriptor!, bytes)
    if (written === bytes.length) size += written
    else {
      // Half a line would spoil the next one.
      ftruncateSync(descriptor!, size)
      throw new Error('The disk took a part of the line only.')
    }
  }
  try {
    open()
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
  return {
    write(line) {
      try {
        append(dropped > 0 ? tellDropped(dropped) + line : line)
        dropped = 0
      } catch {
        // A log that cannot be written is no reason to stop serving.
        dropped += 1
      }
    },
    close,
  }
}

function tellDropped(count: number): string {
  const msg = 'Lines of the log could not be written and are missing here.'
  return `${JSON.stringify({ level: 40, time: new Date().toISOString(), dropped: count, msg })}\n`
}

/** Opens a file for appending; a link planted in its place is removed, never followed (safety rule L4). */
function openPlain(file: string): number {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat !== undefined && (!stat.isFile() || stat.nlink > 1)) rmSync(file)
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  return openSync(file, flags, 0o600)
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
