// Who may do what with sync, what is refused because of time or damage, and what reaches the channel `sync`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { createAuthHost } from '../support/auth-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { openSocket } from '../support/realtime-client.ts'
import {
  beginPairing,
  createSyncedHost,
  listen,
  pair,
  startFounder,
  until,
  withoutBackups,
} from '../support/synced-hosts.ts'

const hosts: TestHost[] = []
const kept = <T extends TestHost>(host: T): T => {
  hosts.push(host)
  return host
}

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop()
})

describe('rights', () => {
  it('lets every user see the status and none but administrators change anything', async () => {
    const host = kept(await createAuthHost({}, { plugins: withoutBackups([...corePlugins, ...optionalPlugins]) }))
    await host.account('ann')
    const token = await host.signIn('ann')
    const as = (method: string, path: string, body?: unknown) => host.as(token, method, path, body)
    expect((await as('GET', '/sync/status')).status).toBe(200)
    const id = '01900000-0000-7000-8000-000000000000'
    const refused = await Promise.all([
      as('GET', '/sync/settings'),
      as('GET', '/sync/diagnostics'),
      as('GET', `/sync/pairing/${id}`),
      as('POST', '/sync/enable'),
      as('POST', '/sync/disable'),
      as('PATCH', '/sync/settings', { paused: true }),
      as('PATCH', '/sync/peers/relay', { paused: true }),
      as('DELETE', '/sync/peers/relay'),
      as('POST', '/sync/peers/relay/reconnect'),
      as('POST', '/sync/pairing'),
      as('POST', '/sync/pairing/join', { code: '1234567', address: '127.0.0.1:1', deviceName: 'X' }),
      as('POST', `/sync/pairing/${id}/confirm`, { matches: true }),
      as('DELETE', `/sync/pairing/${id}`),
      as('POST', '/sync/verify'),
    ])
    expect(refused.map(({ status, body }) => `${status} ${body.error.code}`)).toEqual(
      refused.map(() => '403 permission_denied'),
    )
    expect((await host.anonymous('GET', '/sync/status')).status).toBe(401)
    expect((await host.get('/sync/status')).body.state).toBe('off')
  })

  it('invites no machine of somebody who may not read everything', async () => {
    const host = kept(await createAuthHost({}, { plugins: withoutBackups([...corePlugins, ...optionalPlugins]) }))
    const ann = await host.account('ann')
    await host.defineObject('secret', { title: { type: 'text' } }, { sharingModel: 'private' })
    await listen(host)
    await host.post('/sync/enable')
    const { status, body } = await host.post('/sync/pairing', { user: ann.id })
    expect([status, body.error.code, body.error.details]).toEqual([409, 'pairing_refused', { reason: 'rights' }])
    const nobody = await host.post('/sync/pairing', { user: 'nobody' })
    expect(nobody.body.error.details.fieldErrors[0]).toMatchObject({ field: 'user', code: 'invalid_reference' })
    expect((await host.post('/sync/pairing')).status).toBe(201)
  })
})

describe('organizations', () => {
  it('keep machines from being invited and from joining, in words, with objects and without', async () => {
    const plugins = withoutBackups([...corePlugins, ...optionalPlugins])
    const host = kept(await createAuthHost({ plugins: { organization: true } }, { plugins }))
    await listen(host)
    await host.post('/sync/enable')
    const join = { code: '1234567', address: '127.0.0.1:1', deviceName: 'Laptop' }
    for (const object of [null, 'note']) {
      if (object !== null) await host.defineObject(object, { title: { type: 'text' } })
      for (const answer of [await host.post('/sync/pairing'), await host.post('/sync/pairing/join', join)])
        expect([answer.status, answer.body.error.code, answer.body.error.details]).toEqual([
          409,
          'pairing_refused',
          { reason: 'organizations' },
        ])
    }
  })
})

describe('organizations that are switched on while machines are paired', { timeout: 60_000 }, () => {
  it('keep what is here from those machines, which is said on both, until they are off again (D-301, D-349)', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-sync-rights-'))
    const plugins = withoutBackups([...corePlugins, ...optionalPlugins])
    const start = (organization: boolean) => createAuthHost({ plugins: { organization } }, { dataDir, plugins })
    let host = await start(false)
    try {
      await host.defineObject('note', { title: { type: 'text' } })
      await listen(host)
      await host.post('/sync/enable')
      const laptop = kept(await createSyncedHost())
      await pair(host, laptop)
      const [{ id: desk }] = (await laptop.get('/sync/peers')).body.peers
      const again = async (organization: boolean, told: string): Promise<void> => {
        await host.stop()
        host = await start(organization)
        await laptop.post(`/sync/peers/${desk}/reconnect`)
        for (const one of [host, laptop])
          await until(`both say ${told}`, async () => {
            const { state, reason = '' } = (await one.get('/sync/status')).body
            return `${state} ${reason}`.trim() === told
          })
      }
      await again(true, 'attention rights')
      const { id } = (await host.post('/data/note', { title: 'Of an organization' })).body
      const theirs = (await laptop.post('/data/note', { title: 'Of the laptop' })).body.id
      expect((await laptop.post('/sync/barrier', { on: 'all', timeoutMs: 10_000 })).body.reached).toBe(true)
      expect((await laptop.get(`/data/note/${id}`)).status).toBe(404)
      expect((await laptop.get('/sync/status')).body.proof).toBeUndefined()
      await again(false, 'up_to_date')
      for (const one of [host, laptop])
        for (const note of [id, theirs]) expect((await one.get(`/data/note/${note}`)).status).toBe(200)
    } finally {
      await host.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})

describe('rights that are handed on', () => {
  it('are those of who invites: nobody but an administrator lets in a machine of somebody else, or one of administrators', async () => {
    const host = kept(await createAuthHost({}, { plugins: withoutBackups([...corePlugins, ...optionalPlugins]) }))
    const { id } = await host.account('ann')
    const item = {
      name: 'keeper',
      systemPermissions: ['manage_settings'],
      objects: {},
      fields: {},
      rowLevelSecurity: [],
    }
    await host.put('/meta/profile/keeper', item)
    await host.put(`/permissions/assignments/${id}`, { profile: 'keeper', roles: [], permissionSets: [] })
    const token = await host.signIn('ann')
    await host.put('/meta/permission/settings', { ...item, name: 'settings' })
    const { key } = (await host.post('/keys', { name: 'Part', permissionSets: ['settings'] })).body
    await listen(host)
    await host.post('/sync/enable')
    const invite = async (credential: string, body: object) => {
      const answer = await host.as(credential, 'POST', '/sync/pairing', body)
      return [answer.status, answer.body.error?.details.reason]
    }
    const refused = [409, 'rights']
    const { id: other } = await host.account('bob')
    expect(await invite(token, { user: localOwnerId })).toEqual(refused)
    expect(await invite(token, { user: localOwnerId, role: 'member' })).toEqual(refused)
    expect(await invite(token, { user: other, role: 'member' })).toEqual(refused)
    expect(await invite(key, { user: other })).toEqual(refused)
    expect(await invite(token, { role: 'admin' })).toEqual(refused)
    // A machine has all that its person has, for good.
    expect(await invite(key, {})).toEqual(refused)
    const acting = (await host.post('/auth/admin/impersonate-user', { userId: id })).body.session.token as string
    expect(await invite(acting, {})).toEqual(refused)
    // There is nothing ann may not read yet.
    expect(await invite(token, {})).toEqual([201, undefined])
    expect(await invite(token, { role: 'member' })).toEqual([201, undefined])
    expect((await host.post('/sync/pairing', { user: other })).status).toBe(201)
  })
})

it('where a machine is reached is told to who may manage settings alone, in lists and events', async () => {
  const home = kept(await createAuthHost({}, { plugins: withoutBackups([...corePlugins, ...optionalPlugins]) }))
  await home.account('ann')
  const token = await home.signIn('ann')
  await listen(home)
  await home.post('/sync/enable', { deviceName: 'Study' })
  const other = kept(await createSyncedHost())
  await listen(other)
  const clients = await Promise.all(
    [home.host.token, token].map((one) => openSocket(home.host.url, { headers: { authorization: `Bearer ${one}` } })),
  )
  for (const client of clients) await client.subscribe('sync')
  await pair(home, other)
  const listed = async (one: string) => (await home.as(one, 'GET', '/sync/peers')).body.peers[0]
  await until('the address is known', async () => (await listed(home.host.token))?.address ?? undefined)
  expect(await listed(token)).toMatchObject({ address: null })
  await home.patch(`/sync/peers/${(await listed(token)).id}`, { name: 'Kitchen' })
  const [own, hers] = await Promise.all(
    clients.map((client) =>
      client.until(({ event }) => event?.type === 'sync.peer.updated' && event.payload?.['name'] === 'Kitchen', 10_000),
    ),
  )
  expect([typeof own!.event!.payload!['address'], hers!.event!.payload!['address']]).toEqual(['string', null])
  for (const client of clients) await client.close()
}, 60_000)

describe('time', () => {
  it('ends an invite after five minutes', async () => {
    const clock = createManualClock(Date.now())
    const home = kept(await createTestHost({ clock }))
    const other = kept(await createSyncedHost())
    await listen(home)
    await home.post('/sync/enable')
    const { code, addresses, pairingId } = (await home.post('/sync/pairing')).body
    clock.advance(5 * 60_000 + 1)
    const late = await other.post('/sync/pairing/join', { code, address: addresses[0], deviceName: 'L' })
    expect([late.status, late.body.error.code]).toEqual([410, 'pairing_expired'])
    expect((await home.get(`/sync/pairing/${pairingId}`)).body.state).toBe('expired')
    const confirm = await home.post(`/sync/pairing/${pairingId}/confirm`, { matches: true })
    expect([confirm.status, confirm.body.error.code]).toEqual([410, 'pairing_expired'])
  })
})

describe('damage', () => {
  it('of the keys is told, and no others take their place', async () => {
    const host = kept(await startFounder())
    const file = join(host.dataDir, 'sync-device.json')
    await host.host.stop()
    writeFileSync(file, '{"version":1}', { mode: 0o600 })
    await host.restart()
    expect((await host.get('/sync/status')).body).toMatchObject({ state: 'attention', reason: 'keys_unreadable' })
    expect((await host.get('/sync/peers')).body.error.code).toBe('sync_disabled')
    expect((await host.post('/data/none', {})).status).toBe(404)
  })
})

describe('the channel of sync', () => {
  it('tells who listens to it of the status', async () => {
    const host = kept(await createSyncedHost())
    const client = await openSocket(host.host.url, { headers: { authorization: `Bearer ${host.host.token}` } })
    await client.subscribe('sync')
    await host.post('/sync/enable', { deviceName: 'Study' })
    const { event } = await client.until((frame) => frame.event?.type === 'sync.status_changed', 5_000)
    expect(event).toMatchObject({ channel: 'sync', payload: { device: { name: 'Study' } }, actor: { type: 'system' } })
    await client.close()
  })

  it('tells of the pairing on both sides and of the peer', async () => {
    const home = kept(await startFounder())
    const other = kept(await createSyncedHost())
    home.takeEvents()
    const { inviterId } = await beginPairing(home, other)
    const seen: { type: string; payload: Record<string, unknown> }[] = []
    await until('the comparison is told', () => {
      seen.push(...(home.takeEvents() as unknown as typeof seen).filter(({ type }) => type.startsWith('sync.')))
      return seen.some(({ type, payload }) => type === 'sync.pairing.updated' && payload['state'] === 'comparing')
    })
    const told = seen.find(({ type }) => type === 'sync.pairing.updated')!
    expect(told.payload['pairingId']).toBe(inviterId)
    expect(JSON.stringify(seen)).not.toContain('"code"')
  })
})
