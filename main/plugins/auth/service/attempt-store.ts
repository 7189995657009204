// SQL of the counters of attempts. Rows in, rows out; times in milliseconds.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A counter as stored. */
export interface Counter {
  readonly tokens: number
  readonly at: number
  readonly failures: number
  readonly locked_until: number
}

/** The counter of a key. */
export function readCounter(read: Pick<Reads, 'get'>, key: string): Counter | undefined {
  const sql = 'SELECT tokens, at, failures, locked_until FROM auth_attempt WHERE key = ?'
  return read.get(statement<Counter>(sql, [key]))
}

/** Stores the counter of a key. */
export function putCounter(tx: Pick<Tx, 'run'>, key: string, counter: Counter): void {
  tx.run(
    statement(
      `INSERT INTO auth_attempt (key, tokens, at, failures, locked_until) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET tokens = excluded.tokens, at = excluded.at, failures = excluded.failures,
         locked_until = excluded.locked_until`,
      [key, counter.tokens, counter.at, counter.failures, counter.locked_until],
    ),
  )
}

/** Notes that something was used up, to be remembered until `at`; false when it was before. */
export function insertUse(tx: Pick<Tx, 'run'>, key: string, at: number): boolean {
  const sql = `INSERT INTO auth_attempt (key, tokens, at, failures, locked_until) VALUES (?, 0, ?, 0, 0)
    ON CONFLICT (key) DO NOTHING`
  return tx.run(statement(sql, [key, at])).changes > 0
}

/** Forgets counters of before. */
export function deleteCounters(tx: Pick<Tx, 'run'>, before: number): void {
  tx.run(statement('DELETE FROM auth_attempt WHERE at < ?', [before]))
}
