// Packages, uploaded archives, snapshots, what was seeded, and trusted keys. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * Instants are ISO 8601. `settings` is sealed JSON, null for none; `states` are the states of items while a package is
 * disabled. `packages_seed.seeded` are the values a record had when the package last wrote it.
 */
export const tables: Migration = {
  number: 1,
  name: 'tables',
  sql: `
    CREATE TABLE packages_package (
      id TEXT NOT NULL PRIMARY KEY,
      namespace TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      version TEXT NOT NULL,
      previous_version TEXT,
      manifest TEXT NOT NULL,
      status TEXT NOT NULL,
      trust TEXT NOT NULL,
      public_key TEXT,
      artifact_ref TEXT,
      settings TEXT,
      states TEXT NOT NULL DEFAULT '{}',
      seeded_version TEXT,
      history TEXT NOT NULL DEFAULT '[]',
      error_message TEXT,
      installed_at TEXT NOT NULL,
      installed_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      status_changed_at TEXT NOT NULL
    ) STRICT;
    CREATE TABLE packages_artifact (
      ref TEXT NOT NULL PRIMARY KEY,
      package_id TEXT NOT NULL,
      version TEXT NOT NULL,
      format TEXT NOT NULL,
      size INTEGER NOT NULL,
      manifest TEXT NOT NULL,
      release_notes TEXT,
      uploaded_at TEXT NOT NULL,
      uploaded_by TEXT NOT NULL,
      UNIQUE (package_id, version)
    ) STRICT;
    CREATE TABLE packages_snapshot (
      id TEXT NOT NULL PRIMARY KEY,
      package_id TEXT NOT NULL,
      from_version TEXT NOT NULL,
      to_version TEXT NOT NULL,
      content TEXT NOT NULL,
      backups TEXT NOT NULL DEFAULT '[]',
      size INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      expires_at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX packages_snapshot_package ON packages_snapshot (package_id, created_at);
    CREATE TABLE packages_seed (
      package_id TEXT NOT NULL,
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      seeded TEXT NOT NULL,
      PRIMARY KEY (package_id, object, record_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE packages_key (
      key_id TEXT NOT NULL PRIMARY KEY,
      public_key TEXT NOT NULL,
      label TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      revoked_at TEXT
    ) STRICT;
  `,
}
