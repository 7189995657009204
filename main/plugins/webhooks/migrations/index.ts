// The migrations of the webhooks plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { tables } from './0001-tables.ts'
import { waitingIndex } from './0002-waiting-index.ts'
import { savers } from './0003-savers.ts'

/** Append only; released steps never change. */
export const webhookMigrations: readonly Migration[] = [tables, waitingIndex, savers]
