// Webhooks, their deliveries, receivers, and the messages receivers have had. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * Instants are milliseconds. `secrets` and `params` are sealed JSON. `next_attempt_at` is null for a delivery that has ended;
 * `is_purged` says that its record is gone for good, so that its content goes with its end.
 */
export const tables: Migration = {
  number: 1,
  name: 'tables',
  sql: `
    CREATE TABLE webhooks_webhook (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      organization_id TEXT,
      definition TEXT NOT NULL,
      secrets TEXT NOT NULL,
      failing_since INTEGER,
      created_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE webhooks_delivery (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      webhook_id TEXT NOT NULL REFERENCES webhooks_webhook (id) ON DELETE CASCADE,
      event_id TEXT NOT NULL,
      trigger TEXT NOT NULL,
      object TEXT,
      record_id TEXT,
      status TEXT NOT NULL,
      attempts TEXT NOT NULL DEFAULT '[]',
      request TEXT,
      body TEXT,
      response_body TEXT,
      next_attempt_at INTEGER,
      is_purged INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      UNIQUE (webhook_id, event_id)
    ) STRICT;
    CREATE INDEX webhooks_delivery_due ON webhooks_delivery (next_attempt_at, seq) WHERE next_attempt_at IS NOT NULL;
    CREATE INDEX webhooks_delivery_of ON webhooks_delivery (webhook_id, seq);
    CREATE INDEX webhooks_delivery_record ON webhooks_delivery (record_id) WHERE record_id IS NOT NULL;
    CREATE INDEX webhooks_delivery_age ON webhooks_delivery (created_at);
    CREATE TABLE webhooks_receiver (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      path TEXT NOT NULL UNIQUE,
      organization_id TEXT,
      definition TEXT NOT NULL,
      params TEXT NOT NULL,
      created_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE webhooks_message (
      receiver_id TEXT NOT NULL REFERENCES webhooks_receiver (id) ON DELETE CASCADE,
      message_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (receiver_id, message_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX webhooks_message_at ON webhooks_message (at);
  `,
}
