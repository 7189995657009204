// The table of what a machine held before it joined a workspace. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Records that are on this machine alone until somebody brings them into the workspace; `object` is a uid, and without a record the definition. */
export const keptAside: Migration = {
  number: 3,
  name: 'kept-aside',
  sql: `
    CREATE TABLE sync_aside (
      object TEXT NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (object, record)
    ) STRICT, WITHOUT ROWID;
  `,
}
