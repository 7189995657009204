// The ordered list of this plugin's migrations.
import type { Migration } from '#main/kernel/plugin.ts'
import { importJobTables } from './0001-import-jobs.ts'
import { importRecordTable } from './0002-import-records.ts'

/** In order; released entries never change. */
export const importMigrations: readonly Migration[] = [importJobTables, importRecordTable]
