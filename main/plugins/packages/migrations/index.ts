// The migrations of the packages plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { tables } from './0001-tables.ts'
import { samples } from './0002-samples.ts'

/** Append only; released steps never change. */
export const packageMigrations: readonly Migration[] = [tables, samples]
