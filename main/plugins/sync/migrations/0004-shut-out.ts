// What is known of a peer beside its connections. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `shut_out` is 1 where the peer said that this machine was unpaired. `bound_port` is the one the system chose last. */
export const shutOut: Migration = {
  number: 4,
  name: 'shut-out',
  sql: `
    ALTER TABLE sync_peer ADD COLUMN shut_out INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sync_workspace ADD COLUMN bound_port INTEGER NOT NULL DEFAULT 0;
  `,
}
