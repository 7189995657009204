// What a person chose for the window itself: a small file in the shell's folder. Knows no window.
import { readFileSync } from 'node:fs'
import { writeWhole } from './write-whole.ts'

/** The choices. */
export interface Preferences {
  /** Whether notices of the operating system are raised while the window is in the background. */
  readonly notices: boolean
  /** Whether the words of text fields are checked. */
  readonly spelling: boolean
  /** Whether new versions are looked for daily, where this copy was packaged with a feed of them. */
  readonly updates: boolean
}

/**
 * The choices of a first start. Looking for updates is off, and checking words where it would load dictionaries from the
 * network: nothing leaves the machine unless somebody says so.
 */
export function firstPreferences(platform: NodeJS.Platform): Preferences {
  return { notices: true, spelling: platform === 'darwin', updates: false }
}

/** Reads the choices; what is missing or broken is as at a first start. */
export function readPreferences(file: string, platform: NodeJS.Platform): Preferences {
  const first = firstPreferences(platform)
  let stored: Partial<Record<keyof Preferences, unknown>> | null
  try {
    stored = JSON.parse(readFileSync(file, 'utf8')) as typeof stored
  } catch {
    return first // never stored, or cut short
  }
  const choice = (name: keyof Preferences): boolean => {
    const value = stored?.[name]
    return typeof value === 'boolean' ? value : first[name]
  }
  return { notices: choice('notices'), spelling: choice('spelling'), updates: choice('updates') }
}

/** Stores the choices, whole or not at all. */
export function writePreferences(file: string, preferences: Preferences): void {
  writeWhole(file, `${JSON.stringify(preferences)}\n`)
}
