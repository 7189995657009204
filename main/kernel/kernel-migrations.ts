// The kernel's own tables, in the order they were released. The migrator treats them like a plugin's.
import { answerKeyTable, answerTable } from './answer-store.ts'
import { jobTable } from './job-store.ts'
import { outboxTables } from './outbox-store.ts'
import type { Migration } from './plugin.ts'
import { userTable } from './user-store.ts'

/** Migrations of the pseudo plugin `kernel`; released steps are frozen. */
export const kernelMigrations: readonly Migration[] = [outboxTables, jobTable, answerTable, answerKeyTable, userTable]
