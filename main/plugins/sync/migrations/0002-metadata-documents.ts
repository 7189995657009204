// The table of metadata documents: what each asks for, what of it is stored here, and what still has to be. Frozen once
// released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * `wanted` and `stamp` are the name a document asks for and the rank of who asked; `shown` is the item as it is stored
 * here, null when it is not; `due` counts the changes that are not stored here yet.
 */
export const metadataDocuments: Migration = {
  number: 2,
  name: 'metadata-documents',
  sql: `
    CREATE TABLE sync_metadata (
      type TEXT NOT NULL,
      uid TEXT NOT NULL,
      wanted TEXT NOT NULL,
      stamp TEXT NOT NULL,
      deleted INTEGER NOT NULL,
      shown TEXT,
      due INTEGER NOT NULL,
      reason TEXT,
      since TEXT,
      actor TEXT,
      PRIMARY KEY (type, uid)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sync_metadata_due ON sync_metadata (since) WHERE due <> 0;
  `,
}
