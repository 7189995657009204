// The table of search indexes. The indexes themselves are made and dropped with the objects they belong to.
import type { Migration } from '#main/kernel/plugin.ts'

/** One row per searchable object. */
export const indexRegistry: Migration = {
  number: 1,
  name: 'index-registry',
  sql: `
    CREATE TABLE search_index (
      object_uid TEXT PRIMARY KEY,
      object TEXT NOT NULL,
      object_table TEXT NOT NULL,
      hash TEXT NOT NULL,
      columns TEXT NOT NULL,
      built_to INTEGER
    ) STRICT;
  `,
}
