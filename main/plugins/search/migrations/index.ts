// The migrations of the search plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { indexRegistry } from './0001-index-registry.ts'

/** Append only; released steps never change. */
export const searchMigrations: readonly Migration[] = [indexRegistry]
