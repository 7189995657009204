// The devices that get push messages. Their tokens are sealed and found by a digest.
import { createHash } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { SecretStore } from '#main/kernel/ports.ts'

/** A device as it registers. */
export interface DeviceDraft {
  readonly token: string
  readonly platform: 'ios' | 'android' | 'web'
  readonly deviceId?: string | undefined
  readonly name?: string | undefined
}

/** A device as a push gateway is told of it. */
export interface Device {
  readonly deviceId: string
  readonly platform: string
  readonly token: string
}

/** The devices of all users. */
export interface Devices {
  /** Answers the id. The same token, or the same id of the same user, changes the entry there is. */
  register(userId: string, draft: DeviceDraft): Promise<string>
  /** False when the user has no such device. */
  remove(userId: string, id: string): Promise<boolean>
  of(userId: string): Promise<Device[]>
}

const maxDevices = 50

/** Opens the list of devices. */
export function createDevices(parts: {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly secrets: SecretStore
}): Devices {
  const { read, write, clock, ids, secrets } = parts
  return {
    async register(userId, { token, platform, deviceId, name }) {
      const digest = createHash('sha256').update(token).digest('base64url')
      const sealed = await secrets.seal(token)
      return write('notifications.device', (tx) => {
        const known = tx.get<{ user_id: string; id: string }>(
          statement('SELECT user_id, id FROM notifications_device WHERE token_digest = ?', [digest]),
        )
        const id = deviceId ?? (known?.user_id === userId ? known.id : ids.uuid())
        // A token is one device: whoever signs in there last gets its messages, and nobody else.
        tx.run(statement('DELETE FROM notifications_device WHERE token_digest = ?', [digest]))
        tx.run(
          statement(
            `INSERT OR REPLACE INTO notifications_device
             (user_id, id, token_digest, sealed_token, platform, name, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
            [userId, id, digest, sealed, platform, name ?? null, clock.now()],
          ),
        )
        tx.run(
          statement(
            `DELETE FROM notifications_device WHERE user_id = ? AND id NOT IN (
               SELECT id FROM notifications_device WHERE user_id = ? ORDER BY updated_at DESC, id DESC LIMIT ?)`,
            [userId, userId, maxDevices],
          ),
        )
        return id
      })
    },
    remove: (userId, id) =>
      write('notifications.device-removed', (tx) => {
        const sql = 'DELETE FROM notifications_device WHERE user_id = ? AND id = ?'
        return tx.run(statement(sql, [userId, id])).changes === 1
      }),
    async of(userId) {
      const rows = read.all<{ id: string; platform: string; sealed_token: string }>(
        statement('SELECT id, platform, sealed_token FROM notifications_device WHERE user_id = ? ORDER BY id', [
          userId,
        ]),
      )
      const devices: Device[] = []
      for (const { id, platform, sealed_token } of rows) {
        // One whose key is gone registers again.
        const token = await secrets.open(sealed_token).catch(() => undefined)
        if (token !== undefined) devices.push({ deviceId: id, platform, token })
      }
      return devices
    },
  }
}
