// Which request a fact came from, and which event caused it (D-206). Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Null for facts of before; `cause_event_id` and `depth` for what a person or program did by itself. */
export const causes: Migration = {
  number: 2,
  name: 'causes',
  sql: `
    ALTER TABLE feed_fact ADD COLUMN request_id TEXT;
    ALTER TABLE feed_fact ADD COLUMN cause_event_id INTEGER;
    ALTER TABLE feed_fact ADD COLUMN depth INTEGER;
  `,
}
