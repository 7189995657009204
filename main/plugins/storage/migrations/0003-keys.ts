// Which narrowed key a file was uploaded with. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `key_id` is the API key narrowed to permission sets that uploaded a file, or brings one; null: none. */
export const keys: Migration = {
  number: 3,
  name: 'keys',
  sql: `
    ALTER TABLE storage_file ADD COLUMN key_id TEXT;
    ALTER TABLE storage_upload ADD COLUMN key_id TEXT;
  `,
}
