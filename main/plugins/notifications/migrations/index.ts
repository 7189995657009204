// The migrations of the notifications plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { inbox } from './0001-inbox.ts'
import { quotes } from './0002-quotes.ts'
import { folds } from './0003-folds.ts'

/** Append only; released steps never change. */
export const notificationMigrations: readonly Migration[] = [inbox, quotes, folds]
