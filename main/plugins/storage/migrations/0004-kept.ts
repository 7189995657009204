// Bytes that stay for a time after their file was deleted. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `until` is when the bytes go, in milliseconds since 1970. */
export const kept: Migration = {
  number: 4,
  name: 'kept',
  sql: `
    CREATE TABLE storage_kept (
      file_id TEXT PRIMARY KEY NOT NULL,
      sha256 TEXT NOT NULL,
      until INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX storage_kept_bytes ON storage_kept (sha256);
  `,
}
