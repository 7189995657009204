// The rows of schedules. SQL only; instants are ISO 8601.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A schedule as it is stored. */
export interface ScheduleRow {
  readonly flowName: string
  /** Its times, as JSON. */
  readonly definition: string
  /** Null while it is paused or its flow is off. */
  readonly nextRunAt: string | null
  readonly lastRunAt: string | null
  readonly totalRuns: number
  readonly consecutiveFailures: number
  readonly isPaused: number
}

const columns = `flow_name AS flowName, definition, next_run_at AS nextRunAt, last_run_at AS lastRunAt,
  total_runs AS totalRuns, consecutive_failures AS consecutiveFailures, is_paused AS isPaused`

/** All schedules by flow. */
export function readSchedules(from: Pick<Reads, 'all'>): ScheduleRow[] {
  return from.all<ScheduleRow>(statement(`SELECT ${columns} FROM automation_schedule ORDER BY flow_name`))
}

/** The schedule of a flow. */
export function readSchedule(from: Pick<Reads, 'get'>, flow: string): ScheduleRow | undefined {
  return from.get<ScheduleRow>(statement(`SELECT ${columns} FROM automation_schedule WHERE flow_name = ?`, [flow]))
}

/** When the next one of those that are not paused comes due; null for none. */
export function readNextDue(from: Pick<Reads, 'get'>): string | null {
  const sql = 'SELECT min(next_run_at) AS at FROM automation_schedule WHERE is_paused = 0'
  return from.get<{ at: string | null }>(statement(sql))?.at ?? null
}

/** Stores what the times of a schedule are, and when it comes due. */
export function putSchedule(tx: Tx, flow: string, definition: string, next: string | null): void {
  const sql = `INSERT INTO automation_schedule (flow_name, definition, next_run_at) VALUES (?, ?, ?)
    ON CONFLICT (flow_name) DO UPDATE SET definition = excluded.definition, next_run_at = excluded.next_run_at`
  tx.run(statement(sql, [flow, definition, next]))
}

/** Sets when a schedule comes due. */
export function setNextRun(tx: Tx, flow: string, at: string | null): void {
  tx.run(statement('UPDATE automation_schedule SET next_run_at = ? WHERE flow_name = ?', [at, flow]))
}

/** Notes that a schedule came due. @returns false when it is paused, or another one took this time */
export function takeRun(tx: Tx, flow: string, due: string, { at, next }: { at: string; next: string | null }): boolean {
  const sql = `UPDATE automation_schedule SET next_run_at = ?, last_run_at = ?, total_runs = total_runs + 1
    WHERE flow_name = ? AND next_run_at = ? AND is_paused = 0`
  return tx.run(statement(sql, [next, at, flow, due])).changes === 1
}

/** Notes how a schedule stands after a run of it, or after somebody paused or resumed it. */
export function setStanding(
  tx: Tx,
  flow: string,
  { failures, isPaused, next }: { failures: number; isPaused: boolean; next: string | null },
): void {
  const sql = `UPDATE automation_schedule SET consecutive_failures = ?, is_paused = ?, next_run_at = ?
    WHERE flow_name = ?`
  tx.run(statement(sql, [failures, isPaused ? 1 : 0, next, flow]))
}

/** Takes over when schedules of the same times ran last and come due next, of those that come due. */
export function takeOverRuns(tx: Tx, schedules: readonly ScheduleRow[]): void {
  const sql = `UPDATE automation_schedule SET next_run_at = ?, last_run_at = ?, total_runs = ?
    WHERE flow_name = ? AND definition = ? AND next_run_at IS NOT NULL`
  for (const { flowName, definition, nextRunAt, lastRunAt, totalRuns } of schedules)
    if (nextRunAt !== null) tx.run(statement(sql, [nextRunAt, lastRunAt, totalRuns, flowName, definition]))
}

/** Forgets a schedule. */
export function removeSchedule(tx: Tx, flow: string): void {
  tx.run(statement('DELETE FROM automation_schedule WHERE flow_name = ?', [flow]))
}
