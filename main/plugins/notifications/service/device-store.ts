// SQL of devices. Rows in, rows out; times in milliseconds.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A device as stored, with its token sealed. */
export interface DeviceRow {
  readonly user_id: string
  readonly id: string
  readonly token_digest: string
  readonly sealed_token: string
  readonly platform: string
  readonly name: string | null
  readonly updated_at: number
}

/** Whose device has a token, by the digest of it. */
export function findDevice(read: Pick<Reads, 'get'>, digest: string): Pick<DeviceRow, 'user_id' | 'id'> | undefined {
  const sql = 'SELECT user_id, id FROM notifications_device WHERE token_digest = ?'
  return read.get(statement<Pick<DeviceRow, 'user_id' | 'id'>>(sql, [digest]))
}

/** Stores a device in the place of whichever had its token or its id, and keeps the newest `most` of its user. */
export function putDevice(tx: Pick<Tx, 'run'>, row: DeviceRow, most: number): void {
  tx.run(statement('DELETE FROM notifications_device WHERE token_digest = ?', [row.token_digest]))
  tx.run(
    statement(
      `INSERT OR REPLACE INTO notifications_device
       (user_id, id, token_digest, sealed_token, platform, name, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [row.user_id, row.id, row.token_digest, row.sealed_token, row.platform, row.name, row.updated_at],
    ),
  )
  tx.run(
    statement(
      `DELETE FROM notifications_device WHERE user_id = ? AND id NOT IN (
         SELECT id FROM notifications_device WHERE user_id = ? ORDER BY updated_at DESC, id DESC LIMIT ?)`,
      [row.user_id, row.user_id, most],
    ),
  )
}

/** Takes a device of a user out; false when the user has none of this id. */
export function deleteDevice(tx: Pick<Tx, 'run'>, userId: string, id: string): boolean {
  const sql = 'DELETE FROM notifications_device WHERE user_id = ? AND id = ?'
  return tx.run(statement(sql, [userId, id])).changes === 1
}

/** The devices of a user. */
export function readDevices(
  read: Pick<Reads, 'all'>,
  userId: string,
): Pick<DeviceRow, 'id' | 'platform' | 'sealed_token'>[] {
  const sql = 'SELECT id, platform, sealed_token FROM notifications_device WHERE user_id = ? ORDER BY id'
  return read.all(statement<Pick<DeviceRow, 'id' | 'platform' | 'sealed_token'>>(sql, [userId]))
}
