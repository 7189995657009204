// The tables of notifications: inbox, causes that had theirs, preferences, devices, and what is still to be sent.
// Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * Instants are milliseconds; digests are SHA-256. `in_inbox` is 0 for what waits for a mail of many and is shown nowhere.
 * Addresses of channels and tokens of devices are sealed: whoever has them can write in a person's name.
 */
export const inbox: Migration = {
  number: 1,
  name: 'inbox',
  sql: `
    CREATE TABLE notifications_item (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      user_id TEXT NOT NULL,
      organization_id TEXT,
      type TEXT NOT NULL,
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      data TEXT NOT NULL,
      action_url TEXT,
      object TEXT,
      record_id TEXT,
      in_inbox INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      read_at INTEGER,
      mailed_at INTEGER
    ) STRICT;
    CREATE INDEX notifications_item_user ON notifications_item (user_id, seq);
    CREATE INDEX notifications_item_unread ON notifications_item (user_id, seq, organization_id)
      WHERE read_at IS NULL AND in_inbox = 1;
    CREATE INDEX notifications_item_record ON notifications_item (record_id) WHERE record_id IS NOT NULL;
    CREATE INDEX notifications_item_old ON notifications_item (created_at) WHERE read_at IS NOT NULL OR in_inbox = 0;
    CREATE TABLE notifications_cause (
      user_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (user_id, digest)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX notifications_cause_at ON notifications_cause (at);
    CREATE TABLE notifications_preference (
      user_id TEXT NOT NULL PRIMARY KEY,
      preferences TEXT NOT NULL,
      sealed_urls TEXT NOT NULL,
      digest TEXT NOT NULL,
      digest_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE notifications_device (
      user_id TEXT NOT NULL,
      id TEXT NOT NULL,
      token_digest TEXT NOT NULL UNIQUE,
      sealed_token TEXT NOT NULL,
      platform TEXT NOT NULL,
      name TEXT,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (user_id, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE notifications_delivery (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id TEXT NOT NULL,
      channel TEXT NOT NULL,
      notification TEXT NOT NULL,
      object TEXT,
      record_id TEXT,
      created_at INTEGER NOT NULL,
      next_attempt_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX notifications_delivery_due ON notifications_delivery (next_attempt_at);
    CREATE INDEX notifications_delivery_target ON notifications_delivery (user_id, channel, seq);
    CREATE INDEX notifications_delivery_record ON notifications_delivery (record_id) WHERE record_id IS NOT NULL;
    CREATE TABLE notifications_key (
      name TEXT NOT NULL PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
