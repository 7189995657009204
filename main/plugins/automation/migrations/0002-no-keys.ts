// Cursors need no key any more. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Drops the table of keys. */
export const noKeys: Migration = { number: 2, name: 'no-keys', sql: 'DROP TABLE automation_key;' }
