// The table of options that differ from their defaults. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** One row per changed option; `value` is JSON, for secrets the sealed text as a JSON string. */
export const optionTable: Migration = {
  number: 1,
  name: 'option-table',
  sql: `
    CREATE TABLE settings_option (
      name TEXT NOT NULL PRIMARY KEY,
      value TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
