// SQL of the tables audit_entry and audit_key. Relies on the triggers that refuse changes.
import type { Reads, Statement, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { AuditOutcome } from './api.ts'
import type { EntryRow, Head } from './service/entry.ts'
import { genesis } from './service/entry.ts'

const columns = [
  'seq',
  'at',
  'kind',
  'outcome',
  'actor_type',
  'actor_id',
  'real_user_id',
  'credential',
  'credential_digest',
  'organization_id',
  'object',
  'item_type',
  'item_name',
  'record_id',
  'details',
  'request_id',
  'source',
  'prev',
  'hash',
] as const satisfies readonly (keyof EntryRow)[]

const insertSql = `INSERT INTO audit_entry (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
const selectSql = `SELECT ${columns.join(', ')} FROM audit_entry`

/** A stored key of the chain, sealed. */
export interface KeyRow {
  readonly number: number
  /** The first entry it was used for. */
  readonly firstSeq: number
  readonly sealed: string
}

/** Conditions on entries; every given one must hold. */
export interface EntryFilter {
  /** Whole kinds, or families as `auth.*`; any of them. */
  readonly kinds?: readonly string[] | undefined
  /** The actor or the user behind it. */
  readonly actorId?: string | undefined
  readonly object?: string | undefined
  readonly outcome?: AuditOutcome | undefined
  /** ISO 8601, UTC; inclusive. */
  readonly since?: string | undefined
  /** ISO 8601, UTC; exclusive. */
  readonly until?: string | undefined
  /** Entries of this organization and of none; null for all. */
  readonly organizationId?: string | null
  /** Whether those of none that tell of records are among them: what was there before belongs to one organization. */
  readonly withEarlier?: boolean
}

/** Adds an entry. */
export function insertEntry(tx: Pick<Tx, 'run'>, entry: EntryRow): void {
  tx.run(
    statement(
      insertSql,
      columns.map((column) => entry[column]),
    ),
  )
}

/** The last entry's place, or the beginning. */
export function readHead(read: Pick<Reads, 'get'>): Head {
  return read.get(statement<Head>('SELECT seq, hash FROM audit_entry ORDER BY seq DESC LIMIT 1')) ?? genesis
}

/** The hash of an entry; undefined when there is none of this number. */
export function readHash(read: Pick<Reads, 'get'>, seq: number): string | undefined {
  if (seq === 0) return genesis.hash
  return read.get(statement<{ hash: string }>('SELECT hash FROM audit_entry WHERE seq = ?', [seq]))?.hash
}

/** Entries in the order of the chain after a number. */
export function entriesAfter(seq: number, limit: number): Statement<EntryRow> {
  return statement(`${selectSql} WHERE seq > ? ORDER BY seq LIMIT ?`, [seq, limit])
}

/** Entries that meet the conditions, newest first, below a number. */
export function entriesBelow(filter: EntryFilter, below: number | null, limit: number): Statement<EntryRow> {
  const { conditions, values } = conditionsOf(filter)
  if (below !== null) {
    conditions.push('seq < ?')
    values.push(below)
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  return statement(`${selectSql}${where} ORDER BY seq DESC LIMIT ?`, [...values, limit])
}

function conditionsOf(filter: EntryFilter): { conditions: string[]; values: unknown[] } {
  const conditions: string[] = []
  const values: unknown[] = []
  const add = (sql: string, ...bound: readonly unknown[]): void => {
    conditions.push(sql)
    values.push(...bound)
  }
  if (filter.kinds !== undefined) {
    // A family is a range of texts: everything from `auth.` to just before `auth/`.
    const parts = filter.kinds.map((kind) => (kind.endsWith('.*') ? '(kind >= ? AND kind < ?)' : 'kind = ?'))
    const bound = filter.kinds.flatMap((kind) =>
      kind.endsWith('.*') ? [kind.slice(0, -1), `${kind.slice(0, -2)}/`] : [kind],
    )
    add(parts.length === 0 ? 'FALSE' : `(${parts.join(' OR ')})`, ...bound)
  }
  if (filter.actorId !== undefined) add('(actor_id = ? OR real_user_id = ?)', filter.actorId, filter.actorId)
  if (filter.object !== undefined) add('object = ?', filter.object)
  if (filter.outcome !== undefined) add('outcome = ?', filter.outcome)
  if (filter.since !== undefined) add('at >= ?', filter.since)
  if (filter.until !== undefined) add('at < ?', filter.until)
  if (filter.organizationId != null) {
    const ofNone = filter.withEarlier === true ? '' : ' AND object IS NULL'
    add(`(organization_id = ? OR (organization_id IS NULL${ofNone}))`, filter.organizationId)
  }
  return { conditions, values }
}

/** The kinds there are entries of. */
export function readKinds(read: Pick<Reads, 'all'>): string[] {
  // One step of the index per kind, however many entries there are.
  const sql = `
    WITH RECURSIVE found (kind) AS (
      SELECT min(kind) FROM audit_entry
      UNION ALL
      SELECT (SELECT min(kind) FROM audit_entry WHERE kind > found.kind) FROM found WHERE found.kind IS NOT NULL
    )
    SELECT kind FROM found WHERE kind IS NOT NULL`
  return read.all(statement<{ kind: string }>(sql)).map(({ kind }) => kind)
}

/** The details of the cut that removed everything through a number; undefined when there is none. */
export function readCut(read: Pick<Reads, 'get'>, through: number): string | undefined {
  const sql = `SELECT details FROM audit_entry WHERE kind = 'audit.cut' AND json_extract(details, '$.through') = ? LIMIT 1`
  return read.get(statement<{ details: string }>(sql, [through]))?.details
}

/** The first entry, and the last one before an instant among the first `limit`; never the end of the chain. */
export function readOutdated(
  read: Pick<Reads, 'get'>,
  before: string,
  limit: number,
): { first: number; through: number; hash: string } | undefined {
  const sql = `
    WITH beginning AS (SELECT seq, at, hash FROM audit_entry ORDER BY seq LIMIT ?), ending AS (SELECT max(seq) AS seq FROM audit_entry)
    SELECT (SELECT min(seq) FROM beginning) AS first, seq AS through, hash FROM beginning
    WHERE seq < (SELECT coalesce(min(seq), 9e18) FROM beginning WHERE at >= ?) AND seq < (SELECT seq FROM ending)
    ORDER BY seq DESC LIMIT 1`
  return read.get(statement<{ first: number; through: number; hash: string }>(sql, [limit, before]))
}

/** Removes a beginning; refused unless a stored cut names it. */
export function deleteThrough(tx: Pick<Tx, 'run'>, through: number): void {
  tx.run(statement('DELETE FROM audit_entry WHERE seq <= ?', [through]))
}

/** The keys, oldest first. */
export function readKeys(read: Pick<Reads, 'all'>): KeyRow[] {
  return read.all(
    statement<KeyRow>('SELECT number, first_seq AS firstSeq, sealed FROM audit_key ORDER BY first_seq, number'),
  )
}

/** Stores a key. */
export function insertKey(tx: Pick<Tx, 'run'>, key: Omit<KeyRow, 'number'>, at: string): void {
  tx.run(
    statement('INSERT INTO audit_key (first_seq, sealed, created_at) VALUES (?, ?, ?)', [key.firstSeq, key.sealed, at]),
  )
}
