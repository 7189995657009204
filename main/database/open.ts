// Opens SQLite files with the settings every connection must have. Only open-bare.ts constructs a connection besides.
import BetterSqlite3 from 'better-sqlite3'
import { registerFunctions } from './query/functions.ts'
import { refuseSpecialFile } from '#main/kernel/atomic-file.ts'

/** One open SQLite connection. */
export type Connection = BetterSqlite3.Database

/** How a read-write connection is opened. */
export interface WriterOptions {
  /** False gives up durability for speed: only for throw-away databases of tests. Default true. */
  readonly durable?: boolean
}

/** After so many pages of the log a commit folds it into the file, should log-folding.ts not have done it long before. */
export const autoCheckpointPages = 16_000
const journalSizeLimitBytes = 64 * 1024 * 1024
const busyTimeoutMs = 5000
/** How long a process tries to get a lock file: those who look at it for a moment are gone by then, an owner is not. */
const lockPatienceMs = 50
/** Memory for pages of each connection of the host. */
const hostCacheKib = 16_000
/** Values of `PRAGMA synchronous`. */
const synchronousNormal = 1
const synchronousFull = 2

/**
 * Opens the one read-write connection, creating the file when it is absent.
 * `synchronous` is set after `journal_mode` on purpose: the library's build lowers it for WAL files, and reading it on
 * a new file reports a value that the first write changes.
 * @throws Error when the path is a link, or a setting did not take effect
 * @source safety rules 3.1
 */
export function openWriter(file: string, options: WriterOptions = {}): Connection {
  refuseLinks(file)
  const connection = new BetterSqlite3(file, { timeout: busyTimeoutMs })
  try {
    const mode = connection.pragma('journal_mode = WAL', { simple: true })
    if (mode !== 'wal')
      throw new Error(`The database does not accept the write-ahead log: journal_mode is ${String(mode)}.`)
    setCommon(connection, options.durable ?? true)
    connection.pragma('secure_delete = ON')
    connection.pragma(`journal_size_limit = ${journalSizeLimitBytes}`)
    connection.pragma(`wal_autocheckpoint = ${autoCheckpointPages}`)
    if (options.durable ?? true) assertDurable(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Prepares the question how many frames the log has up to the last COMMIT. */
export function logPagesOf(writer: Connection): () => number {
  const state = writer.prepare('PRAGMA wal_checkpoint(NOOP)').raw()
  return () => (state.get() as [busy: number, pages: number, folded: number])[1]
}

/**
 * Opens a connection that can neither write nor see uncommitted rows.
 * @param cacheKib memory for pages; the system holds them too
 * @throws Error when the file is absent or a link
 */
export function openReader(file: string, cacheKib = hostCacheKib): Connection {
  refuseLinks(file)
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs })
  try {
    setCommon(connection, true)
    connection.pragma(`cache_size = -${cacheKib}`)
    connection.pragma('query_only = ON')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Opens a self-contained file (a backup) read-write without turning it into a WAL database.
 * @throws Error when the path is a link
 */
export function openPlain(file: string): Connection {
  refuseLinks(file)
  return new BetterSqlite3(file, { fileMustExist: true, timeout: busyTimeoutMs })
}

/**
 * Takes the exclusive lock of a lock file for as long as the returned connection is open. The kernel frees it when the
 * process ends in whatever way, so it can never go stale. It waits a little, because two that ask in one moment hold a read
 * lock each while they ask for the whole: without patience each would find the other in its way, and neither got it.
 * @returns null when another process holds the lock for longer than such a moment
 */
export function openExclusive(file: string): Connection | null {
  refuseLinks(file)
  const connection = new BetterSqlite3(file, { timeout: lockPatienceMs })
  try {
    // No journal file: the lock must be had on a full disk too, and nothing is ever written under it.
    connection.pragma('journal_mode = MEMORY')
    connection.exec('BEGIN EXCLUSIVE')
    return connection
  } catch (error) {
    connection.close()
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return null
    throw error
  }
}

/**
 * Keeps the owner of a lock file that cannot be written from coming or finds that one is there.
 * @returns null when another process holds the lock
 */
export function holdShared(file: string): Connection | null {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: lockPatienceMs })
  try {
    connection.exec('BEGIN')
    connection.prepare('SELECT count(*) FROM sqlite_schema').get()
    return connection
  } catch (error) {
    connection.close()
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return null
    throw error
  }
}

/** Fails unless an acknowledged COMMIT on this connection means an fsync of the log. */
export function assertDurable(connection: Connection): void {
  assertSynchronous(connection, synchronousFull)
}

/**
 * Lets a COMMIT return before its log is on disk: whoever writes forces it there (log-sync.ts) before it tells anybody.
 * SQLite still orders the log before the file when it folds the one into the other.
 */
export function leaveSyncToWriter(connection: Connection): void {
  connection.pragma('synchronous = NORMAL')
  assertNormalSync(connection)
}

/** Fails unless the connection orders the log before the file. */
export function assertNormalSync(connection: Connection): void {
  assertSynchronous(connection, synchronousNormal)
}

function assertSynchronous(connection: Connection, expected: number): void {
  const value = connection.pragma('synchronous', { simple: true })
  if (value !== expected) throw new Error(`PRAGMA synchronous is ${String(value)}, expected ${expected}.`)
}

function setCommon(connection: Connection, durable: boolean): void {
  connection.pragma(`synchronous = ${durable ? 'FULL' : 'OFF'}`)
  if (process.platform === 'darwin') {
    connection.pragma('fullfsync = ON')
    connection.pragma('checkpoint_fullfsync = ON')
  }
  connection.pragma('foreign_keys = ON')
  connection.pragma('trusted_schema = OFF')
  connection.pragma('cell_size_check = ON')
  connection.pragma('temp_store = MEMORY')
  connection.pragma(`cache_size = -${hostCacheKib}`)
  registerFunctions(connection)
}

/** Opening through a link would let whoever placed it choose the file (safety rule L4). */
function refuseLinks(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) refuseSpecialFile(path)
}
