// Finds the failed runs of a record, whose reasons may quote it.
import type { Migration } from '#main/kernel/plugin.ts'

/** An index over the runs that have a reason. */
export const failedRunsByRecord: Migration = {
  number: 5,
  name: 'failed-runs-by-record',
  sql: `CREATE INDEX data_trigger_run_failed ON data_trigger_run (record_id) WHERE error IS NOT NULL;`,
}
