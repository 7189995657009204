// What users were given, what was shared with whom, and which organization records belong to. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * `permissions_assignment`: one row per user who was given something else than the default. `permissions_share`: one
 * row per record and principal (`user:<id>`, `role:<name>`, `team:<id>`), level 1 read, 2 edit, 3 full.
 * `permissions_record_organization`: filled only while organizations are on. Objects are named by their uid, which
 * stays when they are renamed.
 */
export const assignmentsAndShares: Migration = {
  number: 1,
  name: 'assignments-and-shares',
  sql: `
    CREATE TABLE permissions_assignment (
      user_id TEXT NOT NULL PRIMARY KEY,
      profile TEXT NOT NULL,
      roles TEXT NOT NULL,
      permission_sets TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE permissions_share (
      id TEXT NOT NULL PRIMARY KEY,
      object_uid TEXT NOT NULL,
      record_id TEXT NOT NULL,
      principal TEXT NOT NULL,
      level INTEGER NOT NULL,
      reason TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX permissions_share_record ON permissions_share (object_uid, record_id, principal);
    CREATE INDEX permissions_share_principal ON permissions_share (object_uid, principal, level, record_id);
    CREATE TABLE permissions_record_organization (
      object_uid TEXT NOT NULL,
      record_id TEXT NOT NULL,
      organization_id TEXT NOT NULL,
      PRIMARY KEY (object_uid, record_id)
    ) STRICT;
    CREATE INDEX permissions_organization_record
      ON permissions_record_organization (object_uid, organization_id, record_id);
  `,
}
