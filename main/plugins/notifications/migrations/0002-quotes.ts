// What notifications and posts quote of records, so that rights can be asked again before they are shown or sent. Frozen
// once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `quotes` is JSON; null for rows of before, which are judged by their record alone. */
export const quotes: Migration = {
  number: 2,
  name: 'quotes',
  sql: `
    ALTER TABLE notifications_item ADD COLUMN quotes TEXT;
    ALTER TABLE notifications_delivery ADD COLUMN quotes TEXT;
    ALTER TABLE notifications_delivery ADD COLUMN organization_id TEXT;
  `,
}
