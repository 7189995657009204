// The tables of accounts that are Cairn's own: API keys, counters of attempts, undelivered mail.
// Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Instants are milliseconds; `digest` is SHA-256 as base64url. */
export const ownTables: Migration = {
  number: 3,
  name: 'own-tables',
  sql: `
    CREATE TABLE auth_key (
      id TEXT NOT NULL PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      prefix TEXT NOT NULL,
      digest TEXT NOT NULL UNIQUE,
      permission_sets TEXT,
      read_only INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      expires_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX auth_key_user ON auth_key (user_id);
    CREATE TABLE auth_attempt (
      key TEXT NOT NULL PRIMARY KEY,
      tokens REAL NOT NULL,
      at INTEGER NOT NULL,
      failures INTEGER NOT NULL,
      locked_until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX auth_attempt_at ON auth_attempt (at);
    CREATE TABLE auth_mail (
      id TEXT NOT NULL PRIMARY KEY,
      recipient TEXT NOT NULL,
      kind TEXT NOT NULL,
      content TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
