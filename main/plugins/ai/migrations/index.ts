// The migrations of the ai plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { tables } from './0001-tables.ts'

/** Append only; released steps never change. */
export const aiMigrations: readonly Migration[] = [tables]
