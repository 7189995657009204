// The row of the workspace, on a real file: settings before and after there is one, and leaving it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestHost } from '../../../../test/support/create-test-host.ts'
import type { TestHost } from '../../../../test/support/create-test-host.ts'
import { statement } from '#main/kernel/database.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { openPeerStore } from './peer-store.ts'
import type { StoredWorkspace } from './workspace-store.ts'
import {
  defaultSettings,
  forgetWorkspace,
  putOn,
  putSettings,
  putWorkspace,
  readSettings,
  readWorkspace,
} from './workspace-store.ts'

let host: TestHost

beforeEach(async () => {
  host = await createTestHost()
})

afterEach(() => host.stop())

const stored: StoredWorkspace = {
  workspace: new Uint8Array(16).fill(7),
  epoch: 1,
  device: 'a'.repeat(32),
  inc: 4_000_000_000,
  bootCounter: 3,
  isOn: true,
  isFounder: true,
  known: [],
}
const settings = { ...defaultSettings, port: 7000, deviceName: 'Study', interfaces: ['127.0.0.1'] }

describe('the workspace of this machine', () => {
  it('is none at first, and has settings all the same', async () => {
    const { read, write } = host.host.database
    expect(readWorkspace(read)).toBeNull()
    expect(readSettings(read)).toEqual(defaultSettings)
    await write('test', (tx) => putSettings(tx, settings))
    expect([readWorkspace(read), readSettings(read)]).toEqual([null, settings])
  })

  it('is stored beside the settings, whichever came first', async () => {
    const { read, write } = host.host.database
    await write('test', (tx) => putSettings(tx, settings))
    await write('test', (tx) => putWorkspace(tx, stored))
    expect([readWorkspace(read), readSettings(read)]).toEqual([stored, settings])
    await write('test', (tx) => putSettings(tx, { ...settings, paused: true }))
    await write('test', (tx) => putOn(tx, false))
    expect(readWorkspace(read)).toEqual({ ...stored, isOn: false })
  })

  it('keeps what the log notes in the same row, and begins empty with another workspace', async () => {
    const { read, write } = host.host.database
    const noted = (): unknown => read.get(statement('SELECT genesis FROM sync_workspace'))
    await write('test', (tx) => {
      putWorkspace(tx, stored)
      tx.run(statement("UPDATE sync_workspace SET genesis = 'half'"))
      putWorkspace(tx, { ...stored, bootCounter: 4 })
    })
    expect(noted()).toEqual({ genesis: 'half' })
    await write('test', (tx) => putWorkspace(tx, { ...stored, workspace: new Uint8Array(16).fill(8) }))
    expect(noted()).toEqual({ genesis: '' })
  })

  it('is left with its log, and without the settings being lost', async () => {
    const { read, write } = host.host.database
    await write('test', (tx) => {
      putSettings(tx, settings)
      putWorkspace(tx, stored)
      tx.run(statement("INSERT INTO sync_env (inc, seq, epoch, seal, body) VALUES (1, 1, 1, 0, x'00')"))
      forgetWorkspace(tx)
    })
    expect([readWorkspace(read), readSettings(read)]).toEqual([null, settings])
    expect(read.get(statement('SELECT 1 FROM sync_env'))).toBeUndefined()
  })
})

describe('what is known of a peer', () => {
  it('comes back as it was, and its log is unknown where an earlier version wrote it', async () => {
    const { read, write } = host.host.database
    const log = createLogger({ destination: { write: () => undefined } })
    const open = () => openPeerStore({ read, write, clock: systemClock, log })
    const id = 'b'.repeat(32)
    const before = open()
    const known = { addresses: ['192.0.2.1:1'], acked: new Map([[5, 7]]), clockOffsetMs: 3 }
    before.note(id, known)
    await before.stop()
    expect(open().of(id)).toMatchObject(known)
    await write('test', (tx) => tx.run(statement("UPDATE sync_peer SET acked = x'010000000507'")))
    expect(open().of(id)).toMatchObject({ ...known, acked: new Map() })
  })
})
