// By whose rights webhooks and receivers work, and what deliveries hold of records. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * `saved_by` is whoever last said what a webhook or receiver does, `made_for` who that was when a delivery was made; `fields`
 * are the uids of the fields a body was made from, null for what was given. `is_purged` is 2 for what is forgotten for good.
 */
export const savers: Migration = {
  number: 3,
  name: 'savers',
  sql: `
    ALTER TABLE webhooks_webhook ADD COLUMN saved_by TEXT NOT NULL DEFAULT '';
    UPDATE webhooks_webhook SET saved_by = created_by;
    ALTER TABLE webhooks_receiver ADD COLUMN saved_by TEXT NOT NULL DEFAULT '';
    UPDATE webhooks_receiver SET saved_by = created_by;
    ALTER TABLE webhooks_delivery ADD COLUMN made_for TEXT NOT NULL DEFAULT '';
    UPDATE webhooks_delivery SET made_for =
      (SELECT saved_by FROM webhooks_webhook WHERE webhooks_webhook.id = webhooks_delivery.webhook_id);
    ALTER TABLE webhooks_delivery ADD COLUMN fields TEXT;
    UPDATE webhooks_delivery SET body = NULL, request = NULL, response_body = NULL, is_purged = 2, next_attempt_at = NULL,
      status = CASE WHEN next_attempt_at IS NULL THEN status ELSE 'dead' END WHERE is_purged = 1;
    CREATE TABLE webhooks_mention (
      record_id TEXT NOT NULL,
      delivery_id TEXT NOT NULL REFERENCES webhooks_delivery (id) ON DELETE CASCADE,
      PRIMARY KEY (record_id, delivery_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX webhooks_mention_delivery ON webhooks_mention (delivery_id);
  `,
}
