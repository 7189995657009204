// Owns where the chosen colour scheme is kept; the kit asks it once and follows the system when nothing was chosen.
import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core'
import { readStored, writeStored } from '../lib/storage.ts'

const key = 'color-scheme'

function isScheme(text: string | undefined): text is MantineColorScheme {
  return text === 'light' || text === 'dark' || text === 'auto'
}

/** Keeps the scheme in the browser's storage under Cairn's prefix; other tabs are not watched. */
export const colorSchemeManager: MantineColorSchemeManager = {
  get: (defaultValue) => {
    const stored = readStored(key)
    return isScheme(stored) ? stored : defaultValue
  },
  set: (value) => writeStored(key, value === 'auto' ? undefined : value),
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => writeStored(key, undefined),
}
