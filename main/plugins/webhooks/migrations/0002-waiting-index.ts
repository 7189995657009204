// Deliveries that wait, in their order: what has ended, of which there is far more, is not gone through to find them.
// Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** With all that is asked of them, so that a row is read only to be sent. */
export const waitingIndex: Migration = {
  number: 2,
  name: 'waiting-index',
  sql: `
    CREATE INDEX webhooks_delivery_waiting ON webhooks_delivery (seq, next_attempt_at, webhook_id)
      WHERE next_attempt_at IS NOT NULL;
  `,
}
