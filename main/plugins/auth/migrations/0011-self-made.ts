// Tells accounts that people made themselves from those an administrator made. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/**
 * Whoever signs up may name somebody else's address; what such an account has ends once that address is proved by mail. An
 * administrator vouches for the address, and so does everything that was there before.
 */
export const selfMade: Migration = {
  number: 11,
  name: 'self-made',
  sql: `
    ALTER TABLE auth_user ADD COLUMN selfMade INTEGER NOT NULL DEFAULT 1;
    UPDATE auth_user SET selfMade = 0;
  `,
}
