// SQL of the outbox: the events durable consumers want, and how far each consumer is. Rows in, rows out.
import type { Reads, Tx } from './database.ts'
import { statement } from './database.ts'
import type { Migration } from './plugin.ts'

/** The tables of the outbox. `seq` never falls back, even when all rows are gone and the clock was turned back. */
export const outboxTables: Migration = {
  number: 1,
  name: 'outbox',
  sql: `
    CREATE TABLE _outbox (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      consumers TEXT NOT NULL,
      event TEXT NOT NULL
    ) STRICT;
    CREATE TABLE _outbox_cursor (
      consumer TEXT PRIMARY KEY,
      seq INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}

/** A stored event as text, with the names of the consumers that want it, as JSON. */
export interface OutboxRow {
  readonly seq: number
  readonly consumers: string
  readonly event: string
}

/** Adds an event at the end. */
export function appendEvent(tx: Pick<Tx, 'run'>, consumers: string, event: string): void {
  tx.run(statement('INSERT INTO _outbox (consumers, event) VALUES (?, ?)', [consumers, event]))
}

/** The next events after a number, in order. */
export function readEvents(read: Pick<Reads, 'all'>, after: number, limit: number): OutboxRow[] {
  const sql = `SELECT seq, consumers, event FROM _outbox WHERE seq > ? ORDER BY seq LIMIT ${limit}`
  return read.all<OutboxRow>(statement(sql, [after]))
}

/** Number of events that are kept. */
export function countEvents(read: Pick<Reads, 'get'>): number {
  return read.get<{ count: number }>(statement('SELECT count(*) AS count FROM _outbox'))?.count ?? 0
}

/** Drops the events up to a number. */
export function deleteEvents(tx: Pick<Tx, 'run'>, upTo: number): void {
  tx.run(statement('DELETE FROM _outbox WHERE seq <= ?', [upTo]))
}

/** Where a consumer is; undefined for one that was never here. */
export function readCursor(read: Pick<Reads, 'get'>, consumer: string): number | undefined {
  return read.get<{ seq: number }>(statement('SELECT seq FROM _outbox_cursor WHERE consumer = ?', [consumer]))?.seq
}

/** Where all consumers are that were ever here. */
export function readCursors(read: Pick<Reads, 'all'>): { consumer: string; seq: number }[] {
  return read.all<{ consumer: string; seq: number }>(statement('SELECT consumer, seq FROM _outbox_cursor'))
}

/** Consumers whose cursor was not stored since a time in milliseconds. */
export function readIdleConsumers(read: Pick<Reads, 'all'>, since: number): string[] {
  const sql = 'SELECT consumer FROM _outbox_cursor WHERE updated_at < ?'
  return read.all<{ consumer: string }>(statement(sql, [since])).map(({ consumer }) => consumer)
}

/** Stores where a consumer is. @param at milliseconds */
export function putCursor(tx: Pick<Tx, 'run'>, consumer: string, seq: number, at: number): void {
  tx.run(
    statement(
      `INSERT INTO _outbox_cursor (consumer, seq, updated_at) VALUES (?, ?, ?)
       ON CONFLICT (consumer) DO UPDATE SET seq = excluded.seq, updated_at = excluded.updated_at`,
      [consumer, seq, at],
    ),
  )
}

/** Forgets a consumer. */
export function deleteCursor(tx: Pick<Tx, 'run'>, consumer: string): void {
  tx.run(statement('DELETE FROM _outbox_cursor WHERE consumer = ?', [consumer]))
}
