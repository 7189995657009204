// What a peer is told to be here is on disk, also when somebody else brought it a moment before.
import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { createRelayDevice, testWorkspace } from '../../../../test/support/relay-device.ts'
import { createLogState } from '../engine/log-state.ts'
import { syncMigrations } from '../migrations/index.ts'
import { createReceiver } from './receiver.ts'

it('answers for what came twice once it is on disk', async () => {
  const opened = await openTestDatabase([{ id: 'sync', migrations: syncMigrations }])
  try {
    const { database } = opened
    const keys = generateKeyPairSync('ed25519')
    const writer = createRelayDevice(7, keys)
    const known = { device: 'laptop', user: 'u', publicKey: keys.publicKey, role: 'admin', isRevoked: false } as const
    const devices = { all: () => [known], find: () => known, nameOf: () => undefined }
    const { envelopes, head } = writer.write(3)
    const parts = { workspace: testWorkspace, epoch: 1, read: database.read, write: database.write, devices }
    const first = createLogState([], new Uint8Array(8_192))
    await createReceiver({ ...parts, state: first, stored: () => undefined })(envelopes, head)
    // Committed by another connection a moment ago, and on its way to the disk.
    const state = createLogState([], new Uint8Array(8_192))
    state.committed(7, 3, 0)
    let isAnswered = false
    const answer = createReceiver({ ...parts, state, stored: () => undefined })(envelopes, head).then((result) => {
      isAnswered = true
      return result
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isAnswered).toBe(false)
    state.onDisk(7, 2)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(isAnswered).toBe(false)
    state.onDisk(7, 3)
    expect(await answer).toEqual({ ok: true, stored: 0 })
    expect(state.vector()).toEqual(new Map([[7, 3]]))
  } finally {
    await opened.close()
  }
})
