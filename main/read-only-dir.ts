// A data folder that cannot be written: SQLite needs to write beside a database even to read it, so the host runs on a private
// copy, refuses writes, and throws the copy away at its end.
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DataDirInUse, dataDirNames } from '#main/data-dir.ts'
import type { DataDir } from '#main/data-dir.ts'
import { holdShared } from '#main/database/open.ts'

/** Files that belong to the process that wrote them. */
const leftOut = new Set<string>([dataDirNames.lock, dataDirNames.connection, 'cairn.db-shm'])
/** Folders that are only read, where they are. */
const linked = [dataDirNames.backups, dataDirNames.files]

/**
 * Whether a data folder that was in use can be read but not written: the folder itself, its database or its lock.
 * A folder without a database is none of them, since nothing could be shown.
 */
export function isReadOnly(dir: string): boolean {
  const database = path.join(dir, dataDirNames.database)
  if (!existsSync(database)) return false
  const files = [dir, database, path.join(dir, dataDirNames.lock), path.join(dir, 'cairn.state')]
  return files.some((file) => existsSync(file) && !mayWrite(file))
}

/**
 * Copies a read-only data folder to a private one, which goes with `release`.
 * @throws DataDirInUse when a host that may write holds the folder, Error when it cannot be read or there is no room for the copy
 */
export function copyReadOnlyDir(dir: string): DataDir {
  const real = realpathSync(dir)
  process.umask(0o077)
  const lock = path.join(real, dataDirNames.lock)
  const held = existsSync(lock) ? holdShared(lock) : undefined
  if (held === null) throw new DataDirInUse(real)
  const copy = mkdtempSync(path.join(tmpdir(), 'cairn-read-only-'))
  const release = (): void => rmSync(copy, { recursive: true, force: true })
  try {
    for (const name of readdirSync(real)) {
      const file = path.join(real, name)
      if (leftOut.has(name) || name.includes('.replaced-') || !lstatSync(file).isFile()) continue
      cpSync(file, path.join(copy, name))
      chmodSync(path.join(copy, name), 0o600)
    }
    for (const name of linked)
      if (existsSync(path.join(real, name))) symlinkSync(path.join(real, name), path.join(copy, name))
    mkdirSync(path.join(copy, dataDirNames.logs))
  } catch (error) {
    release()
    throw new Error(
      `The data folder ${real} cannot be written, and it could not be copied to ${tmpdir()} to be read: ${error instanceof Error ? error.message : String(error)}. Give Cairn the right to write it, or TMPDIR a place with more room.`,
      { cause: error },
    )
  } finally {
    held?.close()
  }
  return { path: copy, file: (name) => path.join(copy, dataDirNames[name]), release }
}

function mayWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}
