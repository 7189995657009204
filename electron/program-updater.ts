// The library that loads new versions, set up so that it asks before it loads, tells the feed nothing about this machine,
// and puts an AppImage in place whole or not at all. Loaded when the first look is taken, not at the start.
import { chmodSync, closeSync, constants, copyFileSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import library from 'electron-updater'
import type { AppUpdater } from 'electron-updater'

/** Takes the place of the running file in one step; the library removes the old file before it has the new one there. */
class WholeAppImageUpdater extends library.AppImageUpdater {
  protected override doInstall(): boolean {
    const loaded = this.installerPath
    const place = process.env['APPIMAGE']
    if (loaded === null || place === undefined) throw new Error('There is no new version to put in place.')
    const next = `${place}.next`
    try {
      copyFileSync(loaded, next, constants.COPYFILE_FICLONE)
      chmodSync(next, 0o755)
      flush(next)
      renameSync(next, place)
      flush(dirname(place))
    } catch (error) {
      rmSync(next, { force: true })
      throw error
    }
    rmSync(loaded, { force: true })
    return true
  }
}

function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Errors are written down by their first line: what follows are stacks and whole answers. */
const logger = {
  info: () => {},
  warn: () => {},
  error: (message: unknown) => {
    process.stderr.write(`Update: ${firstLine(message)}\n`)
  },
}

/** The first line of what the library says, 200 characters at most. */
export function firstLine(message: unknown): string {
  return String(message).split('\n')[0]!.slice(0, 200)
}

/** The updater for the way this copy was packaged; it installs when the program has ended, never while it runs. */
export function openProgramUpdater(): AppUpdater {
  const updater = process.env['APPIMAGE'] === undefined ? library.autoUpdater : new WholeAppImageUpdater()
  updater.logger = logger
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = true
  updater.allowDowngrade = false
  // Everybody gets a new version at once; without this the library gives the feed a number of this machine.
  updater.isUserWithinRollout = () => true
  updater.requestHeaders = { 'x-user-staging-id': 'none' }
  return updater
}
