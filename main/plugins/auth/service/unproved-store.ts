// SQL of accounts whose address nobody has proved. Rows in, rows out.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { deleteDeviceCodes } from '../store.ts'
import { deleteKeys } from './key-store.ts'

/** What ends with the proof of an address. */
export interface EndedAccess {
  readonly keys: readonly string[]
  readonly hadSecondFactor: boolean
  readonly sessions: number
  /** Ids of the providers that were ways to sign in. */
  readonly providers: readonly string[]
}

/** Whether an account is still that of whoever signed up for it, and of nobody who took its address over since. */
export function isSelfMade(read: Pick<Reads, 'get'>, id: string): boolean {
  const sql = 'SELECT selfMade FROM auth_user WHERE id = ?'
  return read.get(statement<{ selfMade: number }>(sql, [id]))?.selfMade === 1
}

/** The account somebody made themselves that has this id or address, while its address is not proved. */
export function readUnproved(
  read: Pick<Reads, 'get'>,
  by: { readonly id: string } | { readonly email: string },
): string | undefined {
  const [column, value] = 'id' in by ? ['id', by.id] : ['email', by.email.trim().toLowerCase()]
  const sql = `SELECT id FROM auth_user WHERE ${column} = ? AND emailVerified = 0 AND selfMade = 1`
  return read.get(statement<{ id: string }>(sql, [value]))?.id
}

/**
 * Takes every way in away but applications' consents, and the links and codes that wait to become one; the address is
 * proved from now on. Not the values of the library that hold the user's id alone: among them is that of a link that is
 * being redeemed.
 */
export function endUnprovedAccess(tx: Tx, userId: string, now: string): EndedAccess {
  const keys = deleteKeys(tx, userId)
  const accounts = tx.all(
    statement<{ providerId: string }>('DELETE FROM auth_account WHERE userId = ? RETURNING providerId', [userId]),
  )
  const sessions = tx.run(
    statement('DELETE FROM auth_session WHERE userId = ? OR impersonatedBy = ?', [userId, userId]),
  ).changes
  const before = tx.get(
    statement<{ twoFactorEnabled: number | null }>('SELECT twoFactorEnabled FROM auth_user WHERE id = ?', [userId]),
  )
  tx.run(statement('DELETE FROM auth_two_factor WHERE userId = ?', [userId]))
  deleteDeviceCodes(tx, userId)
  tx.run(statement('DELETE FROM auth_link WHERE account = ?', [userId]))
  tx.run(
    statement("UPDATE auth_invitation SET status = 'canceled' WHERE inviterId = ? AND status = 'pending'", [userId]),
  )
  tx.run(
    statement(
      'UPDATE auth_user SET emailVerified = 1, twoFactorEnabled = 0, selfMade = 0, updatedAt = ? WHERE id = ?',
      [now, userId],
    ),
  )
  return {
    keys,
    hadSecondFactor: before?.twoFactorEnabled === 1,
    sessions,
    providers: accounts.map(({ providerId }) => providerId).filter((id) => id !== 'credential'),
  }
}
