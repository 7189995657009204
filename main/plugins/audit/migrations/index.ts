// The migrations of the audit plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { entries } from './0001-entries.ts'

/** Append only; released steps never change. */
export const auditMigrations: readonly Migration[] = [entries]
