// SQL of the import jobs: jobs, slices of outcomes, the records these keep values of, progress. Knows no rules.
import type { Reads, Statement, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { ImportJobFilter } from './api.ts'
import { withoutValues } from './service/row-outcome.ts'
import type { RowOutcome } from './service/row-outcome.ts'

/** A row of `import_job`. */
export interface JobRow {
  readonly seq: number
  readonly id: string
  readonly object: string
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled' | 'undone'
  readonly phase: 'import' | 'undo'
  readonly paused: number
  /** JSON: the options and columns of the import. */
  readonly options: string
  /** JSON: who started the present phase. */
  readonly caller: string
  readonly actor_id: string
  readonly total: number
  readonly processed: number
  /** Byte in the staged file where the first row that is not processed begins. */
  readonly position: number
  readonly created: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
  /** First row of the slice that was undone last; null before the first. */
  readonly undo_before: number | null
  readonly undo_processed: number
  readonly undo_purged: number
  readonly undo_restored: number
  readonly undo_kept: number
  readonly error: string | null
  readonly created_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
}

/** What became of neighbouring rows. */
export interface Slice {
  readonly firstRow: number
  readonly lastRow: number
  readonly outcomes: readonly RowOutcome[]
}

interface SliceRow {
  readonly first_row: number
  readonly last_row: number
  readonly outcomes: string
}

type Reader = Pick<Reads, 'all' | 'get'>

/** Inserts a job that waits. */
export function insertJob(
  tx: Tx,
  job: Pick<JobRow, 'id' | 'object' | 'options' | 'caller' | 'actor_id' | 'total' | 'created_at'>,
): void {
  tx.run(
    statement(
      `INSERT INTO import_job (id, object, status, phase, options, caller, actor_id, total, created_at)
       VALUES (?, ?, 'pending', 'import', ?, ?, ?, ?, ?)`,
      [job.id, job.object, job.options, job.caller, job.actor_id, job.total, job.created_at],
    ),
  )
}

/** A job by its id. */
export function getJob(read: Reader, id: string): JobRow | undefined {
  return read.get(statement<JobRow>('SELECT * FROM import_job WHERE id = ?', [id]))
}

/** The objects somebody's jobs are over. */
export function jobObjects(read: Reader, actorId: string): string[] {
  const sql = 'SELECT DISTINCT object FROM import_job WHERE actor_id = ?'
  return read.all(statement<{ object: string }>(sql, [actorId])).map(({ object }) => object)
}

/**
 * Jobs newest first, with how many there are in all. `actorId` null means everybody's; of somebody's, `narrowed` leaves those
 * a key began and those over some objects.
 */
export function listJobs(
  read: Reader,
  actorId: string | null,
  narrowed: { readonly key: string; readonly objects: readonly string[] } | null,
  filter: ImportJobFilter & { readonly limit: number; readonly offset: number },
): { rows: JobRow[]; total: number } {
  const conditions: string[] = []
  const parameters: unknown[] = []
  const add = (sql: string, value: unknown): void => {
    if (value === undefined || value === null) return
    conditions.push(sql)
    parameters.push(value)
  }
  add('actor_id = ?', actorId)
  if (actorId !== null && narrowed !== null) {
    conditions.push(`(json_extract(caller, '$.credentialId') = ? OR object IN (SELECT value FROM json_each(?)))`)
    parameters.push(narrowed.key, JSON.stringify(narrowed.objects))
  }
  add('object = ?', filter.object)
  add('status = ?', filter.status)
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  const count = statement<{ total: number }>(`SELECT count(*) AS "total" FROM import_job${where}`, parameters)
  const page = statement<JobRow>(`SELECT * FROM import_job${where} ORDER BY seq DESC LIMIT ? OFFSET ?`, [
    ...parameters,
    filter.limit,
    filter.offset,
  ])
  return { rows: read.all(page), total: read.get(count)!.total }
}

/** Jobs that have work left, oldest first. */
export function openJobs(read: Reader): JobRow[] {
  return read.all(
    statement<JobRow>("SELECT * FROM import_job WHERE status IN ('pending', 'running') ORDER BY seq LIMIT 1000"),
  )
}

/** Changes columns of a job. */
export function updateJob(tx: Tx, seq: number, columns: Partial<Omit<JobRow, 'seq' | 'id'>>): void {
  const names = Object.keys(columns)
  const sql = `UPDATE import_job SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE seq = ?`
  tx.run(statement(sql, [...Object.values(columns), seq]))
}

/** Adds to the counts of a job and moves it on. */
export function advanceJob(tx: Tx, seq: number, done: { rows: number; position: number; counts: Counts }): void {
  tx.run(
    statement(
      `UPDATE import_job SET processed = processed + ?, position = ?, created = created + ?, updated = updated + ?,
       skipped = skipped + ?, failed = failed + ? WHERE seq = ?`,
      [
        done.rows,
        done.position,
        done.counts.created,
        done.counts.updated,
        done.counts.skipped,
        done.counts.failed,
        seq,
      ],
    ),
  )
}

/** Adds to the counts of a job whose rows are all processed. */
export function correctCounts(tx: Tx, seq: number, by: Omit<Counts, 'kept'>): void {
  tx.run(
    statement(
      `UPDATE import_job SET created = created + ?, updated = updated + ?, skipped = skipped + ?, failed = failed + ?
       WHERE seq = ?`,
      [by.created, by.updated, by.skipped, by.failed, seq],
    ),
  )
}

/** How many outcomes there are of each kind. */
export interface Counts {
  readonly created: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
  readonly kept: number
}

/** Counts outcomes. */
export function countOutcomes(outcomes: readonly RowOutcome[]): Counts {
  const of = (operation: RowOutcome['operation']): number =>
    outcomes.reduce((sum, outcome) => (outcome.operation === operation ? sum + 1 : sum), 0)
  const kept = outcomes.reduce((sum, outcome) => ((outcome.kept?.length ?? 0) > 0 ? sum + 1 : sum), 0)
  return { created: of('create'), updated: of('update'), skipped: of('skip'), failed: of('fail'), kept }
}

/** Stores what became of the rows of a slice, in place of what was stored of it before. */
export function putSlice(tx: Tx, seq: number, firstRow: number, outcomes: readonly RowOutcome[]): void {
  const sorted = outcomes.toSorted((a, b) => a.row - b.row)
  const { created, updated, skipped, failed, kept } = countOutcomes(outcomes)
  tx.run(
    statement(
      `INSERT INTO import_slice (job, first_row, last_row, created, updated, skipped, failed, kept, outcomes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (job, first_row) DO UPDATE SET last_row = excluded.last_row, created = excluded.created,
         updated = excluded.updated, skipped = excluded.skipped, failed = excluded.failed, kept = excluded.kept,
         outcomes = excluded.outcomes`,
      [seq, firstRow, sorted.at(-1)?.row ?? firstRow, created, updated, skipped, failed, kept, JSON.stringify(sorted)],
    ),
  )
  noteRecords(tx, seq, firstRow, sorted)
}

/** Remembers which records a slice keeps values of. */
function noteRecords(tx: Tx, seq: number, firstRow: number, outcomes: readonly RowOutcome[]): void {
  tx.run(statement('DELETE FROM import_record WHERE job = ? AND first_row = ?', [seq, firstRow]))
  const ids = outcomes.flatMap(({ id, changes, seal }) =>
    id !== undefined && (changes !== undefined || seal !== undefined) ? [id] : [],
  )
  if (ids.length === 0) return
  tx.run(
    statement(`INSERT OR IGNORE INTO import_record (job, first_row, record_id) SELECT ?, ?, value FROM json_each(?)`, [
      seq,
      firstRow,
      JSON.stringify(ids),
    ]),
  )
}

/** Gives the jobs of an object its new name, so that they are undone where their records are (D-100). */
export function renameJobs(tx: Tx, from: string, to: string): void {
  tx.run(statement('UPDATE import_job SET object = ? WHERE object = ?', [to, from]))
}

/** Takes the values of a purged record out of every slice; that rows wrote it stays known. @source D-59 */
export function forgetRecord(tx: Tx, recordId: string): void {
  const found = tx.all(
    statement<{ job: number; first_row: number }>('SELECT job, first_row FROM import_record WHERE record_id = ?', [
      recordId,
    ]),
  )
  for (const { job, first_row: firstRow } of found) {
    const outcomes = getSlice(tx, job, firstRow)?.outcomes ?? []
    const left = outcomes.map((outcome) => (outcome.id === recordId ? withoutValues(outcome) : outcome))
    tx.run(
      statement('UPDATE import_slice SET outcomes = ? WHERE job = ? AND first_row = ?', [
        JSON.stringify(left),
        job,
        firstRow,
      ]),
    )
  }
  if (found.length > 0) tx.run(statement('DELETE FROM import_record WHERE record_id = ?', [recordId]))
}

/** The slice that begins at a row. */
export function getSlice(read: Reader, seq: number, firstRow: number): Slice | undefined {
  const row = read.get(
    statement<SliceRow>('SELECT first_row, last_row, outcomes FROM import_slice WHERE job = ? AND first_row = ?', [
      seq,
      firstRow,
    ]),
  )
  return row && toSlice(row)
}

/** The last slice that begins before a row. */
export function sliceBefore(read: Reader, seq: number, row: number | null): Slice | undefined {
  const found = read.get(
    statement<SliceRow>(
      `SELECT first_row, last_row, outcomes FROM import_slice WHERE job = ? AND first_row < ?
       ORDER BY first_row DESC LIMIT 1`,
      [seq, row ?? Number.MAX_SAFE_INTEGER],
    ),
  )
  return found && toSlice(found)
}

/** Slices with rows after one, in order; with `only`, those that hold such outcomes. */
export function slicesAfter(
  read: Reader,
  seq: number,
  row: number,
  only: keyof Counts | undefined,
  limit: number,
): Slice[] {
  const rows: Statement<SliceRow> = statement(
    `SELECT first_row, last_row, outcomes FROM import_slice WHERE job = ? AND last_row > ?
     ${only === undefined ? '' : `AND ${only} > 0`} ORDER BY first_row LIMIT ?`,
    [seq, row, limit],
  )
  return read.all(rows).map(toSlice)
}

/** Removes jobs that ended before an instant, with their results. */
export function removeJobsBefore(tx: Tx, instant: string): void {
  const ended = "SELECT seq FROM import_job WHERE completed_at < ? AND status NOT IN ('pending', 'running')"
  tx.run(statement(`DELETE FROM import_record WHERE job IN (${ended})`, [instant]))
  tx.run(statement(`DELETE FROM import_slice WHERE job IN (${ended})`, [instant]))
  tx.run(statement(`DELETE FROM import_job WHERE seq IN (${ended})`, [instant]))
}

function toSlice(row: SliceRow): Slice {
  return { firstRow: row.first_row, lastRow: row.last_row, outcomes: JSON.parse(row.outcomes) as RowOutcome[] }
}
