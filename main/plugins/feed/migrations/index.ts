// The migrations of the feed plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { feedTables } from './0001-feed-tables.ts'
import { causes } from './0002-causes.ts'

/** Append only; released steps never change. */
export const feedMigrations: readonly Migration[] = [feedTables, causes]
