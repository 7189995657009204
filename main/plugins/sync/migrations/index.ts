// The ordered list of this plugin's migrations.
import type { Migration } from '#main/kernel/plugin.ts'
import { syncTables } from './0001-sync-tables.ts'
import { metadataDocuments } from './0002-metadata-documents.ts'
import { keptAside } from './0003-kept-aside.ts'
import { shutOut } from './0004-shut-out.ts'
import { toldPlace } from './0005-told-place.ts'
import { unpairedSince } from './0006-unpaired-since.ts'

/** In order; released entries never change. */
export const syncMigrations: readonly Migration[] = [
  syncTables,
  metadataDocuments,
  keptAside,
  shutOut,
  toldPlace,
  unpairedSince,
]
