// SQL of the runs of triggers: what was done for which event, so that nothing is done twice and failures can be seen.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** One action that ran for one event. */
export interface TriggerRun {
  readonly eventId: number
  readonly trigger: string
  /** Place of the action in its trigger. */
  readonly action: number
  readonly actionType: string
  readonly status: 'done' | 'failed' | 'skipped'
  /** Why it failed; null otherwise. */
  readonly error: string | null
  readonly object: string
  readonly recordId: string
  /** Who caused the event: `type:id`. */
  readonly caller: string
  readonly at: string
}

const columns = `event_id AS eventId, trigger_name AS "trigger", action, action_type AS actionType, status, error, object,
  record_id AS recordId, caller, at`

/** Whether an action ran for an event already. */
export function hasRun(read: Pick<Reads, 'get'>, eventId: number, trigger: string, action: number): boolean {
  const sql = 'SELECT 1 FROM data_trigger_run WHERE event_id = ? AND trigger_name = ? AND action = ?'
  return read.get(statement(sql, [eventId, trigger, action])) !== undefined
}

/** Remembers a run; the first word about it stays. */
export function addRun(tx: Tx, run: TriggerRun): void {
  tx.run(
    statement(
      `INSERT OR IGNORE INTO data_trigger_run
         (event_id, trigger_name, action, action_type, status, error, object, record_id, caller, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        run.eventId,
        run.trigger,
        run.action,
        run.actionType,
        run.status,
        run.error,
        run.object,
        run.recordId,
        run.caller,
        run.at,
      ],
    ),
  )
}

/** Leaves only the codes of what failed over a record: reasons may quote it. @source D-59 */
export function forgetReasons(tx: Tx, recordId: string): void {
  const code = "substr(error, 1, instr(error || ':', ':') - 1)"
  const failed = 'WHERE record_id = ? AND error IS NOT NULL'
  // Looked for first: the UPDATE makes a table of its own each time, also where it finds nothing.
  if (tx.get(statement(`SELECT 1 FROM data_trigger_run ${failed} LIMIT 1`, [recordId])) === undefined) return
  tx.run(statement(`UPDATE data_trigger_run SET error = ${code} ${failed}`, [recordId]))
}

/** The latest runs of a trigger before a run, newest first. */
export function readRuns(
  read: Pick<Reads, 'all'>,
  trigger: string,
  before: Pick<TriggerRun, 'eventId' | 'action'>,
  limit: number,
): TriggerRun[] {
  const sql = `SELECT ${columns} FROM data_trigger_run WHERE trigger_name = ? AND (event_id, action) < (?, ?)
    ORDER BY event_id DESC, action DESC LIMIT ?`
  return read.all<TriggerRun>(statement(sql, [trigger, before.eventId, before.action, limit]))
}

/** Drops runs that are older than an instant or beyond the number kept. */
export function dropOldRuns(tx: Tx, before: string, kept: number): void {
  tx.run(statement('DELETE FROM data_trigger_run WHERE at < ?', [before]))
  tx.run(
    statement(
      `DELETE FROM data_trigger_run WHERE event_id <
         (SELECT event_id FROM data_trigger_run ORDER BY event_id DESC LIMIT 1 OFFSET ?)`,
      [kept],
    ),
  )
}
