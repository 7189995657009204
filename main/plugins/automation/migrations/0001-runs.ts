// The tables of flows' runs. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * Instants are ISO texts. A run carries what it started with; `automation_definition` holds each version runs started
 * with, so that a flow may change meanwhile. A step that ended keeps in `memo` what the run goes on with after a restart,
 * beside `input` and `output`, which are shown. An event starts a flow once: (flow_uid, event_id) is unique.
 */
export const runs: Migration = {
  number: 1,
  name: 'runs',
  sql: `
    CREATE TABLE automation_key (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE automation_flow (
      name TEXT PRIMARY KEY,
      enabled INTEGER NOT NULL DEFAULT 1,
      saved_by TEXT,
      saved_organization TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE automation_definition (
      flow_uid TEXT NOT NULL,
      version INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (flow_uid, version)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE automation_run (
      id TEXT PRIMARY KEY,
      flow_uid TEXT NOT NULL,
      flow_name TEXT NOT NULL,
      flow_version INTEGER NOT NULL,
      status TEXT NOT NULL,
      trigger_type TEXT NOT NULL,
      object TEXT,
      record_id TEXT,
      event TEXT,
      user_id TEXT,
      event_id INTEGER,
      run_as TEXT NOT NULL,
      caller TEXT NOT NULL,
      input TEXT NOT NULL,
      variables TEXT NOT NULL,
      output TEXT,
      error TEXT,
      attempt INTEGER NOT NULL DEFAULT 1,
      parent_run_id TEXT,
      parent_key TEXT,
      lock_key TEXT NOT NULL,
      depth INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      started_at TEXT,
      completed_at TEXT,
      active_ms INTEGER NOT NULL DEFAULT 0,
      resume_at TEXT
    ) STRICT;
    CREATE INDEX automation_run_flow ON automation_run (flow_uid, id);
    CREATE INDEX automation_run_open ON automation_run (status, id)
      WHERE status IN ('pending', 'running', 'paused', 'retrying');
    CREATE INDEX automation_run_done ON automation_run (completed_at) WHERE completed_at IS NOT NULL;
    CREATE INDEX automation_run_record ON automation_run (record_id) WHERE record_id IS NOT NULL;
    CREATE UNIQUE INDEX automation_run_event ON automation_run (flow_uid, event_id) WHERE event_id IS NOT NULL;
    CREATE UNIQUE INDEX automation_run_parent ON automation_run (parent_run_id, parent_key)
      WHERE parent_run_id IS NOT NULL;
    CREATE TABLE automation_step (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      run_id TEXT NOT NULL REFERENCES automation_run (id) ON DELETE CASCADE,
      key TEXT NOT NULL,
      node_id TEXT NOT NULL,
      node_type TEXT NOT NULL,
      node_label TEXT NOT NULL,
      status TEXT NOT NULL,
      started_at TEXT NOT NULL,
      completed_at TEXT,
      input TEXT,
      output TEXT,
      error TEXT,
      retry_attempt INTEGER NOT NULL DEFAULT 0,
      iteration INTEGER,
      memo TEXT,
      wait TEXT,
      resume_at TEXT,
      signal TEXT,
      is_superseded INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX automation_step_run ON automation_step (run_id, seq);
    CREATE INDEX automation_step_due ON automation_step (resume_at) WHERE status = 'waiting';
    CREATE INDEX automation_step_signal ON automation_step (signal) WHERE status = 'waiting';
    CREATE TABLE automation_mention (
      record_id TEXT NOT NULL,
      run_id TEXT NOT NULL REFERENCES automation_run (id) ON DELETE CASCADE,
      PRIMARY KEY (record_id, run_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX automation_mention_run ON automation_mention (run_id);
    CREATE TABLE automation_schedule (
      flow_name TEXT PRIMARY KEY,
      definition TEXT NOT NULL,
      next_run_at TEXT,
      last_run_at TEXT,
      total_runs INTEGER NOT NULL DEFAULT 0,
      consecutive_failures INTEGER NOT NULL DEFAULT 0,
      is_paused INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
  `,
}
