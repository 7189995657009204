// The migrations of the mail plugin, in order.
import type { Migration } from '#main/kernel/plugin.ts'
import { messages } from './0001-messages.ts'
import { material } from './0002-material.ts'

/** Append only; released steps never change. */
export const mailMigrations: readonly Migration[] = [messages, material]
