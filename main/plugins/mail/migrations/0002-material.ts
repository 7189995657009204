// Mails whose words are made when they leave. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `material` is what the words are made of; null for mails that have them already. */
export const material: Migration = {
  number: 2,
  name: 'material',
  sql: `ALTER TABLE mail_message ADD COLUMN material TEXT;`,
}
