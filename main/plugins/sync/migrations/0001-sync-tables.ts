// The tables of sync: the workspace, its log, its documents, and what people have to decide. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * `sync_env` is the log of every incarnation, own and others', as it travels; `sync_head` the signed ends of runs in it.
 * `sync_inc` holds per incarnation how far the log is stored without a gap, how far it is applied, and the hash of the
 * chain there. `sync_doc` holds merged documents; a row without state is one whose rows are not converted yet.
 */
export const syncTables: Migration = {
  number: 1,
  name: 'sync-tables',
  sql: `
    CREATE TABLE sync_workspace (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      ws BLOB NOT NULL,
      epoch INTEGER NOT NULL,
      device TEXT NOT NULL,
      inc INTEGER NOT NULL,
      boot_counter INTEGER NOT NULL,
      hlc TEXT NOT NULL,
      state TEXT NOT NULL,
      founder INTEGER NOT NULL,
      genesis TEXT NOT NULL,
      settings TEXT NOT NULL
    ) STRICT;
    CREATE TABLE sync_inc (
      inc INTEGER PRIMARY KEY,
      device TEXT NOT NULL,
      stored_seq INTEGER NOT NULL,
      applied_seq INTEGER NOT NULL,
      chain BLOB NOT NULL,
      head_seq INTEGER NOT NULL,
      head_bytes INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE sync_env (
      inc INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      seal INTEGER NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (inc, seq)
    ) STRICT;
    CREATE TABLE sync_head (
      inc INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      hash BLOB NOT NULL,
      sig BLOB NOT NULL,
      PRIMARY KEY (inc, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sync_doc (
      doc INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      name_hash BLOB NOT NULL,
      bucket INTEGER NOT NULL,
      state BLOB NOT NULL,
      crc INTEGER NOT NULL,
      lhash BLOB NOT NULL,
      flags INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sync_doc_bucket ON sync_doc (bucket);
    CREATE INDEX sync_doc_flags ON sync_doc (flags) WHERE flags <> 0;
    CREATE TABLE sync_conflict (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      doc TEXT NOT NULL,
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      field TEXT NOT NULL,
      winner TEXT NOT NULL,
      losers TEXT NOT NULL,
      base TEXT,
      state TEXT NOT NULL,
      found_at TEXT NOT NULL,
      resolved_by TEXT,
      resolved_at TEXT,
      resolution TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sync_conflict_record ON sync_conflict (object, record_id, field);
    CREATE INDEX sync_conflict_state ON sync_conflict (state, found_at, id);
    CREATE TABLE sync_problem (
      inc INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      kind TEXT NOT NULL,
      reason TEXT NOT NULL,
      detail TEXT NOT NULL,
      doc TEXT NOT NULL,
      since TEXT NOT NULL,
      PRIMARY KEY (inc, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sync_peer (
      peer TEXT PRIMARY KEY,
      acked BLOB NOT NULL,
      last_seen_at TEXT,
      address TEXT,
      paused INTEGER NOT NULL,
      clock_offset INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
