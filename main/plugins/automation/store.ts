// SQL of runs and their steps. Rows in, rows out; what they mean is for the services.
import type { RunStatus, TriggerType } from '#shared/contracts/automation.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A run as it is stored; members named in capitals of JSON hold its text. */
export interface RunRow {
  readonly id: string
  readonly flowUid: string
  readonly flowName: string
  readonly flowVersion: number
  readonly status: RunStatus
  readonly triggerType: TriggerType
  readonly object: string | null
  readonly recordId: string | null
  readonly event: string | null
  readonly userId: string | null
  readonly eventId: number | null
  readonly runAs: 'system' | 'user'
  readonly caller: string
  readonly input: string
  readonly variables: string
  readonly output: string | null
  readonly error: string | null
  readonly attempt: number
  readonly parentRunId: string | null
  readonly parentKey: string | null
  readonly lockKey: string
  readonly depth: number
  readonly createdAt: string
  readonly startedAt: string | null
  readonly completedAt: string | null
  /** Milliseconds it was running. */
  readonly activeMs: number
  readonly resumeAt: string | null
}

/** A step as it is stored. */
export interface StepRow {
  readonly seq: number
  readonly id: string
  readonly runId: string
  readonly key: string
  readonly nodeId: string
  readonly nodeType: string
  readonly nodeLabel: string
  readonly status: 'running' | 'success' | 'failure' | 'skipped' | 'waiting'
  readonly startedAt: string
  readonly completedAt: string | null
  readonly input: string | null
  readonly output: string | null
  readonly error: string | null
  readonly retryAttempt: number
  readonly iteration: number | null
  readonly memo: string | null
  readonly wait: string | null
  readonly resumeAt: string | null
  readonly signal: string | null
}

/** A step before it has a place. */
export type NewStep = Omit<StepRow, 'seq'>

type Get = Pick<Reads, 'get'>
type All = Pick<Reads, 'all'>

const runColumns = `id, flow_uid AS flowUid, flow_name AS flowName, flow_version AS flowVersion, status,
  trigger_type AS triggerType, object, record_id AS recordId, event, user_id AS userId, event_id AS eventId,
  run_as AS runAs, caller, input, variables, output, error, attempt, parent_run_id AS parentRunId,
  parent_key AS parentKey, lock_key AS lockKey, depth, created_at AS createdAt, started_at AS startedAt,
  completed_at AS completedAt, active_ms AS activeMs, resume_at AS resumeAt`

const stepColumns = `seq, id, run_id AS runId, key, node_id AS nodeId, node_type AS nodeType, node_label AS nodeLabel,
  status, started_at AS startedAt, completed_at AS completedAt, input, output, error, retry_attempt AS retryAttempt,
  iteration, memo, wait, resume_at AS resumeAt, signal`

/** States of a run that still goes on. */
const openStates = "('pending', 'running', 'paused', 'retrying')"

/** Stores a run; false when its event has started the flow already. */
export function insertRun(tx: Tx, run: RunRow): boolean {
  const sql = `INSERT OR IGNORE INTO automation_run (id, flow_uid, flow_name, flow_version, status, trigger_type, object,
      record_id, event, user_id, event_id, run_as, caller, input, variables, output, error, attempt, parent_run_id,
      parent_key, lock_key, depth, created_at, started_at, completed_at, active_ms, resume_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const { changes } = tx.run(
    statement(sql, [
      run.id,
      run.flowUid,
      run.flowName,
      run.flowVersion,
      run.status,
      run.triggerType,
      run.object,
      run.recordId,
      run.event,
      run.userId,
      run.eventId,
      run.runAs,
      run.caller,
      run.input,
      run.variables,
      run.output,
      run.error,
      run.attempt,
      run.parentRunId,
      run.parentKey,
      run.lockKey,
      run.depth,
      run.createdAt,
      run.startedAt,
      run.completedAt,
      run.activeMs,
      run.resumeAt,
    ]),
  )
  return changes === 1
}

/** Keeps the version of a flow a run starts with. */
export function keepDefinition(tx: Tx, flow: { uid: string; version: number; body: string }): void {
  const sql = 'INSERT OR IGNORE INTO automation_definition (flow_uid, version, body) VALUES (?, ?, ?)'
  tx.run(statement(sql, [flow.uid, flow.version, flow.body]))
}

/** The version of a flow a run started with. */
export function getDefinition(read: Get, uid: string, version: number): string | undefined {
  const sql = 'SELECT body FROM automation_definition WHERE flow_uid = ? AND version = ?'
  return read.get<{ body: string }>(statement(sql, [uid, version]))?.body
}

/** A run by its id. */
export function getRun(read: Get, id: string): RunRow | undefined {
  return read.get<RunRow>(statement(`SELECT ${runColumns} FROM automation_run WHERE id = ?`, [id]))
}

/** The run a step of another run started. */
export function getChild(read: Get, parentRunId: string, parentKey: string): RunRow | undefined {
  const sql = `SELECT ${runColumns} FROM automation_run WHERE parent_run_id = ? AND parent_key = ?`
  return read.get<RunRow>(statement(sql, [parentRunId, parentKey]))
}

/** Runs of the steps of a run that still go on. */
export function openChildren(read: All, parentRunId: string): string[] {
  const sql = `SELECT id FROM automation_run WHERE parent_run_id = ? AND status IN ${openStates}`
  return read.all<{ id: string }>(statement(sql, [parentRunId])).map(({ id }) => id)
}

/** Runs in the given states, oldest first. Index automation_run_open. */
export function runsIn(read: All, statuses: readonly RunStatus[]): RunRow[] {
  const sql = `SELECT ${runColumns} FROM automation_run WHERE status IN ${openStates}
    AND status IN (SELECT value FROM json_each(?)) ORDER BY id`
  return read.all<RunRow>(statement(sql, [JSON.stringify(statuses)]))
}

/** Ids of a flow's runs that still go on. */
export function openRunsOf(read: All, flowUid: string): string[] {
  const sql = `SELECT id FROM automation_run WHERE flow_uid = ? AND status IN ${openStates}`
  return read.all<{ id: string }>(statement(sql, [flowUid])).map(({ id }) => id)
}

/** What a list of runs asks for; `userId` limits it to that user's, `organizationId` to that organization's and those of none. */
export interface RunFilter {
  readonly flowUid: string
  readonly status?: RunStatus | undefined
  readonly userId?: string | undefined
  /** The API key that started it. */
  readonly keyId?: string | undefined
  readonly organizationId?: string | null | undefined
}

/** Runs of a flow below an id, newest first. Index automation_run_flow. */
export function listRuns(read: All, filter: RunFilter, below: string | undefined, limit: number): RunRow[] {
  const { where, values } = conditionOf(filter)
  const sql = `SELECT ${runColumns} FROM automation_run WHERE ${where} AND id < ? ORDER BY id DESC LIMIT ?`
  return read.all<RunRow>(statement(sql, [...values, below ?? '~', limit]))
}

/** How many runs a list has. */
export function countRuns(read: Get, filter: RunFilter): number {
  const { where, values } = conditionOf(filter)
  return read.get<{ n: number }>(statement(`SELECT count(*) AS n FROM automation_run WHERE ${where}`, values))!.n
}

function conditionOf({ flowUid, status, userId, keyId, organizationId }: RunFilter): {
  where: string
  values: unknown[]
} {
  const conditions = [
    ['flow_uid = ?', flowUid],
    ['status = ?', status],
    ['user_id = ?', userId],
    ["caller ->> 'keyId' = ?", keyId],
    ["(caller ->> 'organizationId' IS NULL OR caller ->> 'organizationId' = ?)", organizationId],
  ].filter(([, value]) => value !== undefined)
  return { where: conditions.map(([sql]) => sql).join(' AND '), values: conditions.map(([, value]) => value) }
}

/** When each flow last started, by uid. */
export function lastRuns(read: All): Map<string, string> {
  const sql = 'SELECT flow_uid AS uid, max(created_at) AS at FROM automation_run GROUP BY flow_uid'
  return new Map(read.all<{ uid: string; at: string }>(statement(sql)).map(({ uid, at }) => [uid, at]))
}

/** Members of a run that change while it lives. */
export type RunChange = Partial<
  Pick<
    RunRow,
    'status' | 'variables' | 'output' | 'error' | 'attempt' | 'startedAt' | 'completedAt' | 'activeMs' | 'resumeAt'
  >
>

const changeColumns: Readonly<Record<keyof RunChange, string>> = {
  status: 'status',
  variables: 'variables',
  output: 'output',
  error: 'error',
  attempt: 'attempt',
  startedAt: 'started_at',
  completedAt: 'completed_at',
  activeMs: 'active_ms',
  resumeAt: 'resume_at',
}

/** Changes a run that is in one of the given states; false when it is in another one. */
export function changeRun(tx: Tx, id: string, from: readonly RunStatus[], change: RunChange): boolean {
  const entries = Object.entries(change) as [keyof RunChange, unknown][]
  const sets = entries.map(([name]) => `${changeColumns[name]} = ?`).join(', ')
  const states = from.map(() => '?').join(', ')
  const sql = `UPDATE automation_run SET ${sets} WHERE id = ? AND status IN (${states})`
  return tx.run(statement(sql, [...entries.map(([, value]) => value), id, ...from])).changes === 1
}

/** Whether a run is running: under way, and not waiting for another attempt. */
export function isRunning(read: Get, id: string): boolean {
  return read.get(statement("SELECT 1 FROM automation_run WHERE id = ? AND status = 'running'", [id])) !== undefined
}

/** The variables of a run as they are stored; none of a run that is gone. */
export function storedVariables(read: Get, id: string): Readonly<Record<string, unknown>> {
  const row = read.get<{ variables: string }>(statement('SELECT variables FROM automation_run WHERE id = ?', [id]))
  return row === undefined ? {} : (JSON.parse(row.variables) as Record<string, unknown>)
}

/** Stores a step; one of the same id is replaced, in its place. */
export function putStep(tx: Tx, step: NewStep): void {
  const sql = `INSERT INTO automation_step (id, run_id, key, node_id, node_type, node_label, status, started_at,
      completed_at, input, output, error, retry_attempt, iteration, memo, wait, resume_at, signal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, completed_at = excluded.completed_at,
      input = excluded.input, output = excluded.output, error = excluded.error, memo = excluded.memo,
      wait = excluded.wait, resume_at = excluded.resume_at, signal = excluded.signal`
  tx.run(
    statement(sql, [
      step.id,
      step.runId,
      step.key,
      step.nodeId,
      step.nodeType,
      step.nodeLabel,
      step.status,
      step.startedAt,
      step.completedAt,
      step.input,
      step.output,
      step.error,
      step.retryAttempt,
      step.iteration,
      step.memo,
      step.wait,
      step.resumeAt,
      step.signal,
    ]),
  )
}

/** The steps of a run in the order they began. @param live without those a retry has replaced */
export function stepsOf(read: All, runId: string, live: boolean): StepRow[] {
  const sql = `SELECT ${stepColumns} FROM automation_step WHERE run_id = ?
    ${live ? 'AND is_superseded = 0' : ''} ORDER BY seq`
  return read.all<StepRow>(statement(sql, [runId]))
}

/** The steps of a run that wait. */
export function waitingSteps(read: All, runId: string): StepRow[] {
  return stepsOf(read, runId, true).filter(({ status }) => status === 'waiting')
}

/** Waiting steps whose time has come. Index automation_step_due. */
export function dueSteps(read: All, now: string, limit: number): StepRow[] {
  const sql = `SELECT ${stepColumns} FROM automation_step WHERE status = 'waiting' AND resume_at <= ?
    ORDER BY resume_at LIMIT ?`
  return read.all<StepRow>(statement(sql, [now, limit]))
}

/** When the next waiting step goes on by itself; undefined when none does. */
export function nextDue(read: Get): string | undefined {
  const sql = `SELECT min(resume_at) AS at FROM automation_step WHERE status = 'waiting' AND resume_at IS NOT NULL`
  return read.get<{ at: string | null }>(statement(sql))?.at ?? undefined
}

/** Steps that wait for a signal. Index automation_step_signal. */
export function signalSteps(read: All, signal: string): StepRow[] {
  const sql = `SELECT ${stepColumns} FROM automation_step WHERE status = 'waiting' AND signal = ? ORDER BY seq`
  return read.all<StepRow>(statement(sql, [signal]))
}

/** Steps that wait for a condition, of all runs. */
export function conditionSteps(read: All): StepRow[] {
  const sql = `SELECT ${stepColumns} FROM automation_step WHERE status = 'waiting'
    AND wait ->> 'type' = 'condition' ORDER BY seq`
  return read.all<StepRow>(statement(sql))
}

/** Lets a waiting step go on with an outcome; false when it does not wait any more. */
export function wakeStep(tx: Tx, id: string, memo: string): boolean {
  const sql = `UPDATE automation_step SET status = 'running', memo = ?, resume_at = NULL, signal = NULL
    WHERE id = ? AND status = 'waiting'`
  return tx.run(statement(sql, [memo, id])).changes === 1
}

/** Takes a waiting step away, so that its node is asked again. */
export function dropWaiting(tx: Tx, runId: string, key: string): boolean {
  const sql = "DELETE FROM automation_step WHERE run_id = ? AND key = ? AND status = 'waiting'"
  return tx.run(statement(sql, [runId, key])).changes > 0
}

/** What is left of a run's steps that neither ended nor will. */
export function skipOpenSteps(tx: Tx, runId: string, at: string): void {
  const sql = `UPDATE automation_step SET status = 'skipped', completed_at = ?, resume_at = NULL, signal = NULL
    WHERE run_id = ? AND status IN ('waiting', 'running')`
  tx.run(statement(sql, [at, runId]))
}

/** Steps stay to be seen, but a run that goes on anew does them again. */
export function supersedeSteps(tx: Tx, ids: readonly string[]): void {
  const sql = 'UPDATE automation_step SET is_superseded = 1 WHERE id IN (SELECT value FROM json_each(?))'
  tx.run(statement(sql, [JSON.stringify(ids)]))
}

/**
 * Parts a run from ended runs of its steps, so that a step that is done again starts another one; those that go on are met again.
 * @param completed also from those that ended well
 */
export function partChildren(tx: Tx, parentRunId: string, keys: readonly string[], completed: boolean): void {
  const sql = `UPDATE automation_run SET parent_key = NULL WHERE parent_run_id = ?
    AND parent_key IN (SELECT value FROM json_each(?)) AND status NOT IN ${openStates} AND (status <> 'completed' OR ?)`
  tx.run(statement(sql, [parentRunId, JSON.stringify(keys), completed ? 1 : 0]))
}

/** What only a run that goes on needs. */
export function dropMemos(tx: Tx, runId: string): void {
  tx.run(statement('UPDATE automation_step SET memo = NULL WHERE run_id = ? AND memo IS NOT NULL', [runId]))
}

/** Notes that a run holds words of records. */
export function mentionRecords(tx: Tx, runId: string, recordIds: readonly string[]): void {
  if (recordIds.length === 0) return
  const sql = `INSERT OR IGNORE INTO automation_mention (record_id, run_id)
    SELECT value, ? FROM json_each(?)`
  tx.run(statement(sql, [runId, JSON.stringify(recordIds)]))
}

/** Runs that hold words of a record. Index automation_run_record. */
export function runsAbout(read: All, recordId: string): { id: string; status: RunStatus }[] {
  const sql = `SELECT id, status FROM automation_run WHERE record_id = ?
    UNION SELECT run.id, run.status FROM automation_mention AS mention
      JOIN automation_run AS run ON run.id = mention.run_id WHERE mention.record_id = ?`
  return read.all(statement(sql, [recordId, recordId]))
}

/** Leaves of a run only that it was there and how it ended (D-59). */
export function blankRun(tx: Tx, id: string): void {
  tx.run(
    statement(
      `UPDATE automation_run SET input = '{"params":{}}', variables = '{}', output = NULL,
         error = CASE WHEN error IS NULL THEN NULL ELSE json_object('code', error ->> 'code', 'message', '') END
       WHERE id = ?`,
      [id],
    ),
  )
  tx.run(
    statement(
      `UPDATE automation_step SET input = NULL, output = NULL, memo = NULL, wait = NULL,
         error = CASE WHEN error IS NULL THEN NULL ELSE json_object('code', error ->> 'code', 'message', '') END
       WHERE run_id = ?`,
      [id],
    ),
  )
}

/** Drops runs that ended before an instant, those beyond the number kept per flow, and versions nobody needs. */
export function dropOldRuns(tx: Tx, before: string, kept: number): void {
  tx.run(statement('DELETE FROM automation_run WHERE completed_at < ?', [before]))
  const flows = tx.all<{ uid: string }>(
    statement('SELECT flow_uid AS uid FROM automation_run GROUP BY flow_uid HAVING count(*) > ?', [kept]),
  )
  for (const { uid } of flows) {
    const sql = `DELETE FROM automation_run WHERE flow_uid = ? AND completed_at IS NOT NULL AND id <=
      (SELECT id FROM automation_run WHERE flow_uid = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`
    tx.run(statement(sql, [uid, uid, kept]))
  }
  tx.run(
    statement(
      `DELETE FROM automation_definition WHERE NOT EXISTS (SELECT 1 FROM automation_run AS run
         WHERE run.flow_uid = automation_definition.flow_uid AND run.flow_version = automation_definition.version)`,
    ),
  )
}
