// Files, uploads under way, what names a file, rules and the key of signed addresses. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * Instants are milliseconds. `sha256` is set as soon as the bytes lie in their place; `lost` is a ready file whose bytes are
 * gone. A chunk lies in a file named by its index and its checksum. A reference stands under the uids of object and field;
 * `field` is empty for an item of a feed, which `item` names.
 */
export const tables: Migration = {
  number: 1,
  name: 'tables',
  sql: `
    CREATE TABLE storage_file (
      id TEXT NOT NULL PRIMARY KEY,
      organization_id TEXT,
      scope TEXT NOT NULL,
      bucket TEXT NOT NULL,
      name TEXT NOT NULL,
      extension TEXT NOT NULL,
      mime_type TEXT NOT NULL,
      size INTEGER NOT NULL,
      sha256 TEXT,
      status TEXT NOT NULL,
      metadata TEXT NOT NULL,
      created_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      expires_at INTEGER
    ) STRICT;
    CREATE INDEX storage_file_bytes ON storage_file (sha256) WHERE sha256 IS NOT NULL;
    CREATE INDEX storage_file_owner ON storage_file (created_by, id);
    CREATE INDEX storage_file_scope ON storage_file (scope, id);
    CREATE INDEX storage_file_expiry ON storage_file (expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE storage_upload (
      id TEXT NOT NULL PRIMARY KEY,
      file_id TEXT NOT NULL UNIQUE,
      created_by TEXT NOT NULL,
      token_hash TEXT NOT NULL,
      filename TEXT NOT NULL,
      total_size INTEGER NOT NULL,
      chunk_size INTEGER NOT NULL,
      total_chunks INTEGER NOT NULL,
      status TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX storage_upload_expiry ON storage_upload (expires_at);
    CREATE TABLE storage_chunk (
      upload_id TEXT NOT NULL REFERENCES storage_upload (id) ON DELETE CASCADE,
      chunk_index INTEGER NOT NULL,
      size INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      PRIMARY KEY (upload_id, chunk_index)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE storage_reference (
      file_id TEXT NOT NULL,
      object TEXT NOT NULL,
      record_id TEXT NOT NULL,
      field TEXT NOT NULL,
      item TEXT NOT NULL,
      PRIMARY KEY (file_id, object, record_id, field, item)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX storage_reference_record ON storage_reference (object, record_id, field, item);
    CREATE TABLE storage_rule (
      scope TEXT NOT NULL PRIMARY KEY,
      rule TEXT NOT NULL
    ) STRICT;
    CREATE TABLE storage_key (
      name TEXT NOT NULL PRIMARY KEY,
      sealed TEXT NOT NULL
    ) STRICT;
  `,
}
