// The ordered list of this plugin's migrations.
import type { Migration } from '#main/kernel/plugin.ts'
import { dataTables } from './0001-data-tables.ts'
import { effectsByRecord } from './0002-effects-by-record.ts'
import { schemaBackups } from './0003-schema-backups.ts'
import { triggerRuns } from './0004-trigger-runs.ts'
import { failedRunsByRecord } from './0005-failed-runs-by-record.ts'

/** In order; released entries never change. */
export const dataMigrations: readonly Migration[] = [
  dataTables,
  effectsByRecord,
  schemaBackups,
  triggerRuns,
  failedRunsByRecord,
]
