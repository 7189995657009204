// Remembers what a key was made for. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Keys made before are for programs of any kind. */
export const keyPurposes: Migration = {
  number: 8,
  name: 'key-purposes',
  sql: `
    ALTER TABLE auth_key ADD COLUMN purpose TEXT;
  `,
}
