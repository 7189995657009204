// The kernel's own tables, in the order they were released. The migrator treats them like a plugin's.
import { answerKeyTable, answerTable } from './answer-store.ts'
import { jobTable } from './jobs.ts'
import { outboxTables } from './outbox.ts'
import type { Migration } from './plugin.ts'
import { userTable } from './user-table.ts'

/** Migrations of the pseudo plugin `kernel`; released steps are frozen. */
export const kernelMigrations: readonly Migration[] = [outboxTables, jobTable, answerTable, answerKeyTable, userTable]
