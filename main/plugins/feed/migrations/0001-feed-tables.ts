// The tables of feeds: facts nobody edits, items people write, and what hangs on either. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * `object` is the object's uid everywhere, so that a rename loses nothing. The keys begin with the record, so that what
 * belongs to it is read together and leaves together.
 */
export const feedTables: Migration = {
  number: 1,
  name: 'feed-tables',
  sql: `
    CREATE TABLE feed_fact (
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      id TEXT NOT NULL,
      at TEXT NOT NULL,
      action TEXT NOT NULL,
      actor_type TEXT NOT NULL,
      actor_id TEXT NOT NULL,
      source TEXT NOT NULL,
      changes TEXT NOT NULL,
      flags INTEGER NOT NULL,
      PRIMARY KEY (object, record_id, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE feed_item (
      number INTEGER PRIMARY KEY,
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      id TEXT NOT NULL,
      type TEXT NOT NULL,
      actor_type TEXT NOT NULL,
      actor_id TEXT NOT NULL,
      source TEXT NOT NULL,
      body TEXT,
      mentions TEXT NOT NULL,
      attachments TEXT NOT NULL,
      data TEXT,
      parent_id TEXT,
      visibility TEXT NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      edited_at TEXT,
      is_deleted INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE UNIQUE INDEX feed_item_place ON feed_item (object, record_id, id);
    CREATE INDEX feed_item_parent ON feed_item (object, record_id, parent_id) WHERE parent_id IS NOT NULL;
    CREATE TABLE feed_reaction (
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      item_id TEXT NOT NULL,
      emoji TEXT NOT NULL,
      user_id TEXT NOT NULL,
      at TEXT NOT NULL,
      PRIMARY KEY (object, record_id, item_id, emoji, user_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE feed_pin (
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      item_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      at TEXT NOT NULL,
      PRIMARY KEY (object, record_id, item_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE feed_star (
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      item_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      at TEXT NOT NULL,
      PRIMARY KEY (object, record_id, item_id, user_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE feed_subscription (
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      id TEXT NOT NULL,
      events TEXT NOT NULL,
      channels TEXT NOT NULL,
      active INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      PRIMARY KEY (object, record_id, user_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE feed_leaving (
      object TEXT PRIMARY KEY
    ) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE feed_word USING fts5(body, content='', tokenize='ascii');
    INSERT INTO feed_word (feed_word, rank) VALUES ('secure-delete', 1);
  `,
}
