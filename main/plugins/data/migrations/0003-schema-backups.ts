// What changes of definitions put aside, with everything needed to bring it back, and computed values still to be filled.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * `kind`: `object` (a whole table, under `table_name`), `field` and `conversion` (columns that stay in the object's table
 * under other names, listed in `columns`), `table` (values a former version copied into `table_name`).
 */
export const schemaBackups: Migration = {
  number: 3,
  name: 'schema-backups',
  sql: `
    ALTER TABLE data_schema_backup ADD COLUMN kind TEXT NOT NULL DEFAULT 'table';
    ALTER TABLE data_schema_backup ADD COLUMN object_uid TEXT;
    ALTER TABLE data_schema_backup ADD COLUMN columns TEXT;
    ALTER TABLE data_schema_backup ADD COLUMN definition TEXT;
    ALTER TABLE data_schema_backup ADD COLUMN expires_at TEXT;
    CREATE INDEX data_schema_backup_object ON data_schema_backup (object_uid);

    CREATE TABLE data_pending_fill (
      object_uid TEXT PRIMARY KEY
    ) STRICT, WITHOUT ROWID;
  `,
}
