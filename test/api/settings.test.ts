// D-204: options of the workspace.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
})

afterAll(() => host.stop())

describe('GET /settings', () => {
  it('answers every option, bare', async () => {
    const { status, body } = await host.get('/settings')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['settings'])
    expect(body.settings).toMatchObject({
      locale: 'en',
      currency: 'USD',
      maxBatchRecords: 1_000,
      trashRetentionDays: 0,
      rateLimits: {},
    })
  })

  it('needs a credential', async () => {
    expect((await host.anonymous('GET', '/settings')).status).toBe(401)
  })
})

describe('PATCH /settings', () => {
  it('changes the given options, keeps the others and survives a restart', async () => {
    const changed = await host.patch('/settings', { timezone: 'Europe/Berlin', currency: 'EUR' })
    expect(changed.body.settings).toMatchObject({ timezone: 'Europe/Berlin', currency: 'EUR', locale: 'en' })
    await host.restart()
    expect((await host.get('/settings')).body.settings).toMatchObject({ timezone: 'Europe/Berlin', currency: 'EUR' })
  })

  it('takes the options under settings too, and null sets one back', async () => {
    await host.patch('/settings', { settings: { currency: 'CHF' } })
    expect((await host.get('/settings')).body.settings.currency).toBe('CHF')
    expect((await host.patch('/settings', { settings: { currency: null } })).body.settings.currency).toBe('USD')
  })

  it('raises settings.changed with the names, once, and nothing when nothing changes', async () => {
    await host.patch('/settings', { currency: 'JPY' })
    host.takeEvents()
    await host.patch('/settings', { currency: 'JPY' })
    expect(host.takeEvents()).toEqual([])
    await host.patch('/settings', { currency: 'GBP', 'packages.publisherToken': 'hidden-token' })
    const events = host.takeEvents()
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      type: 'settings.changed',
      payload: { options: ['currency', 'packages.publisherToken'] },
    })
    expect(JSON.stringify(events)).not.toContain('hidden-token')
  })

  it('refuses unknown options and values with all problems, and changes nothing', async () => {
    const before = (await host.get('/settings')).body
    const answer = await host.patch('/settings', {
      nothing: 1,
      timezone: 'Mars/Base',
      maxBatchRecords: 1_001,
      locale: 'not a tag',
      currency: 'XXQ',
    })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    const problems = answer.body.error.details.fieldErrors.map(
      (problem: { field: string; code: string }) => `${problem.field} ${problem.code}`,
    )
    expect(problems.toSorted()).toEqual([
      'currency invalid_format',
      'locale invalid_format',
      'maxBatchRecords max_value',
      'nothing unknown_field',
      'timezone invalid_format',
    ])
    expect((await host.get('/settings')).body).toEqual(before)
  })

  it('shows a secret as its mask, and saving the mask changes nothing', async () => {
    const saved = await host.patch('/settings', { 'packages.publisherToken': 'a-secret' })
    expect(saved.body.settings['packages.publisherToken']).toBe('********')
    const stored = host.host.database.read.all<{ value: string }>({
      sql: 'SELECT value FROM settings_option WHERE name = ?',
      parameters: ['packages.publisherToken'],
    })
    expect(stored[0]!.value).not.toContain('a-secret')
    host.takeEvents()
    await host.patch('/settings', { 'packages.publisherToken': '********' })
    expect(host.takeEvents()).toEqual([])
    const service: SettingsService = host.host.plugins.service('settings')!
    expect(await service.openSecret('packages.publisherToken')).toBe('a-secret')
    await host.patch('/settings', { 'packages.publisherToken': null })
    expect(await service.openSecret('packages.publisherToken')).toBeNull()
  })

  it('bounds bulk requests by maxBatchRecords at once (D-63)', async () => {
    await host.defineObject('note', { title: { type: 'text' } })
    await host.patch('/settings', { maxBatchRecords: 2 })
    const records = [{ title: 'a' }, { title: 'b' }, { title: 'c' }]
    const refused = await host.post('/data/note/createMany', { records })
    expect([refused.status, refused.body.error.details.limit]).toEqual([400, 2])
    await host.patch('/settings', { maxBatchRecords: null })
    expect((await host.post('/data/note/createMany', { records })).status).toBe(201)
  })

  it('changes the rate limits of browser sessions at once (D-200)', async () => {
    const { url } = host.host
    const exchanged = await host.anonymous('POST', '/_console/session', { code: host.host.mintCode() }, { origin: url })
    const cookie = exchanged.headers.get('set-cookie')!.split(';')[0]!
    const read = () => host.anonymous('GET', '/settings', undefined, { cookie })
    expect((await read()).headers.get('x-ratelimit-limit')).toBe('600')
    await host.patch('/settings', { rateLimits: { read: { burst: 1, refillPerSecond: 0.01 } } })
    const answers = [await read(), await read()]
    expect(answers.at(-1)!.status).toBe(429)
    expect(answers.at(-1)!.body.error.details).toMatchObject({ limit: 1, remaining: 0, class: 'read' })
    await host.patch('/settings', { rateLimits: { read: null } })
    const free = await read()
    expect([free.status, free.headers.get('x-ratelimit-limit')]).toEqual([200, null])
    await host.patch('/settings', { rateLimits: null })
  })
})

it.each([
  ['patch', '/settings', { rateLimits: { enabled: false } }, 'rateLimits.enabled'],
  [
    'patch',
    '/settings',
    { settings: { rateLimits: { read: { burst: 1, refillPerSecond: 1, off: true } } } },
    'settings.rateLimits.read.off',
  ],
  ['patch', '/settings', { currency: 'EUR', enabled: false }, 'enabled'],
  ['put', '/ai/config', { timeoutMs: 2_000, timeout: 1 }, 'timeout'],
  ['patch', '/sync/settings', { paused: true, pause: true }, 'pause'],
  ['patch', '/notifications/preferences', { preferences: { email: false, mail: false } }, 'preferences.mail'],
  [
    'patch',
    '/notifications/preferences',
    { preferences: { channels: { slack: { enable: false } } } },
    'preferences.channels.slack.enable',
  ],
] as const)(
  '%s %s refuses %j: a name nobody knows, however deep, and changes nothing',
  async (method, path, body, field) => {
    const before = (await host.get(path)).body
    const { status, body: answer } = await host[method](path, body)
    expect([status, answer.error?.details.fieldErrors]).toMatchObject([400, [{ field, code: 'unknown_field' }]])
    expect((await host.get(path)).body).toEqual(before)
  },
)
