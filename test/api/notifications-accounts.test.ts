// Mails of accounts without a mail server (D-39): who is told, who sees the link, and where it never goes. And inboxes of
// people with organizations (D-41), and of people who are gone.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import type { Notice } from '../support/notice.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

const running: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop()
})

async function start(
  auth: Record<string, unknown> = {},
  ports: Parameters<typeof createAuthHost>[1] = {},
): Promise<AuthHost> {
  const host = await createAuthHost(auth, ports)
  running.push(() => host.stop())
  return host
}

const waitingNotices = (body: { notifications: Notice[] }): Notice[] =>
  body.notifications.filter(({ data }) => 'waitingMailId' in data)

describe('a link that waits to be handed on', () => {
  it('appears in the notifications of the owner and of administrators, and is stored and sent nowhere else', async () => {
    const notices: object[] = []
    const host = await start({}, { ports: { notify: (notice) => notices.push(notice) } })
    const { email, id: leoId } = await host.account('leo')
    await host.account('root', 'admin')
    const keeper = await host.account('keeper')
    await host.account('other')
    const set = { name: 'keepers', systemPermissions: ['manage_users'] }
    await host.put('/meta/permission/keepers', { type: 'permission', name: 'keepers', item: set })
    const given = await host.put(`/permissions/assignments/${keeper.id}`, { permissionSets: ['keepers'] })
    expect(given.status).toBe(200)
    const tokens = {
      root: await host.signIn('root'),
      keeper: await host.signIn('keeper'),
      other: await host.signIn('other'),
    }
    host.takeEvents()
    await host.anonymous('POST', '/auth/request-password-reset', { email })
    const link = await host.waitingMail(email, 'reset-password')

    const own = await host.get('/notifications')
    expect(waitingNotices(own.body)).toEqual([
      expect.objectContaining({
        type: 'system',
        read: false,
        actionUrl: '#/access',
        body: expect.stringContaining(email),
        data: expect.objectContaining({ kind: 'reset-password', to: email, content: link }),
      }),
    ])
    const admin = await host.as(tokens.root, 'GET', '/notifications')
    expect(waitingNotices(admin.body)[0]!.data['content']).toBe(link)

    // Told, but the link would let them in as anybody.
    const managing = await host.as(tokens.keeper, 'GET', '/notifications')
    expect(waitingNotices(managing.body)).toHaveLength(1)
    expect(JSON.stringify(managing.body)).not.toContain(link)
    expect(waitingNotices((await host.as(tokens.other, 'GET', '/notifications')).body)).toEqual([])

    // Nor does an API key of an administrator see it.
    const { key } = (await host.as(tokens.root, 'POST', '/keys', { name: 'reader' })).body
    const byKey = await host.as(key as string, 'GET', '/notifications')
    expect([waitingNotices(byKey.body).length, JSON.stringify(byKey.body).includes(link)]).toEqual([1, false])

    const secret = new URL(link).pathname.split('/').at(-1)!
    const told = host.takeEvents().filter(({ type }) => type === 'notification.created')
    expect(told.map(({ payload }) => (payload as { userId: string }).userId)).toContain(localOwnerId)
    expect(told).toHaveLength(3)
    expect(JSON.stringify(told)).not.toContain(secret)
    expect(notices).toHaveLength(1)
    expect(JSON.stringify(notices)).not.toContain(secret)
    const stored = host.host.database.read.all({ sql: 'SELECT * FROM notifications_item', parameters: [] })
    expect(JSON.stringify(stored)).not.toContain(secret)
    const logs = join(host.dataDir, 'logs')
    for (const name of readdirSync(logs)) expect(readFileSync(join(logs, name), 'utf8')).not.toContain(secret)

    // Used or not: what no longer waits is shown no more.
    await host.host.database.write('test.expire', (tx) =>
      tx.run({ sql: 'UPDATE auth_mail SET expires_at = 0', parameters: [] }),
    )
    const [after] = waitingNotices((await host.get('/notifications')).body)
    expect(after!.data).toEqual({ waitingMailId: expect.any(String), kind: 'reset-password', to: email })
    expect(leoId).toBeTruthy()
  })

  it('is not told of where mail is sent', async () => {
    const host = await start({ mail: { host: '127.0.0.1', port: 1, from: 'cairn@example.org' } })
    const { email } = await host.account('lou')
    await host.anonymous('POST', '/auth/request-password-reset', { email })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect((await host.get('/notifications')).body.notifications).toEqual([])
    expect(host.host.database.read.all({ sql: 'SELECT * FROM mail_message', parameters: [] })).toEqual([])
  })
})

describe('people', () => {
  it('who are deleted leave nothing behind', async () => {
    const host = await start()
    const { id } = await host.account('leo', 'admin')
    const token = await host.signIn('leo')
    await host.as(token, 'PATCH', '/notifications/preferences', {
      preferences: { channels: { slack: { url: 'https://example.org/x' } } },
    })
    await host.as(token, 'POST', '/notifications/devices', { token: 'x', platform: 'web' })
    await host.account('mia')
    await host.anonymous('POST', '/auth/request-password-reset', { email: 'mia@example.org' })
    await host.waitingMail('mia@example.org', 'reset-password')
    const rows = (): number[] =>
      ['item', 'cause', 'preference', 'device'].map(
        (table) =>
          host.host.database.read.get<{ n: number }>({
            sql: `SELECT count(*) AS n FROM notifications_${table} WHERE user_id = ?`,
            parameters: [id],
          })!.n,
      )
    expect(rows()).toEqual([1, 1, 1, 1])
    expect((await host.post('/auth/admin/remove-user', { userId: id })).status).toBe(200)
    expect(rows()).toEqual([0, 0, 0, 0])
    expect(password).toBeTruthy()
  })
})

describe('with organizations', () => {
  it('an inbox shows what belongs to the active one and to none; without one, what belongs to none', async () => {
    const memberships = ['one', 'two'].map((organizationId) => ({ organizationId, role: 'member', teams: [] }))
    const host = await createPeopledHost({
      organizations: true,
      users: [
        { organizationId: 'one', memberships },
        { organizationId: 'two', memberships, sameAs: 0 },
        { memberships, sameAs: 0 },
      ],
    })
    running.push(() => host.stop())
    const service = host.host.plugins.service('notifications')!
    const told = { userId: testUserId(0), type: 'record', body: '' } as const
    const heard = host.as(1)
    const { connectionId, lastEventId } = (
      await heard.post('/realtime/connect', { transport: 'polling', channels: ['user:me'] })
    ).body
    await host.host.database.write('test.notify', (tx) => {
      service.notify(tx, { ...told, title: 'of one', organizationId: 'one' })
      service.notify(tx, { ...told, title: 'of two', organizationId: 'two' })
      service.notify(tx, { ...told, title: 'of none' })
    })
    const poll = `/realtime/poll?connectionId=${connectionId}&timeoutSeconds=0&lastEventId=${lastEventId}`
    const { events } = (await heard.get(poll)).body as {
      events: { payload: { notification: { title: string } } & Record<string, unknown> }[]
    }
    expect(events.map(({ payload }) => payload.notification.title)).toEqual(['of two', 'of none'])
    expect(Object.keys(events[0]!.payload).toSorted()).toEqual(['notification', 'unreadCount', 'userId'])
    const seen = async (number: number) => {
      const { body } = await host.as(number).get('/notifications')
      return [(body.notifications as Notice[]).map(({ title }) => title), body.unreadCount]
    }
    expect(await seen(0)).toEqual([['of none', 'of one'], 2])
    expect(await seen(1)).toEqual([['of none', 'of two'], 2])
    expect(await seen(2)).toEqual([['of none'], 1])
    const [{ id } = { id: '' }] = (
      (await host.as(1).get('/notifications?type=record')).body.notifications as Notice[]
    ).slice(1)
    expect((await host.as(0).delete(`/notifications/${id}`)).status).toBe(404)
    expect((await host.as(0).post('/notifications/read', { ids: [id] })).body.readCount).toBe(0)
    expect((await host.as(0).post('/notifications/read-all')).body.readCount).toBe(2)
    expect(await seen(1)).toEqual([['of none', 'of two'], 1])
  })
})
