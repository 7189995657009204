// Log lines in a private file that is rotated by size: at most five files of ten megabytes.
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { LogDestination } from './logger.ts'

const maxBytes = 10 * 1024 * 1024
const maxFiles = 5

/** A destination that owns a file descriptor. */
export interface LogFile extends LogDestination {
  close(): void
}

/** Opens `<dir>/cairn.log` for appending, creating the folder; files have mode 0600. */
export function openLogFile(dir: string): LogFile {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = path.join(dir, 'cairn.log')
  let descriptor = openPlain(file)
  let size = fstatSync(descriptor).size
  const rotate = (): void => {
    closeSync(descriptor)
    rmSync(`${file}.${maxFiles - 1}`, { force: true })
    for (let number = maxFiles - 2; number >= 1; number -= 1) moveIfThere(`${file}.${number}`, `${file}.${number + 1}`)
    moveIfThere(file, `${file}.1`)
    descriptor = openPlain(file)
    size = 0
  }
  return {
    write(line) {
      if (size > 0 && size + Buffer.byteLength(line) > maxBytes) rotate()
      size += writeSync(descriptor, line)
    },
    close: () => closeSync(descriptor),
  }
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
