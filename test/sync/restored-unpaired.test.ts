// A machine that was unpaired stays so when a backup of before is put back (D-410): whoever has it may not read on with it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, listen, pair, pause, until } from '../support/synced-hosts.ts'

it('does not come back with a backup in which it takes part', { timeout: 120_000 }, async () => {
  const desk = await createTestHost()
  const [laptop, phone] = await Promise.all([createSyncedHost(), createSyncedHost()])
  try {
    await listen(desk)
    expect((await desk.post('/sync/enable', { deviceName: 'Desk' })).status).toBe(202)
    await desk.defineObject('part', { title: { type: 'text' } })
    await pair(desk, laptop)
    await pair(desk, phone, 'Phone')
    await inStep([desk, laptop, phone])
    const { body: backup } = await desk.post('/backups')
    // It is lost while it is away, and learns nothing of it.
    await pause(laptop, true)
    await pause(phone, true)
    const { id } = (await laptop.get('/sync/status')).body.device
    expect((await desk.delete(`/sync/peers/${id}`)).status).toBe(200)
    const { stopped } = desk.host
    await desk.post(`/backups/${backup.id}/restore`, { confirm: backup.id })
    expect(await stopped).toBe('restart')
    await desk.restart()

    const { body } = await desk.get('/sync/peers')
    const peers = body.peers as { id: string; name: string; state: string }[]
    expect(peers.filter((peer) => peer.id === id).map(({ state }) => state)).toEqual(['unpaired'])
    await desk.post('/data/part', { title: 'not for everybody' })
    await laptop.patch('/sync/settings', { paused: false })
    await until('it is told', async () => {
      const status = (await laptop.get('/sync/status')).body
      return status.state === 'attention' && status.reason === 'unpaired'
    })
    expect((await laptop.get('/data/part')).body.records).toEqual([])
    // Who was not unpaired is let in as before.
    await phone.patch('/sync/settings', { paused: false })
    await inStep([desk, phone])
    expect((await phone.get('/data/part')).body.records).toMatchObject([{ title: 'not for everybody' }])
  } finally {
    await Promise.all([desk, laptop, phone].map((host) => host.stop()))
  }
})

it.each(['is off', 'cannot start'])(
  'does not come back where sync %s after the restore',
  { timeout: 120_000 },
  async (how) => {
    const desk = await createTestHost()
    const tablet = await createSyncedHost()
    try {
      await listen(desk)
      expect((await desk.post('/sync/enable', { deviceName: 'Desk' })).status).toBe(202)
      await desk.defineObject('part', { title: { type: 'text' } })
      await pair(desk, tablet)
      await inStep([desk, tablet])
      if (how === 'is off') expect((await desk.post('/sync/disable')).status).toBe(200)
      const { body: backup } = await desk.post('/backups')
      if (how === 'is off') expect((await desk.post('/sync/enable', { deviceName: 'Desk' })).status).toBe(202)
      await pause(tablet, true)
      const { id } = (await tablet.get('/sync/status')).body.device
      expect((await desk.delete(`/sync/peers/${id}`)).status).toBe(200)
      const { stopped } = desk.host
      await desk.post(`/backups/${backup.id}/restore`, { confirm: backup.id })
      expect(await stopped).toBe('restart')
      const keys = join(desk.dataDir, 'sync-device.json')
      const kept = readFileSync(keys)
      if (how === 'cannot start') writeFileSync(keys, '{')
      await desk.restart()
      expect((await desk.get('/sync/status')).body.state).toBe(how === 'is off' ? 'off' : 'attention')
      writeFileSync(keys, kept)
      // What was noted at the first start is not lost with the next one.
      await desk.restart()

      if (how === 'is off') expect((await desk.post('/sync/enable', { deviceName: 'Desk' })).status).toBe(202)
      const peers = (await desk.get('/sync/peers')).body.peers as { id: string; state: string }[]
      expect(peers.filter((peer) => peer.id === id).map(({ state }) => state)).toEqual(['unpaired'])
      await listen(desk)
      await desk.post('/data/part', { title: 'not for everybody' })
      await tablet.patch('/sync/settings', { paused: false })
      await until('it is told', async () => (await tablet.get('/sync/status')).body.reason === 'unpaired')
      expect((await tablet.get('/data/part')).body.records).toEqual([])
    } finally {
      await Promise.all([desk, tablet].map((host) => host.stop()))
    }
  },
)
