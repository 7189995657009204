// Finds the slices that keep values of a record, so that its purge reaches them.
import type { Migration } from '#main/kernel/plugin.ts'

/** Records of which slices keep earlier values or a digest. */
export const importRecordTable: Migration = {
  number: 2,
  name: 'import-records',
  sql: `
    CREATE TABLE import_record (
      job INTEGER NOT NULL,
      first_row INTEGER NOT NULL,
      record_id TEXT NOT NULL,
      PRIMARY KEY (job, first_row, record_id)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX import_record_id ON import_record (record_id);

    INSERT OR IGNORE INTO import_record (job, first_row, record_id)
    SELECT s.job, s.first_row, json_extract(o.value, '$.id')
    FROM import_slice AS s, json_each(s.outcomes) AS o
    WHERE json_extract(o.value, '$.id') IS NOT NULL
      AND (json_type(o.value, '$.changes') IS NOT NULL OR json_type(o.value, '$.seal') IS NOT NULL);
  `,
}
