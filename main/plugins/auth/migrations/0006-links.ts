// Remembers which link that was mailed counts. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Before, every link counted until it expired, newer ones and a completed reset notwithstanding. */
export const links: Migration = {
  number: 6,
  name: 'links',
  sql: `
    CREATE TABLE auth_link (
      kind TEXT NOT NULL,
      account TEXT NOT NULL,
      digest TEXT NOT NULL,
      expiresAt TEXT NOT NULL,
      PRIMARY KEY (kind, account)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX auth_link_digest ON auth_link (digest);
  `,
}
