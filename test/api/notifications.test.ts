// The inbox of each user over HTTP (D-177): lists, marks, devices, preferences, and nobody else's anything.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import type { Notice } from '../support/notice.ts'
import type { NotificationDraft } from '#main/plugins/notifications/api.ts'
import { letterFields, notifyingPlugin } from '../support/notifying-plugin.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'

let host: PeopledHost

beforeAll(async () => {
  host = await createPeopledHost({ users: Array.from({ length: 12 }, () => ({})) }, (plugins) => [
    ...plugins,
    notifyingPlugin,
  ])
  await host.defineObject('letter', letterFields)
})

afterAll(() => host.stop())

/** Notifies a user through the service, in the transaction of a record; answers the record's id. */
async function notify(number: number, rest: Partial<NotificationDraft> = {}): Promise<string> {
  const draft = { userId: testUserId(number), type: 'record', title: 'Title', body: 'Body', ...rest }
  const { status, body } = await host.post('/data/letter', { draft })
  expect(status).toBe(201)
  return body.id as string
}

const listOf = async (number: number, query = ''): Promise<{ notifications: Notice[]; unreadCount: number }> => {
  const { status, body } = await host.as(number).get(`/notifications${query}`)
  expect(status).toBe(200)
  return body as { notifications: Notice[]; unreadCount: number }
}

const fieldErrors = (answer: { body: { error: { details: { fieldErrors: { field: string; code: string }[] } } } }) =>
  answer.body.error.details.fieldErrors.map(({ field, code }) => `${field} ${code}`)

describe('GET /notifications', () => {
  it('shows what D-177 names and nothing else', async () => {
    const recordId = await notify(0, {
      type: 'mention',
      title: 'Ada mentioned you',
      body: 'Look at this.',
      data: { step: 'f1' },
      actionUrl: '#/o/letter',
    })
    const { body } = await host.as(0).get('/notifications')
    expect(body).toEqual({
      notifications: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          type: 'mention',
          title: 'Ada mentioned you',
          body: 'Look at this.',
          read: false,
          data: { object: 'letter', recordId, step: 'f1' },
          actionUrl: '#/o/letter',
          createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/),
        },
      ],
      unreadCount: 1,
      hasMore: false,
    })
  })

  it('leads newest first through pages that later ones do not shift', async () => {
    for (let at = 0; at < 7; at += 1) await notify(1, { title: `t${at}` })
    const titles: string[] = []
    let query = '?limit=3'
    for (let page = 0; page < 3; page += 1) {
      const { body } = await host.as(1).get(`/notifications${query}`)
      titles.push(...(body.notifications as Notice[]).map(({ title }) => title))
      expect(body.hasMore).toBe(page < 2)
      expect(body.unreadCount).toBeGreaterThanOrEqual(7)
      query = `?limit=3&cursor=${body.cursor}`
      if (page === 0) await notify(1, { title: 'late' })
    }
    expect(titles).toEqual(['t6', 't5', 't4', 't3', 't2', 't1', 't0'])
  })

  it('counts all unread ones, whatever is listed', async () => {
    await notify(2, { type: 'task' })
    await notify(2, { type: 'comment' })
    const [first] = (await listOf(2)).notifications
    await host.as(2).post('/notifications/read', { ids: [first!.id] })
    for (const [query, types] of [
      ['?read=false', ['task']],
      ['?read=true', ['comment']],
      ['?read', ['comment']],
      ['?type=task', ['task']],
      ['?type=task&read=true', []],
      ['?limit=1', ['comment']],
    ] as const) {
      const { notifications, unreadCount } = await listOf(2, query)
      expect([query, notifications.map(({ type }) => type), unreadCount]).toEqual([query, [...types], 1])
    }
  })

  it.each([
    ['limit=0', 'limit min_value'],
    ['limit=101', 'limit max_value'],
    ['limit=x', 'limit invalid_number'],
    ['cursor=x', 'cursor invalid_format'],
    ['type=nothing', 'type invalid_option'],
    ['read=maybe', 'read invalid_boolean'],
  ])('refuses ?%s with 400 validation_error', async (query, problem) => {
    const answer = await host.as(0).get(`/notifications?${query}`)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(fieldErrors(answer)).toEqual([problem])
  })

  it('begins with the first page where the cursor is empty (D-14)', async () => {
    expect((await host.as(0).get('/notifications?cursor=')).status).toBe(200)
  })

  it('refuses the cursor of another user and of another list', async () => {
    await notify(3)
    await notify(3)
    const { cursor } = (await host.as(3).get('/notifications?limit=1')).body as { cursor: string }
    expect((await host.as(3).get(`/notifications?limit=1&cursor=${cursor}`)).status).toBe(200)
    for (const [number, query] of [
      [4, `?cursor=${cursor}`],
      [3, `?cursor=${cursor}&read=false`],
      [3, `?cursor=${cursor}&type=record`],
      [3, `?cursor=${cursor.slice(0, -2)}AA`],
    ] as const)
      expect(fieldErrors(await host.as(number).get(`/notifications${query}`))).toEqual(['cursor invalid_format'])
  })

  it('needs a credential', async () => {
    expect((await host.anonymous('GET', '/notifications')).status).toBe(401)
  })
})

describe('marking and deleting', () => {
  it('marks once, counts only what was newly read, and ignores what is not there or not the caller’s', async () => {
    await notify(5)
    await notify(5)
    await notify(6)
    const mine = (await listOf(5)).notifications.map(({ id }) => id)
    const other = (await listOf(6)).notifications[0]!.id
    const ids = [...mine, mine[0]!, other, 'nothing', testUserId(99)]
    expect((await host.as(5).post('/notifications/read', { ids })).body).toEqual({ success: true, readCount: 2 })
    expect((await host.as(5).post('/notifications/read', { ids })).body).toEqual({ success: true, readCount: 0 })
    expect((await listOf(6)).unreadCount).toBe(1)
    const [read] = (await listOf(5)).notifications
    expect(read).toMatchObject({ read: true, readAt: expect.stringMatching(/Z$/) })
  })

  it.each(['/notifications/read-all', '/notifications/read/all'])(
    'marks all with POST %s, of the caller',
    async (path) => {
      await notify(5)
      await notify(5)
      await notify(6)
      const before = (await listOf(6)).unreadCount
      expect((await host.as(5).post(path)).body).toEqual({ success: true, readCount: 2 })
      expect((await host.as(5).post(path)).body).toEqual({ success: true, readCount: 0 })
      expect([(await listOf(5)).unreadCount, (await listOf(6)).unreadCount]).toEqual([0, before])
    },
  )

  it.each([[{ ids: [] }], [{ ids: Array.from({ length: 501 }, () => 'x') }], [{}], [{ ids: 'x' }], [{ ids: [1] }]])(
    'refuses a wrong body with 400',
    async (body) => {
      expect((await host.as(5).post('/notifications/read', body)).status).toBe(400)
    },
  )

  it('deletes one’s own, and another one’s is like none', async () => {
    await notify(7)
    const [{ id } = { id: '' }] = (await listOf(7)).notifications
    const foreign = await host.as(8).delete(`/notifications/${id}`)
    const absent = await host.as(8).delete(`/notifications/${testUserId(77)}`)
    expect([foreign.status, absent.status]).toEqual([404, 404])
    expect(foreign.body.error.message).toBe(absent.body.error.message)
    expect((await listOf(7)).notifications).toHaveLength(1)
    expect((await host.as(7).delete(`/notifications/${id}`)).body).toEqual({ id, success: true })
    expect((await host.as(7).delete(`/notifications/${id}`)).status).toBe(404)
    expect(await listOf(7)).toMatchObject({ notifications: [], unreadCount: 0 })
  })
})

describe('events', () => {
  beforeEach(() => void host.takeEvents())

  it('tell what came with the number that is unread, once it is committed', async () => {
    await notify(9, { title: 'First' })
    await notify(9, { title: 'Second' })
    const created = host.takeEvents().filter(({ type }) => type === 'notification.created')
    const [second] = (await listOf(9)).notifications
    expect(created.map(({ payload }) => payload)).toEqual([
      { notification: expect.objectContaining({ title: 'First' }), userId: testUserId(9), unreadCount: 1 },
      { notification: second, userId: testUserId(9), unreadCount: 2 },
    ])
    // An event of a record would go to everybody who may read the record.
    expect(created.map(({ object, recordId }) => [object, recordId])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
  })

  it('tell what was read, some and all', async () => {
    for (let at = 0; at < 4; at += 1) await notify(10)
    const ids = (await listOf(10)).notifications.map(({ id }) => id)
    host.takeEvents()
    const mine = host.as(10)
    await mine.post('/notifications/read', { ids: [ids[0]] })
    await mine.post('/notifications/read', { ids: [ids[0]] })
    await mine.post('/notifications/read', { ids: [ids[1], ids[2]] })
    await mine.post('/notifications/read-all')
    await mine.post('/notifications/read-all')
    const userId = testUserId(10)
    expect(
      host
        .takeEvents()
        .filter(({ type }) => type === 'notification.read')
        .map(({ payload }) => payload),
    ).toEqual([
      { notification: expect.objectContaining({ id: ids[0], read: true }), userId, unreadCount: 3 },
      { ids: [ids[1], ids[2]], userId, unreadCount: 1 },
      { all: true, userId, unreadCount: 0 },
    ])
  })

  it('of a write that is rolled back are never raised, and nothing is stored', async () => {
    const draft = { userId: testUserId(9), type: 'record', title: 'Never', body: '' }
    const records = [{ data: { draft } }, { data: { nothing: 1 } }]
    await host.post('/data/letter/batch', { operation: 'create', records, options: { atomic: true } })
    expect(host.takeEvents().filter(({ type }) => type === 'notification.created')).toEqual([])
    expect((await listOf(9)).notifications.map(({ title }) => title)).not.toContain('Never')
  })
})

describe('notify()', () => {
  it('drops a second one of the same cause for the same user', async () => {
    const before = (await listOf(0)).unreadCount
    for (let at = 0; at < 3; at += 1) await notify(0, { dedupeKey: 'cause-1' })
    await notify(0, { dedupeKey: 'cause-2' })
    await notify(11, { dedupeKey: 'cause-1' })
    expect((await listOf(0)).unreadCount).toBe(before + 2)
    expect((await listOf(11)).unreadCount).toBe(1)
    // Deleting it does not bring it back.
    const [{ id } = { id: '' }] = (await listOf(11)).notifications
    await host.as(11).delete(`/notifications/${id}`)
    await notify(11, { dedupeKey: 'cause-1' })
    expect((await listOf(11)).notifications).toEqual([])
  })

  it('cuts what is too long, and lets no address but one of the application through', async () => {
    await notify(11, {
      title: 'x'.repeat(1_000),
      body: 'y'.repeat(10_000),
      data: { more: 'z'.repeat(20_000) },
      actionUrl: 'javascript:alert(1)',
    })
    const [long] = (await listOf(11)).notifications
    expect([long!.title.length, long!.body.length, long!.actionUrl]).toEqual([200, 2_000, undefined])
    expect(Object.keys(long!.data)).toEqual(['object', 'recordId'])
  })

  it('tells nobody who is not there', async () => {
    await notify(500)
    expect(
      host.host.database.read.all({
        sql: 'SELECT id FROM notifications_item WHERE user_id = ?',
        parameters: [testUserId(500)],
      }),
    ).toEqual([])
  })

  it('keeps the newest 10,000 of a user', async () => {
    const service = host.host.plugins.service('notifications')!
    await host.host.database.write('test.many', (tx) => {
      tx.run({
        sql: `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 9997)
          INSERT INTO notifications_item (id, user_id, type, title, body, data, in_inbox, created_at)
          SELECT 'many-' || at, ?, 'flow', at, '', '{}', 1, 0 FROM n`,
        parameters: [testUserId(4)],
      })
      for (let at = 9_998; at < 10_003; at += 1)
        service.notify(tx, { userId: testUserId(4), type: 'flow', title: `${at}`, body: '' })
    })
    const { unreadCount, notifications } = await listOf(4, '?limit=1')
    expect([unreadCount, notifications[0]!.title]).toEqual([10_000, '10002'])
  })
})

describe('a purged record', () => {
  it('takes along what quotes it, and the number follows', async () => {
    const recordId = await notify(8, { title: 'canary-of-purge' })
    await notify(8, { title: 'stays' })
    host.takeEvents()
    await host.delete(`/data/letter/${recordId}`)
    // In the trash it is there for nobody, and comes back with the record.
    expect((await listOf(8)).notifications).toMatchObject([{ title: 'stays' }, { data: { withheld: true } }])
    await host.delete(`/data/letter/${recordId}?purge=true`)
    const { notifications, unreadCount } = await listOf(8)
    expect([notifications.map(({ title }) => title), unreadCount]).toEqual([['stays'], 1])
    const told = host.takeEvents().filter(({ type }) => type === 'notification.read')
    expect(told.map(({ payload }) => payload)).toEqual([
      { ids: [expect.any(String)], userId: testUserId(8), unreadCount: 1 },
    ])
  })
})

describe('devices', () => {
  const register = (number: number, body: Record<string, unknown>) =>
    host.as(number).post('/notifications/devices', { platform: 'web', ...body })

  it('are registered with 201; the same token, and the same id, change the entry', async () => {
    const first = await register(0, { token: 'token-1', name: 'Phone' })
    expect([first.status, first.body]).toEqual([201, { deviceId: expect.any(String), success: true }])
    expect((await register(0, { token: 'token-1', platform: 'ios' })).body.deviceId).toBe(first.body.deviceId)
    const named = await register(0, { token: 'token-2', deviceId: 'mine' })
    expect(named.body.deviceId).toBe('mine')
    await register(0, { token: 'token-3', deviceId: 'mine' })
    expect((await host.as(0).delete('/notifications/devices/mine')).body).toEqual({ success: true })
    expect((await host.as(0).delete('/notifications/devices/mine')).status).toBe(404)
  })

  it('of another user are like none, and a token belongs to who registered it last', async () => {
    const { deviceId } = (await register(1, { token: 'token-9' })).body
    expect((await host.as(2).delete(`/notifications/devices/${deviceId}`)).status).toBe(404)
    const taken = (await register(2, { token: 'token-9' })).body.deviceId
    expect(taken).not.toBe(deviceId)
    expect((await host.as(1).delete(`/notifications/devices/${deviceId}`)).status).toBe(404)
    expect((await host.as(2).delete(`/notifications/devices/${taken}`)).status).toBe(200)
  })

  it('are kept up to 50 of a user; the one that was quiet for longest goes', async () => {
    for (let at = 0; at < 51; at += 1) {
      const answer = await register(3, { token: `many-${at}`, deviceId: `many-${String(at).padStart(2, '0')}` })
      expect(answer.status).toBe(201)
    }
    const remove = async (id: string) => (await host.as(3).delete(`/notifications/devices/${id}`)).status
    expect([await remove('many-00'), await remove('many-01'), await remove('many-50')]).toEqual([404, 200, 200])
  })

  it.each([[{ platform: 'web' }], [{ token: '', platform: 'web' }], [{ token: 'x', platform: 'desk' }], [{}]])(
    'refuses a wrong one with 400',
    async (body) => {
      expect((await host.as(0).post('/notifications/devices', body)).status).toBe(400)
    },
  )
})

describe('preferences', () => {
  const defaults = { email: true, push: true, inApp: true, digest: 'none', channels: {} }
  const preferences = async (number: number): Promise<unknown> =>
    (await host.as(number).get('/notifications/preferences')).body.preferences

  it('have defaults, and a change names only what changes', async () => {
    expect(await preferences(0)).toEqual(defaults)
    const changed = await host.as(0).patch('/notifications/preferences', { preferences: { email: false } })
    expect([changed.status, changed.body]).toEqual([200, { preferences: { ...defaults, email: false } }])
    await host.as(0).put('/notifications/preferences', { preferences: { digest: 'weekly' } })
    expect(await preferences(0)).toEqual({ ...defaults, email: false, digest: 'weekly' })
    expect(await preferences(1)).toEqual(defaults)
  })

  it('merge channels by name and member; null takes one away', async () => {
    const url = 'https://hooks.example.org/services/T0/B0/abc'
    const change = (channels: unknown) => host.as(2).patch('/notifications/preferences', { preferences: { channels } })
    await change({ slack: { url }, mention: { enabled: true, email: false } })
    await change({ mention: { push: true }, slack: { enabled: false } })
    expect(await preferences(2)).toMatchObject({
      channels: { slack: { enabled: false, url }, mention: { enabled: true, email: false, push: true } },
    })
    await change({ slack: { url: '' } })
    expect(((await preferences(2)) as typeof defaults).channels).toMatchObject({ slack: { enabled: false } })
    expect(JSON.stringify(await preferences(2))).not.toContain('hooks.example.org')
    await change({ slack: null, mention: null })
    expect(await preferences(2)).toEqual(defaults)
    await change({ slack: { enabled: true } })
    expect(await preferences(2)).toMatchObject({ channels: { slack: { enabled: true } } })
  })

  it.each([
    ['http://127.0.0.1:1/', 'not_allowed'],
    ['http://localhost/', 'not_allowed'],
    ['http://2130706433/', 'not_allowed'],
    ['http://[::ffff:10.0.0.1]/', 'not_allowed'],
    ['https://user:pass@hooks.example.org/', 'invalid_url'],
    ['ftp://hooks.example.org/', 'invalid_url'],
    ['javascript:alert(1)', 'invalid_url'],
    ['hooks', 'invalid_url'],
  ])('refuse the address %s as %s', async (url, code) => {
    const answer = await host
      .as(3)
      .patch('/notifications/preferences', { preferences: { email: false, channels: { slack: { url } } } })
    expect([answer.status, fieldErrors(answer)]).toEqual([400, [`preferences.channels.slack.url ${code}`]])
    expect(JSON.stringify(answer.body)).not.toContain('pass')
    expect(await preferences(3)).toEqual(defaults)
  })

  it.each([
    [{ preferences: { digest: 'hourly' } }],
    [{ preferences: { email: 'yes' } }],
    [{ preferences: { channels: { 'a b': {} } } }],
    [{}],
    [{ preferences: null }],
    [{ preferences: { channels: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`c${at}`, {}])) } }],
  ])('refuse a wrong change with 400', async (body) => {
    expect((await host.as(3).patch('/notifications/preferences', body)).status).toBe(400)
  })

  it('take names that mean something to the language for what they are', async () => {
    const text = '{"preferences":{"channels":{"__proto__":{"enabled":false},"constructor":{"enabled":true}}}}'
    const { status } = await host.as(9).patch('/notifications/preferences', text)
    expect([200, 400]).toContain(status)
    expect(({} as Record<string, unknown>)['enabled']).toBeUndefined()
    expect((await host.as(9).get('/notifications/preferences')).status).toBe(200)
  })

  it('switch the inbox and single types off', async () => {
    const change = (value: unknown) => host.as(5).patch('/notifications/preferences', { preferences: value })
    const count = async () => (await listOf(5)).notifications.length
    const before = await count()
    await change({ channels: { task: { enabled: false } } })
    await notify(5, { type: 'task' })
    expect(await count()).toBe(before)
    await notify(5, { type: 'mention' })
    expect(await count()).toBe(before + 1)
    await change({ inApp: false })
    await notify(5, { type: 'mention' })
    expect(await count()).toBe(before + 1)
  })
})

describe('discovery', () => {
  it('names the service, its route and the feature', async () => {
    const { body } = await host.anonymous('GET', '/api/v1')
    expect(body.services.notification).toMatchObject({ enabled: true, route: '/api/v1/notifications' })
    expect([body.routes.notifications, body.features.notifications]).toEqual(['/api/v1/notifications', true])
  })

  it('the local owner has an inbox of its own', async () => {
    const draft = { userId: localOwnerId, type: 'system', title: 'For the owner', body: '' }
    await host.post('/data/letter', { draft })
    expect((await host.get('/notifications')).body.notifications[0]).toMatchObject({ title: 'For the owner' })
  })
})
