// SQL of envelopes that lie aside: parked ones, which are tried again, and quarantined ones, which wait for a person.
import { internalContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

type Reader = Pick<Reads, 'all' | 'get'>

/** Why an envelope lies aside. */
export type ProblemReason =
  | 'missing_dep'
  | 'unknown_kind'
  | 'newer_schema'
  | 'forbidden'
  | 'invalid'
  | 'too_big'
  | 'damaged_state'
  | 'crashed'

/** An envelope that lies aside. */
export interface Problem {
  readonly inc: number
  readonly seq: number
  readonly kind: 'parked' | 'quarantine'
  readonly reason: ProblemReason
  /** For people; of `missing_dep` the incarnations that are missed, separated by commas. */
  readonly detail: string
  readonly doc: string
  readonly since: string
}

/** The columns of {@link Problem} for a SELECT. */
export const problemColumns = 'inc, seq, kind, reason, detail, doc, since'

/** Lays an envelope aside. */
export function putProblem(tx: Pick<Tx, 'run'>, problem: Problem): void {
  const { inc, seq, kind, reason, detail, doc, since } = problem
  tx.run(
    statement(
      `INSERT INTO sync_problem (inc, seq, kind, reason, detail, doc, since) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (inc, seq) DO UPDATE SET kind = excluded.kind, reason = excluded.reason, detail = excluded.detail`,
      [inc, seq, kind, reason, detail.slice(0, 500), doc.slice(0, 512), since],
    ),
  )
}

/** Takes an envelope back from where it lay. */
export function removeProblem(tx: Pick<Tx, 'run'>, inc: number, seq: number): void {
  tx.run(statement('DELETE FROM sync_problem WHERE inc = ? AND seq = ?', [inc, seq]))
}

/** One envelope that lies aside. */
export function readProblem(read: Pick<Reader, 'get'>, inc: number, seq: number): Problem | undefined {
  const sql = `SELECT ${problemColumns} FROM sync_problem WHERE inc = ? AND seq = ?`
  return read.get(statement<Problem>(sql, [inc, seq]))
}

/** Parked envelopes after a position, in the order of their logs. */
export function readParked(read: Pick<Reader, 'all'>, after: { inc: number; seq: number }, limit: number): Problem[] {
  const sql = `SELECT ${problemColumns} FROM sync_problem
    WHERE kind = 'parked' AND (inc, seq) > (?, ?) ORDER BY inc, seq LIMIT ${limit}`
  return read.all(statement<Problem>(sql, [after.inc, after.seq]))
}

/** What lies aside without its details, which may say something of a record; 1,000 at most. */
export function readProblems(read: Pick<Reader, 'all'>): Omit<Problem, 'detail' | 'doc'>[] {
  const sql = 'SELECT inc, seq, kind, reason, since FROM sync_problem ORDER BY inc, seq LIMIT 1000'
  return read.all(statement<Omit<Problem, 'detail' | 'doc'>>(sql))
}

/** Envelopes that failed by a fault of this machine: its disk or its program. After a position, in the order of their logs. */
export function readFailed(
  read: Pick<Reader, 'all'>,
  after: { inc: number; seq: number },
  limit: number,
  reason?: ProblemReason,
): Problem[] {
  const sql = `SELECT ${problemColumns} FROM sync_problem
    WHERE reason IN (?, ?) AND (inc, seq) > (?, ?) ORDER BY inc, seq LIMIT ${limit}`
  const reasons = reason === undefined ? ['damaged_state', 'crashed'] : [reason, reason]
  return read.all(statement<Problem>(sql, [...reasons, after.inc, after.seq]))
}

/** Envelopes their authors may not write, after a position, in the order of their logs. */
export function readForbidden(
  read: Pick<Reader, 'all'>,
  after: { inc: number; seq: number },
  limit: number,
): Problem[] {
  const sql = `SELECT ${problemColumns} FROM sync_problem
    WHERE reason = 'forbidden' AND (inc, seq) > (?, ?) ORDER BY inc, seq LIMIT ${limit}`
  return read.all(statement<Problem>(sql, [after.inc, after.seq]))
}

/** How many lie aside, by kind. */
export function countProblems(read: Pick<Reader, 'get'>): { parked: number; quarantined: number } {
  const sql = `SELECT coalesce(sum(kind = 'parked'), 0) AS parked, coalesce(sum(kind = 'quarantine'), 0) AS quarantined
    FROM sync_problem`
  return read.get(statement<{ parked: number; quarantined: number }>(sql))!
}

/** Tells once per write that an envelope was laid aside for the first time. */
export const noteProblemOpened = (tx: Tx): void => tx.gather(tellOpened, tx)

/** Tells once per write that an envelope does not lie aside any more: applied after all, or given up. */
export const noteProblemClosed = (tx: Tx): void => tx.gather(tellClosed, tx)

function tellOpened([tx]: readonly Tx[]): void {
  tx!.emit(internalContext('sync', 'sync'), { type: 'sync.problem.opened', payload: {} })
}

function tellClosed([tx]: readonly Tx[]): void {
  tx!.emit(internalContext('sync', 'sync'), { type: 'sync.problem.closed', payload: {} })
}
