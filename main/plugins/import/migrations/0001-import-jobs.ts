// Tables of the import jobs: the jobs with their progress, and what became of their rows, slice by slice.
import type { Migration } from '#main/kernel/plugin.ts'

/** Jobs and results. */
export const importJobTables: Migration = {
  number: 1,
  name: 'import-jobs',
  sql: `
    CREATE TABLE import_job (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      object TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled', 'undone')),
      phase TEXT NOT NULL CHECK (phase IN ('import', 'undo')),
      paused INTEGER NOT NULL DEFAULT 0,
      options TEXT NOT NULL,
      caller TEXT NOT NULL,
      actor_id TEXT NOT NULL,
      total INTEGER NOT NULL,
      processed INTEGER NOT NULL DEFAULT 0,
      position INTEGER NOT NULL DEFAULT 0,
      created INTEGER NOT NULL DEFAULT 0,
      updated INTEGER NOT NULL DEFAULT 0,
      skipped INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0,
      undo_before INTEGER,
      undo_processed INTEGER NOT NULL DEFAULT 0,
      undo_purged INTEGER NOT NULL DEFAULT 0,
      undo_restored INTEGER NOT NULL DEFAULT 0,
      undo_kept INTEGER NOT NULL DEFAULT 0,
      error TEXT,
      created_at TEXT NOT NULL,
      started_at TEXT,
      completed_at TEXT
    ) STRICT;

    CREATE INDEX import_job_state ON import_job (status, seq);

    CREATE TABLE import_slice (
      job INTEGER NOT NULL,
      first_row INTEGER NOT NULL,
      last_row INTEGER NOT NULL,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      skipped INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      kept INTEGER NOT NULL,
      outcomes TEXT NOT NULL,
      PRIMARY KEY (job, first_row)
    ) STRICT;
  `,
}
