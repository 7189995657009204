// Files that are known before their bytes are here. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `home` is the machine a file was uploaded on, by its device id; null: this one, or none of a workspace. */
export const elsewhere: Migration = {
  number: 2,
  name: 'elsewhere',
  sql: `
    ALTER TABLE storage_file ADD COLUMN home TEXT;
    CREATE INDEX storage_file_elsewhere ON storage_file (created_at, id) WHERE status IN ('away', 'lost');
  `,
}
