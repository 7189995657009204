// The migrations of the permissions plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { assignmentsAndShares } from './0001-assignments-and-shares.ts'

/** Append only; released steps never change. */
export const permissionsMigrations: readonly Migration[] = [assignmentsAndShares]
