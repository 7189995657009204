// The table of audit entries and the keys of their chain. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * One row per entry, in the order of the chain. The triggers refuse every change but adding at the end and removing a
 * beginning that a stored cut names. A replacing INSERT fires no DELETE trigger, hence the first one.
 */
export const entries: Migration = {
  number: 1,
  name: 'entries',
  sql: `
    CREATE TABLE audit_entry (
      seq INTEGER PRIMARY KEY,
      at TEXT NOT NULL,
      kind TEXT NOT NULL,
      outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'denied', 'failed')),
      actor_type TEXT NOT NULL,
      actor_id TEXT NOT NULL,
      real_user_id TEXT,
      credential TEXT,
      credential_digest TEXT,
      organization_id TEXT,
      object TEXT,
      item_type TEXT,
      item_name TEXT,
      record_id TEXT,
      details TEXT NOT NULL,
      request_id TEXT NOT NULL,
      source TEXT NOT NULL,
      prev TEXT NOT NULL,
      hash TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_entry_kind ON audit_entry (kind, seq);
    CREATE INDEX audit_entry_actor ON audit_entry (actor_id, seq);
    CREATE INDEX audit_entry_object ON audit_entry (object, seq) WHERE object IS NOT NULL;
    CREATE INDEX audit_entry_at ON audit_entry (at);
    CREATE TABLE audit_key (
      number INTEGER PRIMARY KEY,
      first_seq INTEGER NOT NULL,
      sealed TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER audit_entry_append BEFORE INSERT ON audit_entry
      WHEN NEW.seq <= (SELECT max(seq) FROM audit_entry)
      BEGIN SELECT RAISE(ABORT, 'audit entries are only added at the end'); END;
    CREATE TRIGGER audit_entry_update BEFORE UPDATE ON audit_entry
      BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END;
    CREATE TRIGGER audit_entry_delete BEFORE DELETE ON audit_entry
      WHEN NOT EXISTS (
        SELECT 1 FROM audit_entry WHERE kind = 'audit.cut' AND json_extract(details, '$.through') >= OLD.seq
      )
      BEGIN SELECT RAISE(ABORT, 'audit entries are removed by a recorded cut only'); END;
  `,
}
