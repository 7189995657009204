// SQL of mailed links: one row per kind and account, with the digest of its token. Rows in, rows out.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** Makes a link the one of its kind and account. @param expiresAt ISO instant */
export function putLink(
  tx: Pick<Tx, 'run'>,
  link: { readonly kind: string; readonly account: string; readonly digest: string; readonly expiresAt: string },
): void {
  tx.run(
    statement(
      `INSERT INTO auth_link (kind, account, digest, expiresAt) VALUES (?, ?, ?, ?)
       ON CONFLICT (kind, account) DO UPDATE SET digest = excluded.digest, expiresAt = excluded.expiresAt`,
      [link.kind, link.account, link.digest, link.expiresAt],
    ),
  )
}

/** Whether a link counts at an ISO instant. */
export function hasLink(read: Pick<Reads, 'get'>, kind: string, digest: string, now: string): boolean {
  const sql = 'SELECT 1 FROM auth_link WHERE digest = ? AND kind = ? AND expiresAt > ?'
  return read.get(statement(sql, [digest, kind, now])) !== undefined
}

/** Takes a link out that counts at an ISO instant and answers whose it was. */
export function takeLink(tx: Pick<Tx, 'all'>, kind: string, digest: string, now: string): string | undefined {
  const sql = 'DELETE FROM auth_link WHERE digest = ? AND kind = ? AND expiresAt > ? RETURNING account'
  return tx.all(statement<{ account: string }>(sql, [digest, kind, now])).at(0)?.account
}

/** Takes out the link of a kind that an account has. */
export function deleteLink(tx: Pick<Tx, 'run'>, kind: string, account: string): void {
  tx.run(statement('DELETE FROM auth_link WHERE kind = ? AND account = ?', [kind, account]))
}
