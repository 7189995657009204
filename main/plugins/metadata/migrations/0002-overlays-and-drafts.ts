// The tables of overlays and of drafts beside published items. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Overlays by item, scope and owner ('' for the platform's); drafts by item; whether an item was ever active. */
export const overlaysAndDrafts: Migration = {
  number: 2,
  name: 'overlays-and-drafts',
  sql: `
    ALTER TABLE metadata_item ADD COLUMN published INTEGER NOT NULL DEFAULT 1 CHECK (published IN (0, 1));
    CREATE TABLE metadata_overlay (
      id TEXT PRIMARY KEY,
      base_type TEXT NOT NULL,
      base_name TEXT NOT NULL,
      package_id TEXT,
      scope TEXT NOT NULL CHECK (scope IN ('platform', 'user')),
      owner TEXT NOT NULL CHECK ((scope = 'platform') = (owner = '')),
      patch TEXT NOT NULL,
      changes TEXT NOT NULL,
      active INTEGER NOT NULL CHECK (active IN (0, 1)),
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX metadata_overlay_base ON metadata_overlay (base_type, base_name, owner);
    CREATE TABLE metadata_draft (
      type TEXT NOT NULL,
      name TEXT NOT NULL,
      item TEXT NOT NULL,
      base_hash TEXT NOT NULL,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      PRIMARY KEY (type, name)
    ) STRICT;
  `,
}
