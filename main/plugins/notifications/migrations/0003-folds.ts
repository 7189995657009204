// Notifications of what one act did to many records. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * `fold` names the act, null for what is never gathered. A part is one record of a gathered notification; `fields` holds
 * the uids of those that changed, as JSON. Parts leave with their notification.
 */
export const folds: Migration = {
  number: 3,
  name: 'folds',
  sql: `
    ALTER TABLE notifications_item ADD COLUMN fold TEXT;
    CREATE INDEX notifications_item_fold ON notifications_item (user_id, fold)
      WHERE fold IS NOT NULL AND read_at IS NULL;
    CREATE TABLE notifications_part (
      item_id TEXT NOT NULL REFERENCES notifications_item (id) ON DELETE CASCADE,
      record_id TEXT NOT NULL,
      fields TEXT NOT NULL,
      PRIMARY KEY (item_id, record_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX notifications_part_record ON notifications_part (record_id);
  `,
}
