// What triggers did: one row per action and event.
import type { Migration } from '#main/kernel/plugin.ts'

/** The runs of triggers, newest event last. */
export const triggerRuns: Migration = {
  number: 4,
  name: 'trigger-runs',
  sql: `
    CREATE TABLE data_trigger_run (
      event_id INTEGER NOT NULL,
      trigger_name TEXT NOT NULL,
      action INTEGER NOT NULL,
      action_type TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('done', 'failed', 'skipped')),
      error TEXT,
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      caller TEXT NOT NULL,
      at TEXT NOT NULL,
      PRIMARY KEY (event_id, trigger_name, action)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX data_trigger_run_trigger ON data_trigger_run (trigger_name, event_id);
    CREATE INDEX data_trigger_run_at ON data_trigger_run (at);
  `,
}
