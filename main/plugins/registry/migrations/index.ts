// The migrations of the registry plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { foreignApis } from './0001-foreign-apis.ts'

/** Append only; released steps never change. */
export const registryMigrations: readonly Migration[] = [foreignApis]
