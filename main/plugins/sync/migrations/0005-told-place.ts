// What a peer was told of where this machine listens. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `told_place` is `host:port` with spaces between them; null before the first connection since this is noted. */
export const toldPlace: Migration = {
  number: 5,
  name: 'told-place',
  sql: `ALTER TABLE sync_peer ADD COLUMN told_place TEXT`,
}
