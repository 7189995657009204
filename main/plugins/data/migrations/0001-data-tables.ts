// Tables of the data plugin beside the object tables: counters, and what deletions did to other records.
import type { Migration } from '#main/kernel/plugin.ts'

/** Counters of autonumber fields, effects of deletions, what schema changes removed, and the key that seals cursors. */
export const dataTables: Migration = {
  number: 1,
  name: 'data-tables',
  sql: `
    CREATE TABLE data_autonumber (
      object_uid TEXT NOT NULL,
      field_uid TEXT NOT NULL,
      next_number INTEGER NOT NULL,
      PRIMARY KEY (object_uid, field_uid)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE data_delete_effect (
      root_object TEXT NOT NULL,
      root_id TEXT NOT NULL,
      effect TEXT NOT NULL CHECK (effect IN ('set_null', 'cascade')),
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      field TEXT NOT NULL,
      PRIMARY KEY (root_id, object, record_id, field)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE data_schema_backup (
      id TEXT PRIMARY KEY,
      object TEXT NOT NULL,
      field TEXT,
      table_name TEXT NOT NULL,
      records INTEGER NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE data_key (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
