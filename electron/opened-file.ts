// Files somebody opens with the program: which arguments are files, and the one that waits for the import screen. A file
// is only read and shown; nothing is imported before a person has said so there.
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import type { OpenedFile } from '#shared/ipc.ts'

/** Ends of names that the import screen reads; the packed program registers the same with the system. */
export const openableExtensions = ['csv', 'tsv', 'json', 'ndjson', 'xlsx'] as const

/** Bytes of the largest file that is taken; larger ones are imported as a job from the screen. */
export const largestFile = 512 * 1024 * 1024

/** Options of a start that are followed by a value. */
const valued = new Set(['--data', '--port'])

/**
 * The first file among the arguments of a start, as an absolute path; undefined without one. Options, their values,
 * links and folders are none.
 * @param folder the working folder of that start
 */
export function fileAmong(argv: readonly string[], folder: string): string | undefined {
  return argv
    .slice(1)
    .filter((argument, at) => !argument.startsWith('-') && !valued.has(argv[at] ?? ''))
    .map((argument) => resolve(folder, argument))
    .find(isOpenableFile)
}

/** Whether a path is an existing file of a kind that the import screen reads. */
export function isOpenableFile(path: string): boolean {
  const end = extname(path).slice(1).toLowerCase()
  if (!(openableExtensions as readonly string[]).includes(end)) return false
  try {
    return statSync(path).isFile()
  } catch {
    return false // no such file, or not for us
  }
}

/** Holds the one file that waits; a later one takes its place. */
export interface FileShelf {
  put(path: string): void
  /**
   * The waiting file, once; null when none waits.
   * @throws Error with a sentence for the person when it cannot be read or is too large
   */
  take(): Promise<OpenedFile | null>
}

/** Makes an empty shelf. */
export function createFileShelf(): FileShelf {
  let waiting: string | undefined
  return {
    put: (path) => {
      waiting = path
    },
    take: async () => {
      const path = waiting
      waiting = undefined
      if (path === undefined) return null
      const name = basename(path)
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > largestFile) {
        throw new Error(`${name} is larger than 512 MB. Nothing was read; import it in parts.`)
      }
      return { name, bytes: new Uint8Array(await readFile(path)) }
    },
  }
}
