// Notifications are judged when they are read or sent, not when they were made: what their reader may no longer see is in
// no inbox, event, mail or post (D-25, D-43, D-174, D-177).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import { addItem, newRecord } from '../support/feed-calls.ts'
import type { FeedCaller } from '../support/feed-calls.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { startHookPeer } from '../support/hook-peer.ts'
import type { HookPeer } from '../support/hook-peer.ts'
import type { Notice } from '../support/notice.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import type { SmtpPeer } from '../support/smtp-peer.ts'
import { asTestUser, testIdentityPlugins, testUserId } from '../support/test-identities.ts'

const monday = Date.parse('2026-03-02T12:00:00Z')
const hour = 3_600_000
const [ada, ben, key] = [0, 1, 2]

let host: TestHost
let smtp: SmtpPeer
let hook: HookPeer
let clock: ManualClock
let dataDir: string
let asBen: FeedCaller & { patch: TestHost['patch']; delete: TestHost['delete'] }
let record: string

const withheld = {
  title: 'About something you can no longer see',
  body: '',
  data: { withheld: true },
  read: false,
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-notification-rights-'))
  smtp = await startSmtpPeer()
  hook = await startHookPeer()
  const config = {
    outbound: { allowedHosts: ['127.0.0.1'] },
    mail: { host: '127.0.0.1', port: smtp.port, from: 'cairn@example.org' },
  }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  clock = createManualClock(monday)
  const users = [
    { email: 'ada@example.org' },
    {},
    { sameAs: ada, scope: { permissionSets: ['narrow'], readOnly: false } },
  ]
  host = await createTestHost({ dataDir, plugins: testIdentityPlugins({ users }), clock })
  await host.patch('/settings', { timezone: 'UTC' })
  await host.defineObject('deal', { title: { type: 'text' }, margin: { type: 'number' }, stage: { type: 'text' } })
  await host.defineObject('other', { title: { type: 'text' } })
  const save = async (type: string, name: string, item: object): Promise<void> => {
    expect((await host.put(`/meta/${type}/${name}`, { type, name, item: { name, ...item } })).status).toBe(200)
  }
  await save('permission', 'no_margin', { fields: { 'deal.margin': { readable: false } } })
  await save('permission', 'no_title', { fields: { 'deal.title': { readable: false } } })
  await save('permission', 'narrow', { objects: { other: { allowRead: true } } })
  const headers = asTestUser(ben)
  asBen = {
    get: (path) => host.get(path, headers),
    post: (path, body) => host.post(path, body, headers),
    patch: (path, body) => host.patch(path, body, headers),
    delete: (path) => host.delete(path, headers),
  }
})

afterAll(async () => {
  await host.stop()
  await smtp.stop()
  await hook.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const mine = (number = ada) => asTestUser(number)

const assign = async (given: { profile?: string; permissionSets?: readonly string[] }): Promise<void> => {
  const body = { profile: 'standard', roles: [], permissionSets: [], ...given }
  expect((await host.put(`/permissions/assignments/${testUserId(ada)}`, body)).status).toBe(200)
}

const inbox = async (number = ada): Promise<{ notifications: Notice[]; unreadCount: number }> =>
  (await host.get('/notifications', mine(number))).body

/** Waits until every consumer has handled what was written. */
const settled = async (): Promise<void> => {
  const pending = (): number =>
    host.host.database.read.get<{ n: number }>({ sql: 'SELECT count(*) AS n FROM _outbox', parameters: [] })!.n
  for (let tries = 0; tries < 400 && pending() > 0; tries += 1) await pause(10)
  expect(pending()).toBe(0)
}

const subscribe = async (channels: readonly string[]): Promise<void> => {
  expect((await host.post(`/data/${record}/subscribe`, { channels }, mine())).status).toBe(200)
}

const comment = async (body: string): Promise<string> => {
  const { id } = await addItem(asBen, record, { body })
  await settled()
  return id as string
}

beforeEach(async () => {
  await assign({})
  record = `deal/${await newRecord(host, 'deal', { title: 'Alpha', margin: 1, stage: 'open' })}`
  await subscribe(['in_app'])
})

afterEach(async () => {
  const { notifications } = await inbox()
  for (const { id } of notifications) await host.delete(`/notifications/${id}`, mine())
  await host.patch(
    '/notifications/preferences',
    { preferences: { digest: 'none', channels: { slack: null, push: null } } },
    mine(),
  )
})

describe('an inbox', () => {
  it('holds nothing back while its reader sees what it is about, and all of it afterwards; the number stays', async () => {
    const item = await comment('the price is **seven**')
    const before = await inbox()
    expect(before).toMatchObject({
      unreadCount: 1,
      notifications: [
        {
          title: 'Test user 1 commented on Alpha',
          body: 'the price is seven',
          data: { object: 'deal', recordId: record.slice(5), feedId: item },
          actionUrl: `#/o/deal?rec=${record.slice(5)}&tab=activity&item=${item}`,
        },
      ],
    })
    await assign({ profile: 'guest' })
    const after = await inbox()
    const { id, type, createdAt } = before.notifications[0]!
    expect(after).toMatchObject({ unreadCount: 1, notifications: [{ id, type, createdAt, ...withheld }] })
    expect(Object.keys(after.notifications[0]!).toSorted()).toEqual(
      ['id', 'type', 'title', 'body', 'read', 'data', 'createdAt'].toSorted(),
    )
    const filtered = await host.get('/notifications?type=comment&read=false', mine())
    expect(filtered.body.notifications).toMatchObject([withheld])
    expect((await host.post('/notifications/read', { ids: [id] }, mine())).body.readCount).toBe(1)
    expect((await inbox()).notifications).toMatchObject([{ ...withheld, read: true }])
    await assign({})
    expect((await inbox()).notifications[0]).toMatchObject({ title: 'Test user 1 commented on Alpha', read: true })
  })

  it('follows the rights of the credential: a key that is closed to the object sees no content', async () => {
    await comment('said')
    expect((await inbox(key)).notifications).toMatchObject([withheld])
    expect((await inbox()).notifications[0]!.body).toBe('said')
  })

  it('leaves out the fields its reader may not read now, of title and body', async () => {
    await asBen.patch(`/data/${record}`, { margin: 2, stage: 'shut' })
    await settled()
    const only = async (): Promise<Notice> => (await inbox()).notifications[0]!
    expect(await only()).toMatchObject({ title: 'Test user 1 changed Alpha', body: 'Margin, Stage' })
    await assign({ permissionSets: ['no_margin'] })
    expect(await only()).toMatchObject({ title: 'Test user 1 changed Alpha', body: 'Stage' })
    await assign({ permissionSets: ['no_margin', 'no_title'] })
    expect(await only()).toMatchObject({ title: 'Test user 1 changed Deal', body: 'Stage' })
  })

  it('says nothing of a change of fields that are all closed by now', async () => {
    await asBen.patch(`/data/${record}`, { margin: 3 })
    await settled()
    expect((await inbox()).notifications[0]!.body).toBe('Margin')
    await assign({ permissionSets: ['no_margin'] })
    expect((await inbox()).notifications).toMatchObject([withheld])
  })

  it('says nothing of a comment that is private or gone, nor of a record in the trash until it is back', async () => {
    const [hidden, deleted] = [await comment('hidden later'), await comment('deleted later')]
    await comment('stays')
    expect((await host.put(`/data/${record}/feed/${hidden}`, { visibility: 'private' }, asTestUser(ben))).status).toBe(
      200,
    )
    expect((await asBen.delete(`/data/${record}/feed/${deleted}`)).status).toBe(200)
    const bodies = async (): Promise<string[]> => (await inbox()).notifications.map(({ body }) => body)
    expect(await bodies()).toEqual(['stays', '', ''])
    await host.delete(`/data/${record}`)
    expect(await bodies()).toEqual(['', '', ''])
    expect((await inbox()).unreadCount).toBe(3)
    await host.post(`/data/${record}/restore`)
    expect(await bodies()).toEqual(['stays', '', ''])
  })
})

describe('events', () => {
  it('that are replayed hold what their receiver may see by then', async () => {
    const { body } = await host.post('/realtime/connect', { transport: 'polling', channels: ['user:me'] }, mine())
    await comment('replayed words')
    const path = `/realtime/poll?connectionId=${body.connectionId}&timeoutSeconds=0&lastEventId=${body.lastEventId}`
    const told = async () =>
      (await host.get(path, mine())).body.events.map((event: { payload: object }) => event.payload)
    const [first] = await told()
    expect(first).toMatchObject({ notification: { body: 'replayed words' }, unreadCount: 1 })
    await assign({ profile: 'guest' })
    expect(await told()).toMatchObject([{ notification: withheld, unreadCount: 1 }])
    expect(JSON.stringify(await told())).not.toMatch(/replayed|Alpha|deal/)
    const [{ id }] = (await inbox()).notifications as [Notice]
    await host.post('/notifications/read', { ids: [id] }, mine())
    expect((await told()).at(-1)).toMatchObject({ notification: { ...withheld, read: true }, unreadCount: 0 })
    await host.delete(`/notifications/${id}`, mine())
    await assign({})
    // What its user deleted says nothing any more.
    expect(JSON.stringify(await told())).not.toMatch(/replayed|Alpha|deal/)
    await host.post('/realtime/disconnect', {}, mine())
  })
})

describe('mail', () => {
  it('that waits leaves with what its reader may see then, and not at all without anything', async () => {
    await subscribe(['in_app', 'email'])
    smtp.answer = (line) => (line.startsWith('RCPT') ? '450 later' : undefined)
    await comment('waiting words')
    await asBen.patch(`/data/${record}`, { margin: 5, stage: 'late' })
    await settled()
    await assign({ permissionSets: ['no_margin'] })
    await host.put(
      `/data/${record}/feed/${(await inbox()).notifications.find(({ type }) => type === 'comment')!.data['feedId'] as string}`,
      { visibility: 'private' },
      asTestUser(ben),
    )
    smtp.answer = () => undefined
    clock.advance(hour)
    await host.restart()
    const { text } = await smtp.take('ada@example.org')
    expect(text).toMatch(/^Subject: Test user 1 changed Alpha$/m)
    expect(text).toContain('Stage')
    expect(text).not.toMatch(/Margin|waiting/)
    await pause(300)
    expect(smtp.mails).toEqual([])
    const waiting = host.host.database.read.get<{ n: number }>({
      sql: 'SELECT count(*) AS n FROM mail_message',
      parameters: [],
    })
    expect(waiting).toEqual({ n: 0 })
  })

  it.each(['daily', 'weekly'])('of a %s digest leaves out what its reader may not see any more', async (digest) => {
    await subscribe(['in_app', 'email'])
    await host.patch('/notifications/preferences', { preferences: { digest } }, mine())
    clock.advance(1)
    const hidden = await comment('once open')
    await comment('still open')
    await asBen.patch(`/data/${record}`, { margin: 8 })
    await settled()
    await host.put(`/data/${record}/feed/${hidden}`, { visibility: 'private' }, asTestUser(ben))
    await assign({ permissionSets: ['no_margin'] })
    clock.advance(7 * 24 * hour)
    await host.restart()
    const { text } = await smtp.take('ada@example.org')
    expect(text).toContain(`Your ${digest === 'daily' ? 'day' : 'week'}: 1 unread notification`)
    expect(text).toContain('still open')
    expect(text).not.toMatch(/once open|Margin|no longer see/)
    expect((await inbox()).unreadCount).toBe(3)
  })

  it('of a digest is none when nothing is left to tell', async () => {
    await subscribe(['in_app', 'email'])
    await host.patch('/notifications/preferences', { preferences: { digest: 'daily' } }, mine())
    clock.advance(1)
    await comment('only this')
    await assign({ profile: 'guest' })
    clock.advance(24 * hour)
    await host.restart()
    await pause(400)
    expect(smtp.mails).toEqual([])
  })
})

describe('posts', () => {
  it('that wait for their receiver are not made of what their reader may not see any more', async () => {
    const channels = { slack: { url: `${hook.url}/slack` }, push: { url: `${hook.url}/push` } }
    await host.patch('/notifications/preferences', { preferences: { channels } }, mine())
    await subscribe(['push', 'slack'])
    hook.status = 503
    await comment('posted words')
    await hook.wait(2)
    expect(JSON.stringify(hook.hooks.map(({ body }) => body))).toContain('posted words')
    await assign({ profile: 'guest' })
    hook.hooks.length = 0
    hook.status = 200
    clock.advance(hour)
    await host.restart()
    await pause(300)
    expect(hook.hooks).toEqual([])
    const left = host.host.database.read.get<{ n: number }>({
      sql: 'SELECT count(*) AS n FROM notifications_delivery',
      parameters: [],
    })
    expect(left).toEqual({ n: 0 })
  })
})
