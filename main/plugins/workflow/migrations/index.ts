// The migrations of the workflow plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { tables } from './0001-tables.ts'
import { travelling } from './0002-travelling.ts'

/** Append only; released steps never change. */
export const workflowMigrations: readonly Migration[] = [tables, travelling]
