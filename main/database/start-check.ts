// Judges the database before anything opens it for writing, and says what can be done when it is not the one that was left.
// Reads only: whatever is refused lies there as it was found.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '#main/kernel/clock.ts'
import { createIds, isUuid } from '#main/kernel/ids.ts'
import { createBackupFolder } from './backup-folder.ts'
import type { BackupEntry } from './backup-folder.ts'
import { createFileCheck } from './file-check.ts'
import { applicationId, birthOf } from './migrator.ts'
import { openReader } from './open.ts'
import type { Connection } from './open.ts'
import { checksumOf, isAsClosed, isSame, isUntouched, readState, stateFileOf } from './state-file.ts'
import type { ClosedFile, Closing, DatabaseState } from './state-file.ts'
import { isFoldedIn, readLogExtent } from './wal-log.ts'
import type { LogExtent, NotedLog } from './wal-log.ts'

/** Larger files are checked beside the traffic instead: at some 8 ms for every megabyte a start would take over two seconds. */
export const checkedFirstBytes = 64 * 1024 * 1024
/** A log begins anew once in some thousand frames; further apart, two logs are not of one database. */
const maxRestarts = 1_000_000
/** Files that only a workspace that was in use has. */
const marks = ['audit.head', 'secret.key', 'auth.key']

/** What is wrong with a database, in one sentence. */
export interface DatabaseProblem {
  readonly problem: string
  /** Whether SQLite itself could go on with the file as it is. */
  readonly isUsable: boolean
}

/**
 * Whether a database is the one this machine closed last: surely, not surely, or surely a copy that was put in its place or
 * over it.
 */
export type DatabaseOrigin = 'left' | 'doubtful' | 'copied'

/** What a start knows of a database that may be opened. */
export interface DatabaseFound {
  /** The log that was left by a host that did not end cleanly. */
  readonly log: LogExtent | null
  readonly birth: string | null
  /** How it was closed, when size and time were all that was looked at: the rest is due beside the traffic. */
  readonly closed: ClosedFile | null
  /** True when it was left by a host that did not end cleanly and is too large to be checked first. */
  readonly isUrgent: boolean
  /** True when an earlier closed file was put back in place of the last one, as people do who keep copies of it. */
  readonly isEarlier: boolean
  readonly origin: DatabaseOrigin
}

/** The database is not opened; the message says why, what was kept and what to do. */
export class DatabaseRefused extends Error {
  /** The newest backup that is whole; null without one. */
  readonly backup: string | null

  constructor(message: string, backup: string | null) {
    super(message)
    this.name = 'DatabaseRefused'
    this.backup = backup
  }
}

/**
 * Looks at the database of a data folder: is it there, is it the one that was left, is its log, is it sound.
 * After a clean end size and time say so; otherwise the whole file is read.
 * @param database the database of the folder, or a copy of it with what was noted beside it
 * @throws DatabaseRefused
 */
export async function judgeDatabase(dataDir: string, database: string): Promise<DatabaseFound> {
  const found = findProblem(dataDir, database)
  if (!('problem' in found)) return found
  const backup = await newestGoodBackup(dataDir)
  throw new DatabaseRefused(wordsOf(found, dataDir, backup), backup?.id ?? null)
}

/** The problem of a database, or what may be known of it. */
export function findProblem(dataDir: string, database: string): DatabaseProblem | DatabaseFound {
  const noted = readState(database)
  const state = noted?.state
  const size = statSync(database, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return findUsed(dataDir, database, state) ?? fresh
  if (state?.state === 'damaged') return broken(state.problem)
  if (state?.state === 'closed') return judgeClosed(database, state, noted?.closings ?? [])
  return judgeLeft(dataDir, database, state)
}

/** The words for somebody who has to decide what happens with the database. */
function wordsOf(found: DatabaseProblem, dataDir: string, backup: BackupEntry | null): string {
  const lines = [`The database ${join(dataDir, 'cairn.db')} was not opened: ${found.problem} It was left as it is.`]
  const put = (id: string): string => `npm run cairn -- restore ${id} --data "${dataDir}"`
  if (backup === null) lines.push(`There is no whole backup in ${join(dataDir, 'backups')}.`)
  else {
    lines.push(
      `To go on with the newest whole backup, of ${backup.createdAt}: ${put(backup.id)}`,
      'What is there now is kept beside it. All backups: npm run cairn -- backups',
    )
  }
  if (found.isUsable)
    lines.push(`To go on with the database as it is, delete ${stateFileOf(join(dataDir, 'cairn.db'))}.`)
  lines.push(`To begin with an empty workspace, move everything out of ${dataDir}.`)
  return lines.join('\n')
}

const fresh: DatabaseFound = {
  ...{ log: null, birth: null, closed: null, isUrgent: false, isEarlier: false },
  origin: 'left',
}
const copied: DatabaseFound = { ...fresh, origin: 'copied' }
const broken = (problem: string): DatabaseProblem => ({ problem, isUsable: false })
const doubtful = (problem: string): DatabaseProblem => ({ problem, isUsable: true })

/** What shows that a folder without a database is no new one. */
function findUsed(dataDir: string, database: string, state: DatabaseState | undefined): DatabaseProblem | undefined {
  const seen = marks.filter((name) => (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0) > 0)
  if ((statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) seen.push('cairn.db-wal')
  if (backupsIn(dataDir) > 0) seen.push('backups')
  if (state !== undefined && !(state.state === 'open' && state.birth === null)) seen.push('cairn.state')
  if (seen.length === 0) return undefined
  const what = existsSync(database) ? 'it is empty' : 'it is missing'
  return broken(`${what}, though the folder was in use before (${seen.join(', ')}).`)
}

/** Nobody but a host writes into the file, so any difference is one too many. */
function judgeClosed(
  database: string,
  state: DatabaseState & { state: 'closed' },
  closings: readonly Closing[],
): DatabaseProblem | DatabaseFound {
  if ((statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    return broken(
      'the log beside it (cairn.db-wal) is not its own; moved away, it lets the database open as it was closed.',
    )
  if (isUntouched(database, state))
    return { ...fresh, closed: state, origin: isAsClosed(database, state) ? 'left' : 'doubtful' }
  const size = statSync(database).size
  // Copied to another place, it has another time.
  const crc = state.crc === null ? null : checksumOf(database)
  if (size === state.size && crc !== null && crc === state.crc) return copied
  const problem = structureProblem(database)
  if (problem !== undefined) return broken(problem)
  if (size === state.size && state.crc === null) return copied
  if (crc !== null && closings.some((closing) => isSame(closing, [size, crc]))) return { ...copied, isEarlier: true }
  return doubtful('it was changed after it was closed, by something other than Cairn.')
}

/** After a kill or a loss of power, or with nothing noted. */
function judgeLeft(
  dataDir: string,
  database: string,
  state: (DatabaseState & { state: 'open' }) | undefined,
): DatabaseProblem | DatabaseFound {
  const log = readLogExtent(database)
  const lost = state?.log == null ? undefined : logProblem(database, state.log, log)
  // SQLite would read the file through it.
  if (lost?.isUsable === false) return lost
  const isLarge = statSync(database).size > checkedFirstBytes
  const problem = structureProblem(database, isLarge ? 0 : 1)
  if (problem !== undefined) return broken(problem)
  const birth = reading(database, birthOf)
  if (birth === null) {
    const used = findUsed(dataDir, database, state)
    if (used !== undefined) return broken('it holds nothing, though the folder was in use before.')
  }
  if (state?.birth != null && birth !== state.birth)
    return doubtful('it is another database than the one that was open.')
  if (lost !== undefined) return lost
  return { ...fresh, log, birth, isUrgent: isLarge, origin: 'doubtful' }
}

/** Whether what was acknowledged is still in the log, or has gone from there into the file. */
function logProblem(database: string, noted: NotedLog, log: LogExtent | null): DatabaseProblem | undefined {
  if (noted.frames === 0) return undefined
  if (log === null) {
    // Whoever opens the file with SQLite after a kill folds the log in and removes it.
    if (noted.last !== undefined && isFoldedIn(database, noted.last)) return undefined
    return doubtful('its log (cairn.db-wal) is gone or damaged, and the last changes were in it.')
  }
  const restarts = (log.salts[0] - noted.salts[0]) >>> 0
  if (restarts > maxRestarts || (restarts === 0 && log.salts[1] !== noted.salts[1]))
    return broken('the log beside it (cairn.db-wal) is not its own.')
  if (restarts === 0 && log.frames < noted.frames)
    return doubtful(
      `its log (cairn.db-wal) was cut or damaged: ${noted.frames - log.frames} of ${noted.frames} changed pages are gone.`,
    )
  return undefined
}

/** What SQLite finds; undefined when the file is sound. @param limit 0 looks at its beginning only */
function structureProblem(database: string, limit = 1): string | undefined {
  try {
    return reading(database, (connection) => {
      const tables = connection.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()
      if (tables !== 0 && connection.pragma('application_id', { simple: true }) !== applicationId)
        return 'it is not a database of Cairn.'
      const found = limit === 0 ? 'ok' : connection.pragma(`quick_check(${limit})`, { simple: true })
      return found === 'ok' ? undefined : `it is damaged (${String(found).trim().replaceAll('\n', '; ')}).`
    })
  } catch (error) {
    return `it cannot be read (${error instanceof Error ? error.message : String(error)}).`
  }
}

function reading<T>(database: string, read: (connection: Connection) => T): T {
  const connection = openReader(database)
  try {
    return read(connection)
  } finally {
    connection.close()
  }
}

function backupsIn(dataDir: string): number {
  const root = join(dataDir, 'backups')
  return existsSync(root) ? readdirSync(root).filter((name) => isUuid(name)).length : 0
}

async function newestGoodBackup(dataDir: string): Promise<BackupEntry | null> {
  const folder = createBackupFolder({
    dataDir,
    clock: systemClock,
    ids: createIds(systemClock),
    appVersion: '',
    check: (file) => Promise.resolve(createFileCheck(file)),
  })
  for (const backup of folder.list()) {
    const { verified } = await folder.verify(backup.id).catch(() => ({ verified: false }))
    if (verified) return backup
  }
  return null
}
