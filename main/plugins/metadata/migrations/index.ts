// The migrations of the metadata plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { itemsAndHistory } from './0001-items-and-history.ts'
import { overlaysAndDrafts } from './0002-overlays-and-drafts.ts'

/** Append only; released steps never change. */
export const metadataMigrations: readonly Migration[] = [itemsAndHistory, overlaysAndDrafts]
