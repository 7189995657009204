// Keeps the people that queries see in line with the accounts. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Whoever leaves keeps a row marked as deleted: ids of theirs in records then stay ids (D-87). */
export const directory: Migration = {
  number: 4,
  name: 'directory',
  sql: `
    CREATE TRIGGER auth_user_added AFTER INSERT ON auth_user BEGIN
      INSERT INTO _user (id, created_at, updated_at, name, username, email, image)
      VALUES (new.id, new.createdAt, new.updatedAt, new.name, new.username, new.email, new.image)
      ON CONFLICT (id) DO UPDATE SET deleted_at = NULL, updated_at = new.updatedAt, name = new.name,
        username = new.username, email = new.email, image = new.image;
    END;
    CREATE TRIGGER auth_user_changed AFTER UPDATE OF name, username, email, image ON auth_user BEGIN
      UPDATE _user SET updated_at = new.updatedAt, name = new.name, username = new.username, email = new.email,
        image = new.image WHERE id = new.id;
    END;
    CREATE TRIGGER auth_user_left AFTER DELETE ON auth_user BEGIN
      UPDATE _user SET deleted_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = old.id;
    END;
  `,
}
