// The folder of one workspace: where it is, who holds it, and the small private files in it.
// Knows no database content and no HTTP.
import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import envPaths from 'env-paths'
import { openExclusive } from '#main/database/open.ts'
import { readPrivateFile, writeFileAtomic } from '#main/kernel/atomic-file.ts'

/** Names inside the data folder. */
export const dataDirNames = {
  database: 'cairn.db',
  lock: 'cairn.lock',
  ballast: 'cairn.ballast',
  connection: 'connection.json',
  hubKey: 'hub.key',
  config: 'config.json',
  files: 'files',
  backups: 'backups',
  logs: 'logs',
} as const

/** A data folder held by this process. */
export interface DataDir {
  /** Absolute path without links. */
  readonly path: string
  /** Path of a named part, for example `file('database')`. */
  file(name: keyof typeof dataDirNames): string
  /** Gives the folder free for another process. */
  release(): void
}

/** What a running host tells other programs of its user (D-29). */
export interface ConnectionFile {
  /** Address without trailing slash or prefix. */
  readonly url: string
  /** 256 random bits as base64url; new at each start. */
  readonly token: string
  readonly pid: number
  readonly version: string
  readonly startedAt: string
  /** The API prefix; absent for the default one. */
  readonly prefix?: string
  /** Path of the application shell; absent for the default one. */
  readonly uiBasePath?: string
}

/** Another process holds the data folder. */
export class DataDirInUse extends Error {
  readonly path: string

  constructor(dir: string) {
    super(`Another process uses the data folder ${dir}.`)
    this.name = 'DataDirInUse'
    this.path = dir
  }
}

/** The data folder to use: the flag, then `CAIRN_DATA_DIR`, then the operating system's place for application data. */
export function locateDataDir(flag?: string): string {
  const chosen = flag ?? process.env['CAIRN_DATA_DIR']
  return path.resolve(chosen === undefined || chosen === '' ? envPaths('cairn', { suffix: '' }).data : chosen)
}

/**
 * Creates the folder when it is absent, closes it to other users, and takes its lock for the life of this process.
 * The lock is one of the operating system: it ends with its owner even at kill -9, so it is never stale.
 * @throws DataDirInUse within milliseconds when another process holds the folder
 */
export function openDataDir(dir: string): DataDir {
  // Every file the process creates from here on is private at creation, also those SQLite makes beside the database.
  process.umask(0o077)
  let real: string
  let lock: ReturnType<typeof openExclusive>
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    real = realpathSync(dir)
    if (process.platform !== 'win32' && (statSync(real).mode & 0o077) !== 0) chmodSync(real, 0o700)
    lock = openExclusive(path.join(real, dataDirNames.lock))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The data folder ${dir} cannot be used: ${reason}. Nothing was changed.`, { cause: error })
  }
  if (lock === null) throw new DataDirInUse(real)
  return {
    path: real,
    file: (name) => path.join(real, dataDirNames[name]),
    release: () => {
      lock.close()
    },
  }
}

/** Whether the workspace of a folder is kept by several machines, so that its database may only be opened as one of them. */
export function isHubFolder(dir: string): boolean {
  return [dataDirNames.hubKey, `${dataDirNames.database}-hub`].some((name) => existsSync(path.join(dir, name)))
}

/** What a command says for which no host answers on a folder. */
export function noHostOn(dir: string): string {
  return isHubFolder(dir)
    ? `No host leads on ${dir}: this node of a hub follows another one, or does not run. Ask on the node that leads (cairn hub status names it).`
    : `Cairn is not running on ${dir}. Start it first.`
}

/** Writes `connection.json` with mode 0600, replacing an old one atomically. */
export function writeConnectionFile(dir: string, connection: ConnectionFile): void {
  writeFileAtomic(path.join(dir, dataDirNames.connection), `${JSON.stringify(connection, null, 2)}\n`)
}

/** Reads `connection.json`; undefined when it is absent or not complete. @throws Error when it is a link */
export function readConnectionFile(dir: string): ConnectionFile | undefined {
  const text = readPrivateFile(path.join(dir, dataDirNames.connection))
  const value = text === undefined ? undefined : parseObject(text)
  if (value === undefined) return undefined
  const { url, token, pid, version, startedAt, prefix, uiBasePath } = value
  if (typeof url !== 'string' || typeof token !== 'string' || typeof pid !== 'number') return undefined
  return {
    ...{ url, token, pid, version: String(version), startedAt: String(startedAt) },
    ...(typeof prefix === 'string' ? { prefix } : {}),
    ...(typeof uiBasePath === 'string' ? { uiBasePath } : {}),
  }
}

/** Removes `connection.json` at a clean exit; does nothing when it is absent. */
export function removeConnectionFile(dir: string): void {
  try {
    rmSync(path.join(dir, dataDirNames.connection), { force: true })
  } catch {
    // The right to write the folder was lost meanwhile. Whoever reads the file finds that nobody answers.
  }
}

/** The settings of `config.json`, by plugin id. */
export interface Config {
  readonly values: Readonly<Record<string, unknown>>
  /** The part that belongs to a plugin; `{}` when there is none. */
  of(plugin: string): Readonly<Record<string, unknown>>
}

/**
 * Reads `config.json`; an absent one is empty. A file other users can read is closed to them, since it may hold secrets.
 * @throws Error when it is a link or no JSON object
 */
export function readConfig(dir: string): Config {
  const file = path.join(dir, dataDirNames.config)
  const text = readPrivateFile(file)
  if (text === undefined) return configOf({})
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  const value = parseObject(text)
  if (value === undefined) throw new Error(`${file} is not a JSON object.`)
  return configOf(value)
}

/** Replaces `config.json` atomically. */
export function writeConfig(dir: string, values: Readonly<Record<string, unknown>>): void {
  writeFileAtomic(path.join(dir, dataDirNames.config), `${JSON.stringify(values, null, 2)}\n`)
}

function configOf(values: Readonly<Record<string, unknown>>): Config {
  return {
    values,
    of: (plugin) => {
      const part = Object.hasOwn(values, plugin) ? values[plugin] : undefined
      return typeof part === 'object' && part !== null && !Array.isArray(part) ? (part as Record<string, unknown>) : {}
    },
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}
