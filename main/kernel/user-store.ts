// The people records belong to, as queries see them. A table of the kernel: accounts write it, records lead to it, and
// both may be there without the other.
import type { Reads } from './database.ts'
import { statement } from './database.ts'
import type { Migration } from './plugin.ts'

/** Has the columns of an object's table, so that queries read it like one; the local owner is in it from the start (D-29). */
export const userTable: Migration = {
  number: 5,
  name: 'user',
  sql: `
    CREATE TABLE _user (
      rowid INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      created_by TEXT,
      updated_by TEXT,
      owner TEXT,
      deleted_at TEXT,
      deleted_by TEXT,
      name TEXT,
      username TEXT,
      email TEXT,
      image TEXT
    ) STRICT;
    INSERT INTO _user (id, created_at, updated_at, name, username)
    SELECT '00000000-0000-7000-8000-000000000001', at, at, 'owner', 'owner'
    FROM (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS at);
  `,
}

/** Somebody of the workspace. */
export interface DirectoryEntry {
  readonly id: string
  readonly name: string | null
  readonly image: string | null
}

/** The people behind ids, those that have not left. */
export function readDirectory(read: Pick<Reads, 'all'>, ids: readonly string[]): DirectoryEntry[] {
  const sql = `SELECT id, coalesce(name, username) AS name, image FROM _user
    WHERE id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL`
  return read.all(statement<DirectoryEntry>(sql, [JSON.stringify(ids)]))
}
