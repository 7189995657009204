// SQL of the mails of accounts that wait to be handed on by a person. Rows in, rows out; times in milliseconds.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A waiting mail as stored. */
export interface MailRow {
  readonly id: string
  readonly recipient: string
  readonly kind: string
  /** The link or code. */
  readonly content: string
  readonly created_at: number
  readonly expires_at: number
}

/** Stores a mail, and takes out those that count no more. */
export function insertMail(tx: Pick<Tx, 'run'>, row: MailRow): void {
  tx.run(statement('DELETE FROM auth_mail WHERE expires_at < ?', [row.created_at]))
  tx.run(
    statement(
      'INSERT INTO auth_mail (id, recipient, kind, content, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
      [row.id, row.recipient, row.kind, row.content, row.created_at, row.expires_at],
    ),
  )
}

/** The mails that count, newest first; 200 at most. */
export function readMails(read: Pick<Reads, 'all'>, now: number): MailRow[] {
  const sql = 'SELECT * FROM auth_mail WHERE expires_at > ? ORDER BY created_at DESC, id DESC LIMIT 200'
  return read.all(statement<MailRow>(sql, [now]))
}

/** The link or code of a mail that counts. */
export function readMailContent(read: Pick<Reads, 'get'>, id: string, now: number): string | undefined {
  const sql = 'SELECT content FROM auth_mail WHERE id = ? AND expires_at > ?'
  return read.get(statement<{ content: string }>(sql, [id, now]))?.content
}
