// SQL of the queue of posts. Rows in, rows out; times in milliseconds.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { WebhookChannel } from './messages.ts'

/** A post that waits; the notification and what it quotes as JSON. */
export interface DeliveryRow {
  readonly seq: number
  readonly user_id: string
  readonly channel: WebhookChannel
  readonly notification: string
  readonly quotes: string | null
  readonly organization_id: string | null
  readonly created_at: number
  readonly attempts: number
}

/** Adds a post, due at once. */
export function insertDelivery(
  tx: Pick<Tx, 'run'>,
  row: Omit<DeliveryRow, 'seq' | 'attempts'> & { readonly record_id: string | null },
): void {
  tx.run(
    statement(
      `INSERT INTO notifications_delivery
       (user_id, channel, notification, quotes, organization_id, record_id, created_at, next_attempt_at, attempts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
      [
        row.user_id,
        row.channel,
        row.notification,
        row.quotes,
        row.organization_id,
        row.record_id,
        row.created_at,
        row.created_at,
      ],
    ),
  )
}

/** The posts that are due, oldest first. */
export function readDue(read: Pick<Reads, 'all'>, now: number, limit: number): DeliveryRow[] {
  const sql = 'SELECT * FROM notifications_delivery WHERE next_attempt_at <= ? ORDER BY seq LIMIT ?'
  return read.all(statement<DeliveryRow>(sql, [now, limit]))
}

/** When the next post is due; null when none waits. */
export function readNextAttempt(read: Pick<Reads, 'get'>): number | null {
  const sql = 'SELECT min(next_attempt_at) AS at FROM notifications_delivery'
  return read.get(statement<{ at: number | null }>(sql))?.at ?? null
}

/** Takes a post out. */
export function deleteDelivery(tx: Pick<Tx, 'run'>, seq: number): void {
  tx.run(statement('DELETE FROM notifications_delivery WHERE seq = ?', [seq]))
}

/**
 * Counts a failure, and lets all posts to the same address wait.
 * @returns how many of them were given up, because they are of before `givenUpBefore`
 */
export function putOffDeliveries(
  tx: Pick<Tx, 'run'>,
  { seq, user_id: userId, channel }: DeliveryRow,
  nextAttemptAt: number,
  givenUpBefore: number,
): number {
  tx.run(statement('UPDATE notifications_delivery SET attempts = attempts + 1 WHERE seq = ?', [seq]))
  const ofTarget = 'WHERE user_id = ? AND channel = ?'
  const later = `UPDATE notifications_delivery SET next_attempt_at = ? ${ofTarget}`
  tx.run(statement(later, [nextAttemptAt, userId, channel]))
  const sql = `DELETE FROM notifications_delivery ${ofTarget} AND created_at < ?`
  return tx.run(statement(sql, [userId, channel, givenUpBefore])).changes
}

/** The posts that wait, by number. */
export function readWaiting(read: Pick<Reads, 'all'>): number[] {
  return read.all(statement<{ seq: number }>('SELECT seq FROM notifications_delivery')).map(({ seq }) => seq)
}

/** Takes the posts out that are not among those which wait. */
export function endSent(tx: Pick<Tx, 'run'>, waiting: readonly number[]): void {
  const sql = 'DELETE FROM notifications_delivery WHERE seq NOT IN (SELECT value FROM json_each(?))'
  tx.run(statement(sql, [JSON.stringify(waiting)]))
}

/** Takes away what waits and quotes a record. */
export function removeDeliveriesAbout(tx: Pick<Tx, 'run'>, recordId: string): void {
  tx.run(statement('DELETE FROM notifications_delivery WHERE record_id = ?', [recordId]))
}
