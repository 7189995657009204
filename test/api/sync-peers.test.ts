// A machine among its peers over HTTP: what is answered while sync is off, settings, turning it on and off, and rights.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

const fresh = async (): Promise<void> => {
  host = await createTestHost()
}
const stop = (): Promise<void> => host.stop()

const absent = '01900000-0000-7000-8000-000000000000'
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }): string =>
  `${status} ${body.error?.code ?? ''}`

/** What the audit says of settings that changed, the newest first. */
async function changesTold(): Promise<{ options: string[]; enabled?: boolean }[]> {
  const { entries } = (await host.get('/audit?kind=settings.changed&outcome=ok')).body
  return entries.map(({ details, actor }: { details: { options: string[] }; actor: { id: string } }) => {
    expect(actor.id).toBe(localOwnerId)
    return details
  })
}

/** Waits until documents are made of everything. */
async function prepared(): Promise<{ state: string }> {
  for (;;) {
    const { body } = await host.get('/sync/status')
    if (body.state !== 'preparing') return body
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('while sync is off', () => {
  // One after the other, on the same machine.
  beforeAll(fresh)
  afterAll(stop)

  it('says so in the status, the settings and the manifest', async () => {
    const { status, body } = await host.get('/sync/status')
    expect([status, body.state, body.workspaceId, body.device]).toEqual([200, 'off', null, null])
    const { features, capabilities } = (await host.anonymous('GET', '/discovery')).body
    expect([features.sync, capabilities.sync.enabled]).toEqual([false, false])
    const settings = (await host.get('/sync/settings')).body
    expect(settings.settings).toMatchObject({ listen: false, relayUrl: null, paused: false, discovery: false })
    expect(settings.listening).toEqual([])
  })

  it('answers sync_disabled for what needs it, and not for what does not', async () => {
    const answers = await Promise.all([
      host.get('/sync/peers'),
      host.patch('/sync/peers/relay', {}),
      host.delete('/sync/peers/relay'),
      host.post('/sync/peers/relay/reconnect'),
      host.post('/sync/pairing'),
      host.post('/sync/barrier'),
      host.post('/sync/verify'),
      host.get('/sync/diagnostics'),
      host.post('/sync/disable'),
    ])
    expect(answers.map(codeOf)).toEqual(answers.map(() => '409 sync_disabled'))
    expect(codeOf(await host.get(`/sync/pairing/${absent}`))).toBe('404 pairing_not_found')
  })

  it('leaves no key behind', () => {
    expect(existsSync(join(host.dataDir, 'sync-device.json'))).toBe(false)
  })

  it('turning it on can be undone once', async () => {
    const off = async () => {
      const { status, body } = await host.post('/sync/disable')
      return [status, body.error?.code]
    }
    expect(await off()).toEqual([409, 'sync_disabled'])
    await host.post('/sync/enable')
    expect(await off()).toEqual([200, undefined])
    expect(await off()).toEqual([409, 'sync_disabled'])
    expect(await changesTold()).toEqual([false, true].map((enabled) => ({ options: ['sync.enabled'], enabled })))
  })

  describe('settings', () => {
    it('name every field that is wrong, and store nothing of the change then', async () => {
      const { status, body } = await host.patch('/sync/settings', {
        relayUrl: 'https://relay.example/path',
        relayFingerprint: 'abc',
        interfaces: ['0.0.0.0', '203.0.113.7', 'eth0'],
        discovery: true,
        paused: true,
      })
      expect(status).toBe(400)
      const fields = body.error.details.fieldErrors.map(({ field, code }: Record<string, string>) => `${field} ${code}`)
      expect(fields).toEqual([
        'relayUrl invalid_url',
        'relayFingerprint invalid_format',
        'discovery not_allowed',
        'interfaces.0 invalid_option',
        'interfaces.1 invalid_option',
        'interfaces.2 invalid_option',
      ])
      expect((await host.get('/sync/settings')).body.settings.paused).toBe(false)
      expect((await host.patch('/sync/settings', { port: 70_000 })).status).toBe(400)
    })

    it('want a fingerprint with a relay', async () => {
      const { body } = await host.patch('/sync/settings', { relayUrl: 'wss://relay.example:7000' })
      expect(body.error.details.fieldErrors[0]).toMatchObject({ field: 'relayFingerprint', code: 'required' })
    })

    it('say when a port is taken, and stay as they were', async () => {
      await host.post('/sync/enable')
      const { port } = new URL(host.host.url)
      const change = { listen: true, interfaces: ['127.0.0.1'], port: Number(port) }
      const { status, body } = await host.patch('/sync/settings', change)
      expect([status, body.error.details.fieldErrors[0].field]).toEqual([400, 'port'])
      expect((await host.get('/sync/settings')).body).toMatchObject({ settings: { listen: false }, listening: [] })
    })

    it('are kept over a restart', async () => {
      const fingerprint = 'A'.repeat(64)
      const change = { relayUrl: 'wss://relay.example:7000', relayFingerprint: fingerprint, interfaces: ['127.0.0.1'] }
      const changed = await host.patch('/sync/settings', {
        ...change,
        port: 0,
        paused: true,
        relayToken: 'a'.repeat(30),
      })
      expect(changed.status).toBe(200)
      const names = ['interfaces', 'paused', 'port', 'relayFingerprint', 'relayToken', 'relayUrl']
      expect((await changesTold())[0]!.options.toSorted()).toEqual(names.map((name) => `sync.${name}`))
      await host.restart()
      const { settings } = (await host.get('/sync/settings')).body
      expect(settings).toEqual({
        ...change,
        relayFingerprint: fingerprint.toLowerCase(),
        relayToken: '********',
        port: 0,
        paused: true,
        listen: false,
        discovery: false,
        keepFiles: false,
      })
    })

    it('refuse a name nobody knows (D-08), and a peer that is not there', async () => {
      const before = (await host.get('/sync/settings')).body.settings
      const { status, body } = await host.patch('/sync/settings', { bogus: 1, paused: before.paused !== true })
      expect([status, body.error?.details.fieldErrors[0].field]).toEqual([400, 'bogus'])
      expect((await host.get('/sync/settings')).body.settings).toEqual(before)
      await host.post('/sync/enable')
      const peer = await host.patch(`/sync/peers/${'a'.repeat(32)}`, { bogus: 1, paused: true })
      expect([peer.status, peer.body.error.code]).toEqual([404, 'resource_not_found'])
    })
  })
})

describe('sync that is turned on', () => {
  // One after the other, on the same machine.
  beforeAll(fresh)
  afterAll(stop)

  it('makes a backup, keys only the user can read, and a workspace; repeated it changes nothing', async () => {
    await host.defineObject('task', { title: { type: 'text' } })
    await host.post('/data/task', { title: 'before' })
    const { status, body } = await host.post('/sync/enable', { deviceName: 'Study' })
    expect(status).toBe(202)
    expect(body.device).toMatchObject({ name: 'Study', role: 'admin' })
    expect(body.workspaceId).toMatch(/^[0-9a-f]{32}$/)
    expect((await host.get('/backups')).body.backups.map(({ kind }: { kind: string }) => kind)).toContain('pairing')
    const file = join(host.dataDir, 'sync-device.json')
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('PRIVATE KEY')
    const { features, capabilities } = (await host.anonymous('GET', '/discovery')).body
    expect([features.sync, capabilities.sync.enabled]).toEqual([true, true])
    expect((await prepared()).state).toBe('local_only')
    const again = (await host.post('/sync/enable')).body
    expect([again.workspaceId, again.device.inc]).toEqual([body.workspaceId, body.device.inc])
    expect((await host.get('/sync/peers')).body).toEqual({ peers: [] })
  })

  it('lasts over a restart, under the same number after an orderly stop', async () => {
    const before = (await host.post('/sync/enable')).body
    await host.restart()
    const after = await prepared()
    expect(after).toMatchObject({ state: 'local_only', workspaceId: before.workspaceId, device: before.device })
  })

  it('can be turned off and on again with all that is there', async () => {
    const { workspaceId } = (await host.post('/sync/enable')).body
    const off = await host.post('/sync/disable')
    expect([off.status, off.body.state]).toEqual([200, 'off'])
    expect(codeOf(await host.get('/sync/peers'))).toBe('409 sync_disabled')
    await host.restart()
    expect((await host.get('/sync/status')).body.state).toBe('off')
    expect((await host.post('/sync/enable')).body.workspaceId).toBe(workspaceId)
  })
})

describe('turning sync on', () => {
  beforeEach(fresh)
  afterEach(stop)

  it('makes a backup of what there is now, whatever was backed up a moment ago', async () => {
    const backups = async () =>
      (await host.get('/backups')).body.backups.filter(({ kind }: { kind: string }) => kind === 'pairing').length
    const offline = { code: '1234567', address: '127.0.0.1:1', deviceName: 'L' }
    const made: number[] = []
    // The host itself may have written between two of them, as hosts do in their first seconds.
    while (made.length < 2 || (made.at(-1) !== made.at(-2) && made.length < 6)) {
      expect((await host.post('/sync/pairing/join', offline)).status).toBe(409)
      made.push(await backups())
    }
    const before = made.at(-1)!
    expect([made[0], before]).toEqual([1, made.at(-2)])
    await host.defineObject('task', { title: { type: 'text' } })
    await host.post('/data/task', { title: 'written since' })
    await host.post('/sync/enable')
    expect(await backups()).toBe(before + 1)
    await prepared()
    await host.patch('/sync/settings', { listen: true, interfaces: ['127.0.0.1'], port: 0 })
    expect((await host.post('/sync/pairing')).status).toBe(201)
    expect(await backups()).toBe(before + 2)
    await host.post('/sync/disable')
    await host.post('/data/task', { title: 'written while it was off' })
    await host.post('/sync/enable')
    expect(await backups()).toBe(before + 3)
  })

  it('tells listeners, and not of each change by itself', async () => {
    host.takeEvents()
    await host.post('/sync/enable')
    await prepared()
    await new Promise((resolve) => setTimeout(resolve, 600))
    const states = host
      .takeEvents()
      .filter(({ type }) => type === 'sync.status_changed')
      .map(({ payload }) => (payload as { state: string }).state)
    expect(states.at(-1)).toBe('local_only')
    expect(states.length).toBeLessThanOrEqual(4)
  })

  it('answers for records, barriers and reports while nobody else is there', async () => {
    await host.defineObject('task', { title: { type: 'text' } })
    const { id } = (await host.post('/data/task', { title: 'alone' })).body
    await host.post('/sync/enable')
    const record = await host.get(`/sync/records/task/${id}`)
    const none = { missingOn: [], refusedBy: [], conflicts: 0 }
    expect(record.body).toEqual({ object: 'task', id, state: 'here', ...none })
    expect((await host.get(`/sync/records/task/${absent}`)).status).toBe(404)
    const barrier = await host.post('/sync/barrier', { timeoutMs: 100 })
    expect(barrier.body).toMatchObject({ reached: false, durableOn: [], missing: [] })
    const { status, body, headers } = await host.get('/sync/diagnostics')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="sync-diagnostics-[\dT-]+\.json"$/)
    expect(status).toBe(200)
    expect(body.vector).toHaveLength(1)
    expect(JSON.stringify(body)).not.toContain('alone')
  })
})
