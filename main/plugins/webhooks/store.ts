// The tables of webhooks, deliveries and receivers. SQL only.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A webhook as it is stored; `definition` and what `secrets` seals are JSON. */
export interface WebhookRow {
  readonly id: string
  readonly name: string
  readonly organization_id: string | null
  readonly definition: string
  readonly secrets: string
  readonly failing_since: number | null
  readonly created_by: string
  /** Whoever last said what it sends. */
  readonly saved_by: string
  readonly created_at: number
  readonly updated_at: number
}

/** A delivery as it is stored. */
export interface DeliveryRow {
  readonly seq: number
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly trigger: string
  readonly object: string | null
  readonly record_id: string | null
  readonly status: 'pending' | 'failed' | 'success' | 'dead'
  readonly attempts: string
  readonly request: string | null
  readonly body: string | null
  readonly response_body: string | null
  readonly next_attempt_at: number | null
  /** 1: what it holds goes with its end; 2: it is gone. */
  readonly is_purged: number
  readonly created_at: number
  /** By whose rights it was made. */
  readonly made_for: string
  /** Uids of the fields its body was made from, as JSON; null for a body that was given. */
  readonly fields: string | null
}

/** A delivery that begins. */
export type NewDelivery = Pick<
  DeliveryRow,
  | 'id'
  | 'webhook_id'
  | 'event_id'
  | 'trigger'
  | 'object'
  | 'record_id'
  | 'body'
  | 'next_attempt_at'
  | 'is_purged'
  | 'created_at'
  | 'made_for'
  | 'fields'
>

/** What an attempt makes of a delivery. */
export type DeliveryOutcome = Pick<
  DeliveryRow,
  'id' | 'status' | 'attempts' | 'request' | 'response_body' | 'next_attempt_at'
>

/** A receiver as it is stored. */
export interface ReceiverRow {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly organization_id: string | null
  readonly definition: string
  readonly params: string
  readonly created_by: string
  /** Whoever last said what it does. */
  readonly saved_by: string
  readonly created_at: number
  readonly updated_at: number
}

/** All webhooks by name. */
export function readWebhooks(read: Pick<Reads, 'all'>): WebhookRow[] {
  return read.all(statement<WebhookRow>('SELECT * FROM webhooks_webhook ORDER BY name'))
}

/** Stores a webhook under its id, in place of the one that was there; how long that has failed counts no more. */
export function putWebhook(tx: Tx, row: Omit<WebhookRow, 'failing_since'>): void {
  tx.run(
    statement(
      `INSERT INTO webhooks_webhook (id, name, organization_id, definition, secrets, created_by, created_at, updated_at, saved_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, saved_by = excluded.saved_by,
       definition = excluded.definition, secrets = excluded.secrets, updated_at = excluded.updated_at,
       failing_since = NULL`,
      [
        row.id,
        row.name,
        row.organization_id,
        row.definition,
        row.secrets,
        row.created_by,
        row.created_at,
        row.updated_at,
        row.saved_by,
      ],
    ),
  )
}

/** Since when a webhook only fails; null when it does not. */
export function readFailingSince(read: Pick<Reads, 'get'>, id: string): number | null {
  const sql = 'SELECT failing_since AS since FROM webhooks_webhook WHERE id = ?'
  return read.get(statement<{ since: number | null }>(sql, [id]))?.since ?? null
}

/** Notes since when a webhook only fails; null when it does not. */
export function putFailingSince(tx: Tx, id: string, since: number | null): void {
  tx.run(statement('UPDATE webhooks_webhook SET failing_since = ? WHERE id = ?', [since, id]))
}

/** Removes a webhook with its deliveries. */
export function deleteWebhook(tx: Tx, id: string): void {
  tx.run(statement('DELETE FROM webhooks_webhook WHERE id = ?', [id]))
}

/** Adds a delivery; nothing when the webhook has one of this event. */
export function addDelivery(tx: Tx, row: NewDelivery): boolean {
  const sql = `INSERT INTO webhooks_delivery
    (id, webhook_id, event_id, trigger, object, record_id, status, body, next_attempt_at, is_purged, created_at, made_for,
     fields)
    VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?) ON CONFLICT (webhook_id, event_id) DO NOTHING`
  const { id, webhook_id: webhook, event_id: event, trigger, object, record_id: record, body } = row
  const { next_attempt_at: next, is_purged: purged, created_at: at, made_for: madeFor, fields } = row
  const values = [id, webhook, event, trigger, object, record, body, next, purged, at, madeFor, fields]
  return tx.run(statement(sql, values)).changes > 0
}

/** Notes records that the given body of a delivery may quote. */
export function mentionRecords(tx: Tx, delivery: string, records: readonly string[]): void {
  if (records.length === 0) return
  const sql = 'INSERT OR IGNORE INTO webhooks_mention (record_id, delivery_id) SELECT value, ? FROM json_each(?)'
  tx.run(statement(sql, [delivery, JSON.stringify(records)]))
}

/** The delivery of an event to a webhook. */
export function findDelivery(read: Pick<Reads, 'get'>, webhook: string, event: string): DeliveryRow | undefined {
  const sql = 'SELECT * FROM webhooks_delivery WHERE webhook_id = ? AND event_id = ?'
  return read.get(statement<DeliveryRow>(sql, [webhook, event]))
}

/** One delivery. */
export function readDelivery(read: Pick<Reads, 'get'>, id: string): DeliveryRow | undefined {
  return read.get(statement<DeliveryRow>('SELECT * FROM webhooks_delivery WHERE id = ?', [id]))
}

/** Deliveries that are due, in the order of their events, but for those of some webhooks. */
export function dueDeliveries(
  read: Pick<Reads, 'all'>,
  { now, without, limit }: { now: number; without: readonly string[]; limit: number },
): DeliveryRow[] {
  // By itself SQLite may go through the table, in whose order they are wanted, and so through all that have ended.
  const sql = `SELECT * FROM webhooks_delivery INDEXED BY webhooks_delivery_waiting WHERE next_attempt_at <= ?
    AND webhook_id NOT IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ${limit}`
  return read.all(statement<DeliveryRow>(sql, [now, JSON.stringify(without)]))
}

/** A delivery as it is now; undefined where it has ended or is due later. */
export function dueDelivery(read: Pick<Reads, 'get'>, id: string, now: number): DeliveryRow | undefined {
  return read.get(
    statement<DeliveryRow>('SELECT * FROM webhooks_delivery WHERE id = ? AND next_attempt_at <= ?', [id, now]),
  )
}

/** When the first delivery after an instant is due; null for none. */
export function nextDue(read: Pick<Reads, 'get'>, after: number): number | null {
  const sql = 'SELECT min(next_attempt_at) AS at FROM webhooks_delivery WHERE next_attempt_at > ?'
  return read.get(statement<{ at: number | null }>(sql, [after]))?.at ?? null
}

/**
 * Stores what an attempt came to; what is about a record that is gone for good keeps nothing of it.
 * @param sent the body that was sent, of an attempt: where the delivery has another one by now, nothing is kept of it
 */
export function putOutcome(tx: Tx, outcome: DeliveryOutcome, sent?: string | null): void {
  const { id, status, attempts, request, response_body: response, next_attempt_at: next } = outcome
  const kept = 'iif(? OR body IS ?, ?, NULL)'
  const isSame = [sent === undefined ? 1 : 0, sent ?? null]
  tx.run(
    statement(
      `UPDATE webhooks_delivery SET status = ?, attempts = ?, request = ${kept}, response_body = ${kept},
       next_attempt_at = ? WHERE id = ?`,
      [status, attempts, ...isSame, request, ...isSame, response, next, id],
    ),
  )
  // It was purged while the attempt was under way, or ends with this one.
  tx.run(
    statement(
      `UPDATE webhooks_delivery SET ${forgotten} WHERE id = ? AND (is_purged = 2 OR is_purged = 1 AND next_attempt_at IS NULL)`,
      [id],
    ),
  )
}

const forgotten = `body = NULL, request = NULL, response_body = NULL, is_purged = 2, next_attempt_at = NULL,
  status = CASE WHEN next_attempt_at IS NULL THEN status ELSE 'dead' END`

/** Has a delivery sent again. */
export function retryDelivery(tx: Tx, id: string, at: number): void {
  tx.run(statement(`UPDATE webhooks_delivery SET status = 'pending', next_attempt_at = ? WHERE id = ?`, [at, id]))
}

/** Ends what waits for a webhook that is switched off. @returns how many deliveries */
export function endWaiting(tx: Tx, webhook: string): number {
  const sql = `UPDATE webhooks_delivery SET status = 'dead', next_attempt_at = NULL
    WHERE webhook_id = ? AND next_attempt_at IS NOT NULL`
  return tx.run(statement(sql, [webhook])).changes
}

/** Deliveries that wait for a webhook. */
export function waitingDeliveries(read: Pick<Reads, 'all'>, webhook: string): DeliveryRow[] {
  const sql = 'SELECT * FROM webhooks_delivery WHERE webhook_id = ? AND next_attempt_at IS NOT NULL'
  return read.all(statement<DeliveryRow>(sql, [webhook]))
}

/** Ends one delivery that waits. */
export function endDelivery(tx: Tx, id: string): void {
  tx.run(statement(`UPDATE webhooks_delivery SET status = 'dead', next_attempt_at = NULL WHERE id = ?`, [id]))
}

/** The deliveries that wait, by their ids. */
export function waitingIds(read: Pick<Reads, 'all'>): string[] {
  const sql = 'SELECT id FROM webhooks_delivery WHERE next_attempt_at IS NOT NULL'
  return read.all(statement<{ id: string }>(sql)).map(({ id }) => id)
}

/** What deliveries came to, those that are there. */
export function readOutcomes(read: Pick<Reads, 'all'>, ids: readonly string[]): DeliveryOutcome[] {
  const sql = `SELECT id, status, attempts, request, response_body, next_attempt_at FROM webhooks_delivery
    WHERE id IN (SELECT value FROM json_each(?))`
  return read.all(statement<DeliveryOutcome>(sql, [JSON.stringify(ids)]))
}

/**
 * Forgets what deliveries quote of a record that is gone for good; none of them is sent again (D-59), but what waits to tell
 * of its deletion.
 * @param bare what the latter says from now on; undefined where it is not sent either
 */
export function forgetRecord(tx: Tx, record: string, bare: (delivery: DeliveryRow) => string | null | undefined): void {
  const quoting = 'WHERE (record_id = ? OR id IN (SELECT delivery_id FROM webhooks_mention WHERE record_id = ?))'
  // Looked for first: the UPDATE makes a table of its own each time, also where it finds nothing.
  const first = statement(`SELECT 1 FROM webhooks_delivery ${quoting} LIMIT 1`, [record, record])
  if (tx.get(first) === undefined) return
  const deletions = `SELECT * FROM webhooks_delivery WHERE record_id = ? AND trigger = 'delete'
    AND next_attempt_at IS NOT NULL AND is_purged = 0`
  const told = tx.all(statement<DeliveryRow>(deletions, [record])).filter((delivery) => {
    const body = bare(delivery)
    if (body === undefined) return false
    const sql = `UPDATE webhooks_delivery SET body = ?, fields = '[]', request = NULL, response_body = NULL WHERE id = ?`
    tx.run(statement(sql, [body, delivery.id]))
    return true
  })
  const sql = `UPDATE webhooks_delivery SET ${forgotten} ${quoting} AND id NOT IN (SELECT value FROM json_each(?))`
  tx.run(statement(sql, [record, record, JSON.stringify(told.map(({ id }) => id))]))
}

/** A page of deliveries of a webhook, newest first, and one more where there is one. */
export function listDeliveries(
  read: Pick<Reads, 'all'>,
  webhook: string,
  { status, below, limit }: { status: string | undefined; below: number | null; limit: number },
): DeliveryRow[] {
  const sql = `SELECT * FROM webhooks_delivery WHERE webhook_id = ? ${status === undefined ? '' : 'AND status = ?'}
    ${below === null ? '' : 'AND seq < ?'} ORDER BY seq DESC LIMIT ${limit + 1}`
  const values = [webhook, ...(status === undefined ? [] : [status]), ...(below === null ? [] : [below])]
  return read.all(statement<DeliveryRow>(sql, values))
}

/** How many deliveries of a webhook there are. */
export function countDeliveries(read: Pick<Reads, 'get'>, webhook: string, status: string | undefined): number {
  const sql = `SELECT count(*) AS n FROM webhooks_delivery WHERE webhook_id = ? ${status === undefined ? '' : 'AND status = ?'}`
  return read.get(statement<{ n: number }>(sql, [webhook, ...(status === undefined ? [] : [status])]))?.n ?? 0
}

/** Removes deliveries that ended and are older than an instant, and messages receivers need to know no more. */
export function dropOld(tx: Tx, before: { readonly deliveries: number; readonly messages: number }): void {
  tx.run(
    statement('DELETE FROM webhooks_delivery WHERE created_at < ? AND next_attempt_at IS NULL', [before.deliveries]),
  )
  tx.run(statement('DELETE FROM webhooks_message WHERE at < ?', [before.messages]))
}

/** All receivers by name. */
export function readReceivers(read: Pick<Reads, 'all'>): ReceiverRow[] {
  return read.all(statement<ReceiverRow>('SELECT * FROM webhooks_receiver ORDER BY name'))
}

/** Stores a receiver under its id, in place of the one that was there. */
export function putReceiver(tx: Tx, row: ReceiverRow): void {
  tx.run(
    statement(
      `INSERT INTO webhooks_receiver (id, name, path, organization_id, definition, params, created_by, created_at, updated_at, saved_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, path = excluded.path,
       definition = excluded.definition, params = excluded.params, updated_at = excluded.updated_at,
       saved_by = excluded.saved_by`,
      [
        row.id,
        row.name,
        row.path,
        row.organization_id,
        row.definition,
        row.params,
        row.created_by,
        row.created_at,
        row.updated_at,
        row.saved_by,
      ],
    ),
  )
}

/** Removes a receiver. */
export function deleteReceiver(tx: Tx, id: string): void {
  tx.run(statement('DELETE FROM webhooks_receiver WHERE id = ?', [id]))
}

/** Notes a message of a receiver. @returns false when it was noted before */
export function addMessage(tx: Tx, receiver: string, message: string, at: number): boolean {
  const sql = 'INSERT INTO webhooks_message (receiver_id, message_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  return tx.run(statement(sql, [receiver, message, at])).changes > 0
}

/** Forgets a message whose action failed, so that its sender may send it again. */
export function removeMessage(tx: Tx, receiver: string, message: string): void {
  tx.run(statement('DELETE FROM webhooks_message WHERE receiver_id = ? AND message_id = ?', [receiver, message]))
}
