// The migrations of the settings plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { optionTable } from './0001-option-table.ts'

/** Append only; released steps never change. */
export const settingsMigrations: readonly Migration[] = [optionTable]
