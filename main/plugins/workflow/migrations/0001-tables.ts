// Approvals with who decides them, and the changes of states. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * `object` is the uid of an object, which no rename changes. `escalate_at` is in milliseconds and null once nothing is due.
 * `locks` says that others may not write the record while the approval is pending.
 */
export const tables: Migration = {
  number: 1,
  name: 'tables',
  sql: `
    CREATE TABLE workflow_approval (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      workflow TEXT,
      transition TEXT,
      flow_run_id TEXT,
      flow_node_id TEXT,
      flow_key TEXT,
      organization_id TEXT,
      submitter_id TEXT NOT NULL,
      comment TEXT,
      definition TEXT NOT NULL,
      locks INTEGER NOT NULL,
      status TEXT NOT NULL,
      decisions TEXT NOT NULL DEFAULT '[]',
      escalate_at INTEGER,
      created_at TEXT NOT NULL,
      decided_at TEXT
    ) STRICT;
    CREATE INDEX workflow_approval_record ON workflow_approval (record_id, status);
    CREATE INDEX workflow_approval_lock ON workflow_approval (object, record_id) WHERE status = 'pending' AND locks = 1;
    CREATE INDEX workflow_approval_run ON workflow_approval (flow_run_id) WHERE flow_run_id IS NOT NULL;
    CREATE INDEX workflow_approval_due ON workflow_approval (escalate_at) WHERE escalate_at IS NOT NULL;
    CREATE INDEX workflow_approval_submitter ON workflow_approval (submitter_id, seq);
    CREATE TABLE workflow_approver (
      approval_id TEXT NOT NULL REFERENCES workflow_approval (id) ON DELETE CASCADE,
      user_id TEXT NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (approval_id, user_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX workflow_approver_user ON workflow_approver (user_id, approval_id);
    CREATE TABLE workflow_change (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      workflow TEXT NOT NULL,
      from_state TEXT,
      to_state TEXT,
      action TEXT NOT NULL,
      user_id TEXT NOT NULL,
      at TEXT NOT NULL,
      comment TEXT,
      approvers TEXT
    ) STRICT;
    CREATE INDEX workflow_change_record ON workflow_change (record_id, workflow, seq);
  `,
}
