// The tables of items and of their history. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Items by type and name; history as one hash chain per item. */
export const itemsAndHistory: Migration = {
  number: 1,
  name: 'items-and-history',
  sql: `
    CREATE TABLE metadata_item (
      type TEXT NOT NULL,
      name TEXT NOT NULL,
      uid TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('draft', 'active', 'archived', 'deprecated')),
      version INTEGER NOT NULL CHECK (version >= 1),
      item TEXT NOT NULL,
      package_id TEXT,
      namespace TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      PRIMARY KEY (type, name)
    ) STRICT;
    CREATE UNIQUE INDEX metadata_item_uid ON metadata_item (type, uid);
    CREATE TABLE metadata_history (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      op TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete', 'state', 'overlay')),
      type TEXT NOT NULL,
      name TEXT NOT NULL,
      uid TEXT NOT NULL,
      version INTEGER NOT NULL,
      hash TEXT NOT NULL,
      parent_hash TEXT,
      actor TEXT NOT NULL,
      message TEXT,
      ts TEXT NOT NULL,
      source TEXT NOT NULL,
      item TEXT
    ) STRICT;
    CREATE INDEX metadata_history_name ON metadata_history (type, name, seq);
    CREATE INDEX metadata_history_uid ON metadata_history (type, uid, seq);
  `,
}
