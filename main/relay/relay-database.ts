// The relay's file and its tables. Knows rows; not who may write them, and nothing of what an envelope holds.
import { openExclusive, openWriter } from '#main/database/open.ts'
import type { Connection } from '#main/database/open.ts'

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
