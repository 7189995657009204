// The note a restore leaves in the data folder: the next start finds an older database and can tell why. Knows no capability.
import { rmSync } from 'node:fs'
import path from 'node:path'
import type { Actor } from '#shared/events.ts'
import { readPrivateFile, writeFileAtomic } from './atomic-file.ts'
import type { Reads } from './database.ts'
import { isUuid } from './ids.ts'

const fileName = 'restored.json'

/** Which backup was put in place, when, and who asked for it. */
export interface RestoreNote {
  readonly backup: string
  /** ISO 8601. */
  readonly at: string
  /** Null when it was done while no host ran. */
  readonly actor: Actor | null
  /** Id of the backup of the state that was replaced; null when that could not be read, or there was none. */
  readonly present: string | null
}

/** Reads of a closed file. */
export type ReplacedState = Pick<Reads, 'all' | 'get'>

/** A restore that went before this start, and the state it replaced. */
export interface Restored {
  readonly note: RestoreNote
  /** Reads what the state had that was replaced; null, and a line in the log, where it cannot be read. */
  read<T extends object>(fn: (state: ReplacedState) => T): T | null
}

/** Leaves the note. */
export function writeRestoreNote(dataDir: string, note: RestoreNote): void {
  writeFileAtomic(path.join(dataDir, fileName), `${JSON.stringify(note)}\n`)
}

/** The note of the last restore nobody has heard of yet; undefined without one, or when it is damaged. */
export function readRestoreNote(dataDir: string): RestoreNote | undefined {
  try {
    const text = readPrivateFile(path.join(dataDir, fileName))
    const note = text === undefined ? undefined : (JSON.parse(text) as RestoreNote)
    if (typeof note?.backup !== 'string' || typeof note.at !== 'string') return undefined
    return { ...note, present: isUuid(note.present ?? '') ? note.present : null }
  } catch {
    // A note that cannot be read explains nothing.
    return undefined
  }
}

/** Takes the note away once everybody has heard it. */
export function removeRestoreNote(dataDir: string): void {
  rmSync(path.join(dataDir, fileName), { force: true })
}
