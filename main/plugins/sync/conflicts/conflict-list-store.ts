// Pages of conflicts and of what lies aside: conditions, order and cursor. SQL of reading only; knows no rights.
import { validationError } from '#shared/errors.ts'
import type { Reads, Statement } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Problem } from '../store/problem-store.ts'
import { problemColumns } from '../store/problem-store.ts'
import type { Conflict, ConflictKind, ConflictRow, ConflictState } from './conflict-store.ts'
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

/** A place in the order of conflicts: newest first, then by id. */
export type ConflictCursor = Pick<Conflict, 'foundAt' | 'id'>

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

/** What lies aside, longest first, after a place. */
export function problemsAfter(
  kind: Problem['kind'] | undefined,
  after: Pick<Problem, 'since' | 'inc' | 'seq'> | null,
  limit: number,
): Statement<Problem> {
  const isKind = kind === undefined ? '' : ' AND kind = ?'
  const isAfter = after === null ? '' : ' AND (since, inc, seq) > (?, ?, ?)'
  return statement(
    `SELECT ${problemColumns} FROM sync_problem WHERE TRUE${isKind}${isAfter} ORDER BY since, inc, seq LIMIT ?`,
    [...(kind === undefined ? [] : [kind]), ...(after === null ? [] : [after.since, after.inc, after.seq]), limit],
  )
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
  const given: readonly (readonly [sql: string, value: unknown])[] = [
    ['object IN (SELECT value FROM json_each(?))', JSON.stringify(objects)],
    ['state = ?', state === 'all' ? undefined : state],
    ['kind = ?', kind],
    ['record_id = ?', recordId],
  ]
  const conditions = given.filter(([, value]) => value !== undefined)
  return { sql: conditions.map(([sql]) => sql).join(' AND '), values: conditions.map(([, value]) => value) }
}
