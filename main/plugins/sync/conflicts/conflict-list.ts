// Pages of conflicts and of what lies aside: conditions, order and cursor. SQL of reading only; knows no rights.
import { validationError } from '#shared/errors.ts'
import type { Reads, Statement } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { ConflictKind, ConflictRow, ConflictState } from './conflict-store.ts'
import { conflictColumns } from './conflict-store.ts'

/** The limits of lists. @source sync.md section 17, D-14 */
const defaultLimit = 50
const maxLimit = 200

/** Conditions on conflicts; every given one must hold. */
export interface ConflictFilter {
  readonly state: ConflictState | 'all'
  readonly kind?: ConflictKind | undefined
  readonly recordId?: string | undefined
  /** Uids of the objects whose conflicts count. */
  readonly objects: readonly string[]
}

/** A place in the order of a list: newest first, then by id. */
export interface ConflictCursor {
  readonly foundAt: string
  readonly id: string
}

/** Conflicts after a place. */
export function conflictsAfter(
  filter: ConflictFilter,
  after: ConflictCursor | null,
  limit: number,
): Statement<ConflictRow> {
  const { sql, values } = conditionsOf(filter)
  const isAfter = after === null ? '' : ' AND (found_at, id) < (?, ?)'
  return statement(
    `SELECT ${conflictColumns} FROM sync_conflict WHERE ${sql}${isAfter} ORDER BY found_at DESC, id DESC LIMIT ?`,
    [...values, ...(after === null ? [] : [after.foundAt, after.id]), limit],
  )
}

/** How many conflicts meet the conditions. */
export function countConflicts(read: Pick<Reads, 'get'>, filter: ConflictFilter): number {
  const { sql, values } = conditionsOf(filter)
  const text = `SELECT count(*) AS number FROM sync_conflict WHERE ${sql}`
  return read.get(statement<{ number: number }>(text, values))!.number
}

/** Something that lies aside, as stored. */
export interface ProblemRow {
  readonly inc: number
  readonly seq: number
  readonly kind: 'parked' | 'quarantine'
  readonly reason: string
  readonly detail: string
  readonly doc: string
  readonly since: string
}

/** A place in the list of problems. */
export interface ProblemCursor {
  readonly since: string
  readonly inc: number
  readonly seq: number
}

const problemColumns = 'inc, seq, kind, reason, detail, doc, since'

/** What lies aside, longest first, after a place. */
export function problemsAfter(
  kind: ProblemRow['kind'] | undefined,
  after: ProblemCursor | null,
  limit: number,
): Statement<ProblemRow> {
  const isKind = kind === undefined ? '' : ' AND kind = ?'
  const isAfter = after === null ? '' : ' AND (since, inc, seq) > (?, ?, ?)'
  return statement(
    `SELECT ${problemColumns} FROM sync_problem WHERE TRUE${isKind}${isAfter} ORDER BY since, inc, seq LIMIT ?`,
    [...(kind === undefined ? [] : [kind]), ...(after === null ? [] : [after.since, after.inc, after.seq]), limit],
  )
}

/** How many envelopes lie aside. */
export function countProblems(read: Pick<Reads, 'get'>, kind: ProblemRow['kind'] | undefined): number {
  const sql = `SELECT count(*) AS number FROM sync_problem${kind === undefined ? '' : ' WHERE kind = ?'}`
  return read.get(statement<{ number: number }>(sql, kind === undefined ? [] : [kind]))!.number
}

/** One envelope that lies aside. */
export function readProblem(read: Pick<Reads, 'get'>, inc: number, seq: number): ProblemRow | undefined {
  const sql = `SELECT ${problemColumns} FROM sync_problem WHERE inc = ? AND seq = ?`
  return read.get(statement<ProblemRow>(sql, [inc, seq]))
}

/** @throws validation_error for a limit outside of 1 to 200 (D-14) */
export function checkedLimit(limit: number = defaultLimit): number {
  if (limit >= 1 && limit <= maxLimit) return limit
  const code = limit < 1 ? 'min_value' : 'max_value'
  throw validationError([{ field: 'limit', code, message: `The limit is 1 to ${maxLimit}.`, value: limit }])
}

/** A place as clients carry it. */
export function writeCursor(...parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/**
 * The parts of a cursor.
 * @throws validation_error for one that {@link writeCursor} did not make of so many parts (D-14)
 */
export function readCursor(text: string, types: readonly ('string' | 'number')[]): readonly (string | number)[] {
  const parts = parsed(text)
  const fits =
    Array.isArray(parts) && parts.length === types.length && types.every((type, i) => typeof parts[i] === type)
  if (fits) return parts as (string | number)[]
  throw validationError([{ field: 'cursor', code: 'invalid_format', message: 'The cursor is not one of this list.' }])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}

function conditionsOf({ state, kind, recordId, objects }: ConflictFilter): { sql: string; values: unknown[] } {
  const conditions = ['object IN (SELECT value FROM json_each(?))']
  const values: unknown[] = [JSON.stringify(objects)]
  const add = (sql: string, value: unknown): void => {
    conditions.push(sql)
    values.push(value)
  }
  if (state !== 'all') add('state = ?', state)
  if (kind !== undefined) add('kind = ?', kind)
  if (recordId !== undefined) add('record_id = ?', recordId)
  return { sql: conditions.join(' AND '), values }
}
