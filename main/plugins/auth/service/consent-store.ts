// SQL of what applications hold for people: consents, codes and tokens. Rows in, rows out.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

type Read = Pick<Reads, 'all' | 'get'>

/** What a person lets an application know, with what the application is called. */
export interface ConsentRow {
  readonly id: string
  readonly clientId: string
  readonly userId: string
  readonly clientName: string | null
  readonly clientUri: string | null
  /** A list as JSON. */
  readonly scopes: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** What a user lets applications know, newest first. */
export function readConsents(read: Read, userId: string): ConsentRow[] {
  return read.all(
    statement<ConsentRow>(
      `SELECT c.id, c.clientId, c.userId, o.name AS clientName, o.uri AS clientUri, c.scopes, c.createdAt, c.updatedAt
       FROM auth_oauth_consent c JOIN auth_oauth_client o ON o.clientId = c.clientId
       WHERE c.userId = ? ORDER BY c.updatedAt DESC, c.id`,
      [userId],
    ),
  )
}

/** Takes a consent of a user away with every code and token it led to; false when there is none. */
export function deleteConsent(tx: Tx, userId: string, { id, clientId }: Pick<ConsentRow, 'id' | 'clientId'>): boolean {
  const { changes } = tx.run(statement('DELETE FROM auth_oauth_consent WHERE id = ? AND userId = ?', [id, userId]))
  if (changes === 0) return false
  deleteTokens(tx, userId, clientId)
  return true
}

/** Takes codes and tokens away that applications hold for a user: those of one application, or of all. */
export function deleteTokens(tx: Tx, userId: string, clientId: string | null): void {
  const codes = `DELETE FROM auth_verification WHERE json_valid(value) AND value ->> '$.type' = 'authorization_code'
    AND value ->> '$.userId' = ? AND (? IS NULL OR value ->> '$.query.client_id' = ?)`
  tx.run(statement(codes, [userId, clientId, clientId]))
  for (const table of ['auth_oauth_access_token', 'auth_oauth_refresh_token'])
    tx.run(
      statement(`DELETE FROM ${table} WHERE userId = ? AND (? IS NULL OR clientId = ?)`, [userId, clientId, clientId]),
    )
}

/** Makes an application wait longer between two questions for a code of a device. @param moreMs milliseconds */
export function slowPolling(tx: Pick<Tx, 'run'>, digest: string, moreMs: number): void {
  const sql = 'UPDATE auth_device_code SET pollingInterval = pollingInterval + ? WHERE deviceCode = ?'
  tx.run(statement(sql, [moreMs, digest]))
}

/** Whether an application is registered and not switched off. */
export function hasClient(read: Read, clientId: string): boolean {
  const sql = 'SELECT 1 FROM auth_oauth_client WHERE clientId = ? AND disabled IS NOT 1'
  return read.get(statement(sql, [clientId])) !== undefined
}
