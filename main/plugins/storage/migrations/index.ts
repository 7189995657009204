// The migrations of the storage plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { tables } from './0001-tables.ts'
import { elsewhere } from './0002-elsewhere.ts'
import { keys } from './0003-keys.ts'
import { kept } from './0004-kept.ts'

/** Append only; released steps never change. */
export const storageMigrations: readonly Migration[] = [tables, elsewhere, keys, kept]
