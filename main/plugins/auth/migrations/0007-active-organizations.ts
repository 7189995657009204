// Which organization somebody works in, and what switching organizations on and off remembers. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** The organization last worked in, while the user is in it; else the one joined first. `userId` is SQL. */
const homeOf = (userId: string): string => `(
    SELECT m.organizationId FROM auth_member m
    LEFT JOIN auth_last_organization l ON l.user_id = m.userId AND l.organization_id = m.organizationId
    WHERE m.userId = ${userId} ORDER BY l.user_id IS NULL, m.createdAt, m.id LIMIT 1)`

/**
 * A session works in the home of its user from its beginning, in the first organization joined later, and in another one
 * when its own is left; '' stands for none, by choice. Triggers see to it, because the library writes sessions and
 * members in many ways. `auth_organization_switch`: one row once organizations were on, with the organization that holds
 * what was there; `off_since` is null while they are on. An API key works where it was made.
 */
export const activeOrganizations: Migration = {
  number: 7,
  name: 'active-organizations',
  sql: `
    CREATE TABLE auth_last_organization (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES auth_user (id) ON DELETE CASCADE,
      organization_id TEXT NOT NULL REFERENCES auth_organization (id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX auth_last_organization_organization ON auth_last_organization (organization_id);
    CREATE TABLE auth_organization_switch (
      only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
      organization_id TEXT NOT NULL,
      off_since TEXT
    ) STRICT;
    ALTER TABLE auth_key ADD COLUMN organization_id TEXT;
    CREATE TRIGGER auth_session_begun AFTER INSERT ON auth_session WHEN new.activeOrganizationId IS NULL BEGIN
      UPDATE auth_session SET activeOrganizationId = ${homeOf('new.userId')} WHERE id = new.id;
    END;
    CREATE TRIGGER auth_session_without AFTER UPDATE OF activeOrganizationId ON auth_session
    WHEN new.activeOrganizationId IS NULL AND old.activeOrganizationId IS NOT NULL BEGIN
      UPDATE auth_session SET activeOrganizationId = ${homeOf('new.userId')} WHERE id = new.id;
    END;
    CREATE TRIGGER auth_session_moved AFTER UPDATE OF activeOrganizationId ON auth_session
    WHEN new.activeOrganizationId <> '' AND new.impersonatedBy IS NULL BEGIN
      INSERT INTO auth_last_organization (user_id, organization_id)
      SELECT u.id, o.id FROM auth_user u, auth_organization o WHERE u.id = new.userId AND o.id = new.activeOrganizationId
      ON CONFLICT (user_id) DO UPDATE SET organization_id = excluded.organization_id;
    END;
    CREATE TRIGGER auth_member_joined AFTER INSERT ON auth_member BEGIN
      UPDATE auth_session SET activeOrganizationId = new.organizationId
      WHERE userId = new.userId AND activeOrganizationId IS NULL;
    END;
    CREATE TRIGGER auth_member_left AFTER DELETE ON auth_member BEGIN
      DELETE FROM auth_last_organization WHERE user_id = old.userId AND organization_id = old.organizationId;
      UPDATE auth_session SET activeOrganizationId = ${homeOf('old.userId')}
      WHERE userId = old.userId AND activeOrganizationId = old.organizationId;
    END;
    UPDATE auth_session SET activeOrganizationId = ${homeOf('auth_session.userId')} WHERE activeOrganizationId IS NULL;
  `,
}
