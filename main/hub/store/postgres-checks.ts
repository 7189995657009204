// Looks at how PostgreSQL keeps what it has acknowledged. A hub answers on its word alone, so one whose word is not a disk
// is refused.
import type { PostgresStore } from './postgres-store.ts'

/** What PostgreSQL says of itself. */
export interface PostgresSettings {
  readonly version: number
  readonly recovery: boolean
  readonly fsync: string
  readonly pages: string
  readonly commit: string
  readonly names: string
  /** Standbys that it streams to, and how: `async`, `sync`, `quorum` or `potential`. */
  readonly standbys: readonly string[]
}

/** The query that answers them, one row. */
export const settingsQuery = `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS recovery,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
  current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS names,
  ARRAY(SELECT coalesce(sync_state, 'async') FROM pg_stat_replication WHERE state = 'streaming' OR state IS NULL) AS standbys`

const oldestVersion = 150_000

/** Why PostgreSQL would lose what it has acknowledged. */
export interface Doubt {
  /** PostgreSQL's name of the setting. */
  readonly setting: string
  readonly words: string
}

/**
 * Why this PostgreSQL would lose what it has acknowledged; empty when it would not.
 * @source https://www.postgresql.org/docs/15/runtime-config-wal.html
 */
export function doubtsAbout(found: PostgresSettings): Doubt[] {
  const doubts: Doubt[] = []
  const doubt = (setting: string, words: string): void => void doubts.push({ setting, words })
  if (found.version < oldestVersion)
    doubt('server_version', `It is version ${Math.floor(found.version / 10_000)}; a hub needs 15 or newer.`)
  if (found.recovery)
    doubt('in_hot_standby', 'It is a standby itself. Give the address of the server that takes writes.')
  if (found.fsync !== 'on')
    doubt('fsync', 'fsync is off: after a loss of power committed rows are gone. Set fsync = on.')
  if (found.pages !== 'on')
    doubt(
      'full_page_writes',
      'full_page_writes is off: after a loss of power pages can be torn. Set full_page_writes = on.',
    )
  if (found.commit === 'off')
    doubt(
      'synchronous_commit',
      'synchronous_commit is off: a commit is acknowledged before it is on disk. Set synchronous_commit = on.',
    )
  if (found.commit === 'local' && found.names !== '')
    doubt(
      'synchronous_commit',
      'synchronous_commit is local: standbys are not waited for. Set synchronous_commit = on.',
    )
  if (found.standbys.length > 0 && found.names === '')
    doubt(
      'synchronous_standby_names',
      'It has standbys that are not waited for: a failover to one of them loses what was acknowledged last. Set synchronous_standby_names.',
    )
  return doubts
}

/** Asks a store for its doubts. @throws its error */
export async function askDoubts(store: Pick<PostgresStore, 'ask'>): Promise<Doubt[]> {
  return doubtsAbout((await store.ask<PostgresSettings>(settingsQuery))[0]!)
}
