// The devices that get push messages. Their tokens are sealed and found by a digest.
import { createHash } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import { deleteDevice, findDevice, putDevice, readDevices } from './device-store.ts'

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
        const known = findDevice(tx, digest)
        const id = deviceId || (known?.user_id === userId ? known.id : ids.uuid())
        // A token is one device: whoever signs in there last gets its messages, and nobody else.
        const row = { user_id: userId, id, token_digest: digest, sealed_token: sealed, platform, name: name ?? null }
        putDevice(tx, { ...row, updated_at: clock.now() }, maxDevices)
        return id
      })
    },
    remove: (userId, id) => write('notifications.device-removed', (tx) => deleteDevice(tx, userId, id)),
    async of(userId) {
      const devices: Device[] = []
      for (const { id, platform, sealed_token } of readDevices(read, userId)) {
        // One whose key is gone registers again.
        const token = await secrets.open(sealed_token).catch(() => undefined)
        if (token !== undefined) devices.push({ deviceId: id, platform, token })
      }
      return devices
    },
  }
}
