// SQL of the log: envelopes as they travel, the signed ends of runs, and how far each incarnation is stored and applied.
// Rows in, rows out; knows no document.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Head, SealedEnvelope } from '#main/replication/core/types.ts'

type Reader = Pick<Reads, 'all' | 'get'>

/** How far the log of an incarnation is known here. */
export interface IncarnationRow {
  readonly inc: number
  readonly device: string
  /** Everything up to here is stored. */
  readonly storedSeq: number
  /** Everything up to here is applied or lies aside. */
  readonly appliedSeq: number
  /** Hash of the chain after `storedSeq`. */
  readonly chain: Uint8Array
  /** The last head, and the bytes of envelopes after it. */
  readonly headSeq: number
  readonly headBytes: number
}

const incColumns =
  'inc, device, stored_seq AS storedSeq, applied_seq AS appliedSeq, chain, head_seq AS headSeq, head_bytes AS headBytes'

/** All incarnations, by number. */
export function readIncarnations(read: Reader): IncarnationRow[] {
  return read.all(statement<IncarnationRow>(`SELECT ${incColumns} FROM sync_inc ORDER BY inc`))
}

/** One incarnation; undefined for one that is not known. */
export function readIncarnation(read: Pick<Reader, 'get'>, inc: number): IncarnationRow | undefined {
  return read.get(statement<IncarnationRow>(`SELECT ${incColumns} FROM sync_inc WHERE inc = ?`, [inc]))
}

/** Stores how far an incarnation is. */
export function putIncarnation(tx: Pick<Tx, 'run'>, row: IncarnationRow): void {
  tx.run(
    statement(
      `INSERT INTO sync_inc (inc, device, stored_seq, applied_seq, chain, head_seq, head_bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (inc) DO UPDATE SET stored_seq = excluded.stored_seq, applied_seq = excluded.applied_seq,
         chain = excluded.chain, head_seq = excluded.head_seq, head_bytes = excluded.head_bytes`,
      [row.inc, row.device, row.storedSeq, row.appliedSeq, row.chain, row.headSeq, row.headBytes],
    ),
  )
}

/** Notes how far an incarnation is applied. */
export function putApplied(tx: Pick<Tx, 'run'>, inc: number, appliedSeq: number): void {
  tx.run(statement('UPDATE sync_inc SET applied_seq = ? WHERE inc = ?', [appliedSeq, inc]))
}

/** Adds an envelope. @throws Error when there is one under its number */
export function insertEnvelope(tx: Pick<Tx, 'run'>, { inc, seq, epoch, seal, body }: SealedEnvelope): void {
  const sql = 'INSERT INTO sync_env (inc, seq, epoch, seal, body) VALUES (?, ?, ?, ?, ?)'
  tx.run(statement(sql, [inc, seq, epoch, seal, body]))
}

/** Takes the envelopes of an incarnation away from a number on. */
export function deleteEnvelopes(tx: Pick<Tx, 'run'>, inc: number, from: number): void {
  tx.run(statement('DELETE FROM sync_env WHERE inc = ? AND seq >= ?', [inc, from]))
}

/** Envelopes of an incarnation from a number on. */
export function readEnvelopes(read: Pick<Reader, 'all'>, inc: number, from: number, limit: number): SealedEnvelope[] {
  // A log has no gaps; a bound LIMIT would make SQLite plan anew each time.
  const sql = 'SELECT inc, seq, epoch, seal, body FROM sync_env WHERE inc = ? AND seq >= ? AND seq < ? ORDER BY seq'
  return read.all(statement<SealedEnvelope>(sql, [inc, from, from + limit]))
}

/** One envelope; undefined when it is not here. */
export function readEnvelope(read: Pick<Reader, 'get'>, inc: number, seq: number): SealedEnvelope | undefined {
  const sql = 'SELECT inc, seq, epoch, seal, body FROM sync_env WHERE inc = ? AND seq = ?'
  return read.get(statement<SealedEnvelope>(sql, [inc, seq]))
}

/** Stores a signed head; one that is there stays. */
export function insertHead(tx: Pick<Tx, 'run'>, { inc, seq, hash, sig }: Head): void {
  tx.run(statement('INSERT OR IGNORE INTO sync_head (inc, seq, hash, sig) VALUES (?, ?, ?, ?)', [inc, seq, hash, sig]))
}

/** Heads of an incarnation from a number on. */
export function readHeads(read: Pick<Reader, 'all'>, inc: number, from: number, limit: number): Head[] {
  const sql = `SELECT inc, seq, hash, sig FROM sync_head WHERE inc = ? AND seq >= ? ORDER BY seq LIMIT ${limit}`
  return read.all(statement<Head>(sql, [inc, from]))
}

/** The last head of an incarnation up to a number; undefined where there is none. */
export function readHeadUpTo(read: Pick<Reader, 'get'>, inc: number, seq: number): Head | undefined {
  const sql = 'SELECT inc, seq, hash, sig FROM sync_head WHERE inc = ? AND seq <= ? ORDER BY seq DESC LIMIT 1'
  return read.get(statement<Head>(sql, [inc, seq]))
}

/** Takes the heads of an incarnation away from a number on. */
export function deleteHeads(tx: Pick<Tx, 'run'>, inc: number, from: number): void {
  tx.run(statement('DELETE FROM sync_head WHERE inc = ? AND seq >= ?', [inc, from]))
}

/** Bytes of the whole log. */
export function logBytes(read: Pick<Reader, 'get'>): number {
  const sql = "SELECT coalesce(sum(pgsize), 0) AS bytes FROM dbstat WHERE name = 'sync_env'"
  return read.get(statement<{ bytes: number }>(sql))?.bytes ?? 0
}

/** Where the making of documents stands, as text; undefined before there is a workspace, empty when nothing is left. */
export function readGenesis(read: Pick<Reader, 'get'>): string | undefined {
  return read.get(statement<{ genesis: string }>('SELECT genesis FROM sync_workspace'))?.genesis
}

/** Stores where the making of documents stands. */
export function putGenesis(tx: Pick<Tx, 'run'>, genesis: string): void {
  tx.run(statement('UPDATE sync_workspace SET genesis = ?', [genesis]))
}

/** Whether this machine belongs to a workspace and takes part. */
export function isTakingPart(read: Pick<Reader, 'get'>): boolean {
  return read.get(statement("SELECT 1 FROM sync_workspace WHERE state = 'on' AND length(ws) > 0")) !== undefined
}

/** How far the log of an incarnation is stored; undefined for one that is not known. */
export function readStoredSeq(read: Pick<Reader, 'get'>, inc: number): number | undefined {
  return read.get(statement<{ seq: number }>('SELECT stored_seq AS seq FROM sync_inc WHERE inc = ?', [inc]))?.seq
}
