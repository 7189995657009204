// Which machines were unpaired since a backup that was put back. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `entry` is JSON of what the roster said of the machine; rows are there until the roster of this machine says so. */
export const unpairedSince: Migration = {
  number: 6,
  name: 'unpaired-since',
  sql: `
    CREATE TABLE sync_unpaired (
      device TEXT NOT NULL PRIMARY KEY,
      entry TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
