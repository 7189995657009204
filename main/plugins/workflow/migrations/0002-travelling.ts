// What machines that share approvals and histories need: ids of changes, and what was done here. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * `is_own` says that the approval was asked for on this machine; `last_own_at` is when somebody last decided it on this
 * machine. An id of a change is the same on every machine.
 */
export const travelling: Migration = {
  number: 2,
  name: 'travelling',
  sql: `
    ALTER TABLE workflow_approval ADD COLUMN is_own INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE workflow_approval ADD COLUMN last_own_at TEXT;
    CREATE INDEX workflow_approval_decided ON workflow_approval (last_own_at)
      WHERE status = 'pending' AND last_own_at IS NOT NULL;
    ALTER TABLE workflow_change ADD COLUMN id TEXT;
    UPDATE workflow_change SET id = lower(hex(randomblob(16)));
    CREATE UNIQUE INDEX workflow_change_id ON workflow_change (id);
  `,
}
