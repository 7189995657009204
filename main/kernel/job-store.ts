// SQL of recurring work: when each job runs next, and who runs it. Rows in, rows out.
import type { Reads, Tx } from './database.ts'
import { statement } from './database.ts'
import type { Migration } from './plugin.ts'

/** The table of schedules. */
export const jobTable: Migration = {
  number: 2,
  name: 'job',
  sql: `
    CREATE TABLE _job (
      name TEXT PRIMARY KEY,
      schedule TEXT NOT NULL,
      next_run_at INTEGER NOT NULL,
      lease_owner TEXT,
      lease_until INTEGER,
      attempts INTEGER NOT NULL DEFAULT 0,
      last_started_at TEXT,
      last_finished_at TEXT,
      last_error TEXT
    ) STRICT, WITHOUT ROWID;
  `,
}

/** A job as stored; times in milliseconds, the lease null while nobody runs it. */
export interface JobRow {
  readonly name: string
  readonly schedule: string
  readonly next_run_at: number
  readonly lease_owner: string | null
  readonly lease_until: number | null
  readonly attempts: number
}

/** The row of a job; undefined for one that was never here. */
export function readJob(read: Pick<Reads, 'get'>, name: string): JobRow | undefined {
  return read.get<JobRow>(statement('SELECT * FROM _job WHERE name = ?', [name]))
}

/** Stores when a job runs next, and frees it. */
export function putJob(tx: Pick<Tx, 'run'>, name: string, schedule: string, nextRunAt: number): void {
  tx.run(
    statement(
      `INSERT INTO _job (name, schedule, next_run_at) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE
       SET schedule = excluded.schedule, next_run_at = excluded.next_run_at, lease_owner = NULL, lease_until = NULL`,
      [name, schedule, nextRunAt],
    ),
  )
}

/** Notes that a run begins, under a lease. @param startedAt ISO 8601 */
export function leaseJob(
  tx: Pick<Tx, 'run'>,
  name: string,
  lease: { owner: string; until: number; nextRunAt: number; startedAt: string },
): void {
  tx.run(
    statement(
      `UPDATE _job SET next_run_at = ?, lease_owner = ?, lease_until = ?, attempts = attempts + 1, last_started_at = ?
       WHERE name = ?`,
      [lease.nextRunAt, lease.owner, lease.until, lease.startedAt, name],
    ),
  )
}

/** Notes that a run has ended. @param failure null when it went well @param finishedAt ISO 8601 */
export function finishJob(tx: Pick<Tx, 'run'>, name: string, failure: string | null, finishedAt: string): void {
  tx.run(
    statement(
      `UPDATE _job SET lease_owner = NULL, lease_until = NULL, attempts = 0, last_finished_at = ?, last_error = ?
       WHERE name = ?`,
      [finishedAt, failure, name],
    ),
  )
}
