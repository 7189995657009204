// The migrations of the notifications plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { inbox } from './0001-inbox.ts'
import { quotes } from './0002-quotes.ts'

/** Append only; released steps never change. */
export const notificationMigrations: readonly Migration[] = [inbox, quotes]
