// Folders whose names are on disk. Knows no file.
import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'

/** Makes a folder and those above it, and forces their names to disk. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let above = path.dirname(folder); above.length >= path.dirname(first).length; above = path.dirname(above)) {
    await syncFolder(above)
    if (above === path.dirname(above)) return
  }
}

/** Forces the names in a folder to disk. Windows cannot sync a folder and does not need it. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
