// The relay's file, its tables and the statements on them. Knows rows; not who may write them, and nothing of what an
// envelope holds.
import { openExclusive, openWriter } from '#main/database/open.ts'
import type { Connection } from '#main/database/open.ts'
import { runLimitCount } from '#main/replication/wire/limits.ts'

/** The open file of a relay. */
export interface RelayDatabase {
  readonly connection: Connection
  close(): void
}

/** Layout of the file; kept in `user_version`. */
const layoutVersion = 1

// `env.pos` is the order of arrival: what a device had seen before it wrote something arrived before it, mostly, so
// sending in this order seldom brings an envelope before one it depends on. The relay cannot read the stamps.
const tables = `
  CREATE TABLE workspace (
    id INTEGER PRIMARY KEY, ws BLOB NOT NULL UNIQUE, epoch INTEGER NOT NULL, bytes INTEGER NOT NULL, made_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE env (
    pos INTEGER PRIMARY KEY, ws INTEGER NOT NULL REFERENCES workspace, inc INTEGER NOT NULL, seq INTEGER NOT NULL,
    bytes BLOB NOT NULL, UNIQUE (ws, inc, seq)
  ) STRICT;
  CREATE TABLE head (
    ws INTEGER NOT NULL REFERENCES workspace, inc INTEGER NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL,
    sig BLOB NOT NULL, PRIMARY KEY (ws, inc, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE counter (
    ws INTEGER NOT NULL REFERENCES workspace, inc INTEGER NOT NULL, stored INTEGER NOT NULL, headed INTEGER NOT NULL,
    PRIMARY KEY (ws, inc)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE grant (
    ws INTEGER NOT NULL REFERENCES workspace, key BLOB NOT NULL, said_by BLOB NOT NULL, at INTEGER NOT NULL,
    is_revoked INTEGER NOT NULL, PRIMARY KEY (ws, key)
  ) STRICT, WITHOUT ROWID;
`

/**
 * Opens the file for this process alone, and makes it where there is none. An acknowledged commit is on the disk.
 * @throws Error when another process has it open, or it is of a later version
 */
export function openRelayDatabase(file: string): RelayDatabase {
  const lock = openExclusive(`${file}.lock`)
  if (lock === null) throw new Error(`Another relay has ${file} open.`)
  let connection: Connection | undefined
  try {
    connection = openWriter(file)
    prepare(connection, file)
  } catch (error) {
    connection?.close()
    lock.close()
    throw error
  }
  const opened = connection
  return {
    connection: opened,
    close() {
      opened.close()
      lock.close()
    },
  }
}

function prepare(connection: Connection, file: string): void {
  const version = connection.pragma('user_version', { simple: true })
  if (version === layoutVersion) return
  if (version !== 0) throw new Error(`${file} is of version ${String(version)}, which this relay does not know.`)
  connection.transaction(() => {
    connection.exec(tables)
    connection.pragma(`user_version = ${layoutVersion}`)
  })()
}

/** A stored envelope and when it arrived among all others. */
export interface EnvelopeRow {
  readonly pos: number
  readonly seq: number
  readonly bytes: Buffer
}

/** Statements that take runs in; workspaces are named by their number in the file. */
export const writingRuns = {
  insertEnv: 'INSERT INTO env (ws, inc, seq, bytes) VALUES (?, ?, ?, ?)',
  storedEnv: 'SELECT bytes FROM env WHERE ws = ? AND inc = ? AND seq = ?',
  dropAfter: 'DELETE FROM env WHERE ws = ? AND inc = ? AND seq > ?',
  insertHead: 'INSERT INTO head (ws, inc, seq, hash, sig) VALUES (?, ?, ?, ?, ?)',
  storedHead: 'SELECT seq, hash, sig FROM head WHERE ws = ? AND inc = ? AND seq = ?',
  knownKeys: 'SELECT key FROM grant WHERE ws = ? LIMIT 256',
  storedAfter: 'SELECT bytes FROM env WHERE ws = ? AND inc = ? AND seq > ? ORDER BY seq',
  saveCounter: `INSERT INTO counter (ws, inc, stored, headed) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET stored = excluded.stored, headed = excluded.headed`,
  saveBytes: 'UPDATE workspace SET bytes = ? WHERE id = ?',
} as const

/**
 * Statements that read runs back: {@link EnvelopeRow}s and heads. The signs and the written limit keep SQLite from planning
 * anew at every run: with ORDER BY it does so for columns that equal a bare parameter.
 */
export const readingRuns = {
  position: 'SELECT pos FROM env WHERE ws = ? AND inc = ? AND seq = ?',
  rowsAfter: 'SELECT pos, seq, bytes FROM env WHERE ws = +? AND inc = +? AND seq > ? AND seq <= ? ORDER BY seq',
  headsAfter: `SELECT seq, hash, sig FROM head WHERE ws = +? AND inc = +? AND seq > ? ORDER BY seq LIMIT ${runLimitCount}`,
} as const

/** How much is stored of an incarnation of a workspace. */
export interface CounterRow {
  readonly inc: number
  readonly stored: number
  readonly headed: number
}

/** Statements that tell how much there is of a workspace: {@link CounterRow}s, and what no head vouches for. */
export const countingRuns = {
  counters: 'SELECT inc, stored, headed FROM counter WHERE ws = ?',
  open: 'SELECT count(*) AS count, coalesce(sum(length(bytes)), 0) AS bytes FROM env WHERE ws = ? AND inc = ? AND seq > ?',
  total: 'SELECT bytes FROM workspace WHERE id = ?',
} as const

/** A workspace as stored. */
export interface WorkspaceRow {
  readonly id: number
  readonly epoch: number
}

/** The last word about a device. */
export interface GrantRow {
  readonly at: number
  /** 0: it is let in; 2: it is closed out, but takes part. */
  readonly is_revoked: number
}

/** Statements on workspaces and the devices that were let in. */
export const admissions = {
  find: 'SELECT id, epoch FROM workspace WHERE ws = ?',
  insert: 'INSERT INTO workspace (ws, epoch, bytes, made_at) VALUES (?, ?, 0, ?)',
  wordOn: 'SELECT at, is_revoked FROM grant WHERE ws = ? AND key = ?',
  save: `INSERT INTO grant (ws, key, said_by, at, is_revoked) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET said_by = excluded.said_by, at = excluded.at, is_revoked = excluded.is_revoked`,
  admitted: 'SELECT key FROM grant WHERE ws = ? AND is_revoked = 0 ORDER BY key',
} as const
