// The migrations of the automation plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { runs } from './0001-runs.ts'
import { noKeys } from './0002-no-keys.ts'
import { runsByStatus } from './0003-runs-by-status.ts'

/** Append only; released steps never change. */
export const automationMigrations: readonly Migration[] = [runs, noKeys, runsByStatus]
