// The table of documented foreign APIs. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** One row per foreign API; `entry` is the JSON of D-197 as it was sent, `seq` the order of registration. */
export const foreignApis: Migration = {
  number: 1,
  name: 'foreign-apis',
  sql: `
    CREATE TABLE registry_api (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      entry TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL
    ) STRICT;
  `,
}
