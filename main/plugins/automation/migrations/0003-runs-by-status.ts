// Runs of a flow are counted by status without being read. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Puts the status into the index of a flow's runs. */
export const runsByStatus: Migration = {
  number: 3,
  name: 'runs-by-status',
  sql: `
    DROP INDEX automation_run_flow;
    CREATE INDEX automation_run_flow ON automation_run (flow_uid, id, status);
  `,
}
