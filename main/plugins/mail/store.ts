// SQL of the tables mail_message, mail_about and mail_cause.
import { createHash } from 'node:crypto'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A mail that waits. */
export interface WaitingMessage {
  /** The order in which mails are sent. */
  readonly seq: number
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly body: string
  readonly html: string | null
  /** What subject and body are made of when it leaves; null when they are there. */
  readonly material: string | null
  /** Milliseconds, as `nextAttemptAt`. */
  readonly createdAt: number
  readonly attempts: number
}

/** Notes a cause. Answers false when it was there before. */
export function putCause(tx: Tx, key: string, now: number): boolean {
  const digest = createHash('sha256').update(key).digest('base64url')
  return tx.run(statement('INSERT OR IGNORE INTO mail_cause (digest, at) VALUES (?, ?)', [digest, now])).changes === 1
}

/** Forgets causes noted before an instant. */
export function forgetCauses(tx: Tx, before: number): void {
  tx.run(statement('DELETE FROM mail_cause WHERE at < ?', [before]))
}

/** Adds a mail that is due now, with the records it quotes. */
export function insertMessage(
  tx: Tx,
  message: Omit<WaitingMessage, 'seq' | 'attempts'>,
  about: readonly string[],
): void {
  const { id, recipient, subject, body, html, material, createdAt } = message
  const { lastInsertRowid } = tx.run(
    statement(
      `INSERT INTO mail_message (id, recipient, subject, body, html, material, created_at, next_attempt_at, attempts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
      [id, recipient, subject, body, html, material, createdAt, createdAt],
    ),
  )
  for (const recordId of about) {
    const sql = 'INSERT OR IGNORE INTO mail_about (record_id, message_seq) VALUES (?, ?)'
    tx.run(statement(sql, [recordId, lastInsertRowid]))
  }
}

/** The oldest mail that is due. */
export function firstDue(read: Pick<Reads, 'get'>, now: number): WaitingMessage | undefined {
  return read.get(
    statement<WaitingMessage>(
      `SELECT seq, id, recipient, subject, body, html, material, created_at AS createdAt, attempts
       FROM mail_message WHERE next_attempt_at <= ? ORDER BY seq LIMIT 1`,
      [now],
    ),
  )
}

/** When the next mail is due; undefined when none waits. */
export function nextDueAt(read: Pick<Reads, 'get'>): number | undefined {
  const found = read.get<{ at: number | null }>(statement('SELECT min(next_attempt_at) AS at FROM mail_message'))
  return found?.at ?? undefined
}

/** Takes a mail away: it was sent or given up. */
export function removeMessage(tx: Tx, seq: number): void {
  tx.run(statement('DELETE FROM mail_message WHERE seq = ?', [seq]))
}

/** Takes all mails away that wait since before an instant; answers how many there were. */
export function removeMessagesBefore(tx: Tx, before: number): number {
  return tx.run(statement('DELETE FROM mail_message WHERE created_at < ?', [before])).changes
}

/** Puts a mail off. */
export function postpone(tx: Tx, seq: number, nextAttemptAt: number): void {
  tx.run(
    statement('UPDATE mail_message SET attempts = attempts + 1, next_attempt_at = ? WHERE seq = ?', [
      nextAttemptAt,
      seq,
    ]),
  )
}

/** Takes the mails away that quote a record. */
export function removeMessagesAbout(tx: Tx, recordId: string): void {
  const quoting = 'SELECT message_seq FROM mail_about WHERE record_id = ?'
  tx.run(statement(`DELETE FROM mail_message WHERE seq IN (${quoting})`, [recordId]))
}

/** What waits, by ids, and the causes that had their mail. */
export interface MailQueue {
  readonly waiting: readonly string[]
  readonly causes: readonly { readonly digest: string; readonly at: number }[]
}

/** The queue as it is. */
export function readQueue(read: Pick<Reads, 'all'>): MailQueue {
  return {
    waiting: read.all(statement<{ id: string }>('SELECT id FROM mail_message')).map(({ id }) => id),
    causes: read.all(statement<MailQueue['causes'][number]>('SELECT digest, at FROM mail_cause')),
  }
}

/** Takes the mails away that wait in another queue no more, and notes the causes that had theirs. */
export function endSent(tx: Tx, { waiting, causes }: MailQueue): void {
  const sql = 'DELETE FROM mail_message WHERE id NOT IN (SELECT value FROM json_each(?))'
  tx.run(statement(sql, [JSON.stringify(waiting)]))
  for (const { digest, at } of causes)
    tx.run(statement('INSERT OR IGNORE INTO mail_cause (digest, at) VALUES (?, ?)', [digest, at]))
}
