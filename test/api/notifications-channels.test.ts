// Notifications beyond the inbox: mail at once and by the period, chat and push by webhook, notices of the desktop; with a
// real mail server and a real receiver at the other end.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import type { Ports } from '#main/index.ts'
import type { NotificationDraft } from '#main/plugins/notifications/api.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { fillDisk, tooLarge } from '../support/full-disk.ts'
import { startHookPeer } from '../support/hook-peer.ts'
import type { HookPeer } from '../support/hook-peer.ts'
import type { Notice } from '../support/notice.ts'
import { letterFields, notifyingPlugin } from '../support/notifying-plugin.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import type { SmtpPeer } from '../support/smtp-peer.ts'
import { asTestUser, testIdentityPlugins, testUserId } from '../support/test-identities.ts'

const running: (() => Promise<unknown>)[] = []
/** A Monday; the host's days begin when they begin in UTC. */
const monday = Date.parse('2026-03-02T12:00:00Z')
const hour = 3_600_000
const mine = asTestUser(0)

afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop()
})

interface Bench {
  readonly host: TestHost
  readonly smtp: SmtpPeer
  readonly hook: HookPeer
  readonly clock: ManualClock
  prefer(preferences: Record<string, unknown>): Promise<void>
  notify(rest?: Partial<NotificationDraft>): Promise<string>
  inbox(): Promise<Notice[]>
}

/** A host with one user, a mail server, and a receiver its administrator allows. */
async function bench(
  options: { allowed?: readonly string[]; mail?: boolean; ports?: Partial<Ports> } = {},
): Promise<Bench> {
  const { allowed = ['127.0.0.1'], mail = true } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-channels-'))
  const smtp = await startSmtpPeer()
  running.push(() => smtp.stop())
  const hook = await startHookPeer()
  running.push(() => hook.stop())
  const config = {
    outbound: { allowedHosts: allowed },
    ...(mail ? { mail: { host: '127.0.0.1', port: smtp.port, from: 'cairn@example.org' } } : {}),
  }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  const clock = createManualClock(monday)
  const plugins = [...testIdentityPlugins({ users: [{ email: 'ada@example.org' }] }), notifyingPlugin]
  const host = await createTestHost({ dataDir, plugins, clock, ...(options.ports ? { ports: options.ports } : {}) })
  running.push(async () => {
    await host.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  await host.patch('/settings', { timezone: 'UTC' })
  await host.defineObject('letter', letterFields)
  return {
    host,
    smtp,
    hook,
    clock,
    async prefer(preferences) {
      expect((await host.patch('/notifications/preferences', { preferences }, mine)).status).toBe(200)
    },
    async notify(rest = {}) {
      const draft = { userId: testUserId(0), type: 'comment', title: 'A comment', body: 'Look <here> & there', ...rest }
      const { status, body } = await host.post('/data/letter', { draft })
      expect(status).toBe(201)
      return body.id as string
    },
    inbox: async () => (await host.get('/notifications', mine)).body.notifications as Notice[],
  }
}

const counted = (host: TestHost, table: string): number =>
  host.host.database.read.get<{ n: number }>({ sql: `SELECT count(*) AS n FROM ${table}`, parameters: [] })!.n

/** Long enough for what must not come. */
const pause = (ms = 250): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const channels = ['in_app', 'email', 'push', 'slack'] as const

describe('email', () => {
  it('goes to the address of the user when the draft names the channel and nothing switches it off', async () => {
    const { smtp, notify, prefer } = await bench()
    await notify({ title: 'Only here' })
    await notify({ title: 'By mail', channels: ['in_app', 'email'], actionUrl: '#/o/letter' })
    const { text, to } = await smtp.take('ada@example.org')
    expect(to).toEqual(['ada@example.org'])
    expect(text).toMatch(/^Subject: By mail$/m)
    expect(text).toContain('Look <here> & there')
    expect(text).toMatch(/http:\/\/127\.0\.0\.1:\d+\/_console\/#\/o\/letter/)
    for (const off of [
      { email: false },
      { email: true, channels: { comment: { email: false } } },
      { channels: { comment: null, email: { enabled: false } } },
    ]) {
      await prefer(off)
      await notify({ channels: ['email'] })
    }
    await pause()
    expect(smtp.mails).toEqual([])
  })

  it('without a mail server is skipped silently, and a draft with no other way is no notification', async () => {
    const { host, notify, inbox } = await bench({ mail: false })
    await notify({ channels: ['email'] })
    await notify({ channels: ['in_app', 'email'] })
    expect(await inbox()).toHaveLength(1)
    expect(counted(host, 'mail_message')).toBe(0)
  })
})

describe('slack and push', () => {
  it('are posted to the address in the preferences, in the words of the receiver', async () => {
    const { host, hook, notify, prefer, inbox } = await bench()
    await prefer({ channels: { slack: { url: `${hook.url}/slack` }, push: { url: `${hook.url}/push` } } })
    const { deviceId } = (
      await host.post('/notifications/devices', { token: 'token-1', platform: 'ios', name: 'Phone' }, mine)
    ).body
    await notify({ channels, actionUrl: '#/o/letter' })
    const received = await hook.wait(2)
    const [notification] = await inbox()
    const slack = received.find(({ path }) => path === '/slack')!
    expect(slack.body).toEqual({
      text: expect.stringMatching(
        /^\*A comment\*\nLook &lt;here&gt; &amp; there\n<http:\/\/127\.0\.0\.1:\d+\/_console\/#\/o\/letter\|Open>$/,
      ),
    })
    const push = received.find(({ path }) => path === '/push')!
    expect(push.body).toEqual({ notification, devices: [{ deviceId, platform: 'ios', token: 'token-1' }] })
    for (const { headers } of received) {
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': notification!.id })
      expect(headers).not.toHaveProperty('authorization')
      expect(headers).not.toHaveProperty('cookie')
    }
    await expect.poll(() => counted(host, 'notifications_delivery')).toBe(0)
  })

  it('are skipped silently without an address, and when they are switched off', async () => {
    const { host, hook, notify, prefer, inbox } = await bench()
    await notify({ channels })
    await prefer({ push: false, channels: { slack: { url: hook.url, enabled: false }, push: { url: hook.url } } })
    await notify({ channels })
    await prefer({ push: true, channels: { comment: { push: false } } })
    await notify({ channels })
    expect(counted(host, 'notifications_delivery')).toBe(0)
    expect(await inbox()).toHaveLength(3)
    await pause()
    expect(hook.hooks).toEqual([])
  })

  it('keep addresses and tokens sealed in the data folder', async () => {
    const { host, hook } = await bench()
    // What a repeat of the request would be answered must not lie there in clear either.
    const once = { ...mine, 'idempotency-key': 'once' }
    const preferences = { channels: { slack: { url: `${hook.url}/canary-address` } } }
    expect((await host.patch('/notifications/preferences', { preferences }, once)).status).toBe(200)
    await host.post('/notifications/devices', { token: 'canary-token', platform: 'web' }, once)
    await host.host.stop()
    for (const name of readdirSync(host.dataDir, { recursive: true, encoding: 'utf8' })) {
      if (!/db|log/.test(name) || /logs$|backups$/.test(name)) continue
      expect(readFileSync(join(host.dataDir, name)).includes('canary-'), name).toBe(false)
    }
  })

  it('try again while the receiver fails, with the same id and in order, and stop at a refusal', async () => {
    const { host, hook, clock, notify, prefer } = await bench()
    await prefer({ channels: { slack: { url: hook.url } } })
    hook.status = 503
    await notify({ channels: ['slack'], title: 'first' })
    await hook.wait(1)
    await notify({ channels: ['slack'], title: 'second' })
    await expect.poll(() => counted(host, 'notifications_delivery')).toBe(2)
    clock.advance(hour)
    hook.status = 200
    await host.restart()
    await hook.wait(3)
    const texts = hook.hooks.map(({ body }) => /\*(\w+)\*/.exec((body as { text: string }).text)![1])
    expect([texts[0], ...texts.slice(-2)]).toEqual(['first', 'first', 'second'])
    const ids = hook.hooks.filter((_hook, at) => texts[at] === 'first').map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    await expect.poll(() => counted(host, 'notifications_delivery')).toBe(0)
    const before = hook.hooks.length
    hook.status = 404
    await notify({ channels: ['slack'], title: 'third' })
    await hook.wait(before + 1)
    await expect.poll(() => counted(host, 'notifications_delivery')).toBe(0)
  })

  it('are posted once while the disk is full', async () => {
    const { host, hook, prefer, notify } = await bench({ mail: false })
    await prefer({ channels: { slack: { url: hook.url } } })
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    hook.held = held
    await notify({ channels: ['slack'] })
    await hook.wait(1)
    await fillDisk(host)
    expect((await host.post('/data/letter', { mails: [tooLarge] })).status).toBe(503)
    release()
    const sql = 'SELECT count(*) AS n FROM notifications_delivery'
    await expect.poll(() => host.host.database.read.get<{ n: number }>({ sql, parameters: [] })!.n).toBe(0)
    expect(hook.hooks).toHaveLength(1)
  })

  it('follow no redirect', async () => {
    const { host, hook, notify, prefer } = await bench()
    await prefer({ channels: { slack: { url: `${hook.url}/first` } } })
    hook.status = 307
    hook.headers = { location: `${hook.url}/inner` }
    await notify({ channels: ['slack'] })
    await hook.wait(1)
    await expect.poll(() => counted(host, 'notifications_delivery')).toBe(0)
    expect(hook.hooks.map(({ path }) => path)).toEqual(['/first'])
  })

  it('never reach a host inside that the administrator did not allow, not even one stored before', async () => {
    const { host, hook, notify, prefer } = await bench()
    await prefer({ channels: { slack: { url: `${hook.url}/slack` } } })
    await host.host.stop()
    writeFileSync(join(host.dataDir, 'config.json'), '{}', { mode: 0o600 })
    await host.restart()
    await notify({ channels: ['slack'] })
    await expect.poll(() => counted(host, 'notifications_delivery')).toBe(0)
    expect(hook.hooks).toEqual([])
  })

  it('give up after a day', async () => {
    const { host, hook, clock, notify, prefer } = await bench()
    await prefer({ channels: { slack: { url: hook.url } } })
    hook.status = 500
    await notify({ channels: ['slack'] })
    await hook.wait(1)
    clock.advance(25 * hour)
    await host.restart()
    await hook.wait(2)
    await expect.poll(() => counted(host, 'notifications_delivery')).toBe(0)
  })

  it('let a post that waits go with the record it quotes', async () => {
    const { host, hook, notify, prefer } = await bench()
    await prefer({ channels: { slack: { url: hook.url } } })
    hook.status = 500
    const id = await notify({ channels: ['slack'] })
    await hook.wait(1)
    await expect.poll(() => counted(host, 'notifications_delivery')).toBe(1)
    await host.delete(`/data/letter/${id}?purge=true`)
    expect(counted(host, 'notifications_delivery')).toBe(0)
  })
})

describe('a digest', () => {
  /** Lets time pass with the host off: what fell due meanwhile runs once at the start. */
  const later = async ({ host, clock }: Bench, ms: number): Promise<void> => {
    clock.advance(ms)
    await host.restart()
  }

  it('holds what is unread in one mail a day, in place of single mails', async () => {
    const made = await bench()
    const { smtp, notify, prefer, inbox, host } = made
    await notify({ title: 'before' })
    made.clock.advance(1)
    await prefer({ digest: 'daily' })
    await notify({ title: 'one', channels })
    await notify({ title: 'two', body: 'many\nlines', actionUrl: '#/o/letter' })
    await notify({ title: 'three' })
    const three = (await inbox()).find(({ title }) => title === 'three')!
    await host.post('/notifications/read', { ids: [three.id] }, mine)
    await pause()
    expect(smtp.mails).toEqual([])
    // Off for three days: one mail, not three.
    await later(made, 72 * hour)
    const { text } = await smtp.take('ada@example.org')
    expect(text).toMatch(/^Subject: Your day: 2 unread notifications$/m)
    expect(text).toMatch(/- one\n.*\n*- two\n {2}many lines\n {2}http/s)
    expect(text).not.toMatch(/before|three/)
    await pause()
    expect(smtp.mails).toEqual([])
    await later(made, 24 * hour)
    await pause()
    expect(smtp.mails).toEqual([])
    await notify({ title: 'four', channels })
    await later(made, 24 * hour)
    expect((await smtp.take('ada@example.org')).text).toContain('1 unread notification')
  })

  it('never holds what stays on this machine, which is shown in the inbox and goes no other way', async () => {
    const made = await bench()
    const { smtp, hook, notify, prefer, inbox, host } = made
    await prefer({ channels: { slack: { url: `${hook.url}/slack` } } })
    await notify({ title: 'from afar', channels, stays: true })
    await notify({ title: 'by mail alone', channels: ['email'], stays: true })
    await prefer({ digest: 'daily' })
    await notify({ title: 'still from afar', channels, stays: true })
    expect((await inbox()).map(({ title }) => title)).toEqual(['still from afar', 'from afar'])
    await later(made, 72 * hour)
    await pause()
    expect([smtp.mails, hook.hooks, counted(host, 'mail_message')]).toEqual([[], [], 0])
    await notify({ title: 'from here', channels })
    await later(made, 24 * hour)
    expect((await smtp.take('ada@example.org')).text).not.toContain('afar')
  })

  it('comes once a week, on Monday', async () => {
    const made = await bench()
    const { smtp, notify, prefer } = made
    await prefer({ digest: 'weekly' })
    await notify()
    await later(made, 6 * 24 * hour)
    await pause()
    expect(smtp.mails).toEqual([])
    await later(made, 24 * hour)
    expect((await smtp.take('ada@example.org')).text).toMatch(/^Subject: Your week: 1 unread notification$/m)
  })

  it('leaves types alone whose entry asks for mail, and holds what is not for the inbox', async () => {
    const made = await bench()
    const { smtp, notify, prefer, inbox, host } = made
    await prefer({ digest: 'daily', inApp: false, channels: { mention: { email: true }, flow: { email: false } } })
    await notify({ type: 'mention', title: 'at once', channels })
    expect((await smtp.take('ada@example.org')).text).toContain('Subject: at once')
    await notify({ title: 'held', channels })
    await notify({ type: 'flow', title: 'nowhere', channels })
    expect(await inbox()).toEqual([])
    await later(made, 24 * hour)
    const { text } = await smtp.take('ada@example.org')
    expect(text).toContain('- held')
    expect(text).not.toMatch(/at once|nowhere/)
    expect(counted(host, 'notifications_item')).toBe(0)
  })

  it('is no mail at all where mail is off', async () => {
    const made = await bench()
    await made.prefer({ digest: 'daily', email: false })
    await made.notify({ channels })
    await later(made, 24 * hour)
    await pause()
    expect(made.smtp.mails).toEqual([])
  })
})

describe('retention', () => {
  it('takes read notifications away after 90 days and leaves unread ones', async () => {
    const made = await bench()
    const { host, clock, notify, inbox } = made
    await notify({ title: 'read' })
    await notify({ title: 'unread' })
    const read = (await inbox()).find(({ title }) => title === 'read')!
    await host.post('/notifications/read', { ids: [read.id] }, mine)
    clock.advance(89 * 24 * hour)
    await host.restart()
    await pause()
    expect(await inbox()).toHaveLength(2)
    clock.advance(2 * 24 * hour)
    await host.restart()
    await expect.poll(async () => (await inbox()).map(({ title }) => title)).toEqual(['unread'])
  })
})

describe('notices of the desktop', () => {
  it('are raised for the local owner alone, a few at a time, the rest as one', async () => {
    const notices: { title: string; body: string }[] = []
    const { host, prefer, notify } = await bench({ ports: { notify: (notice) => notices.push(notice) } })
    await notify()
    const ownerPrefers = (preferences: object) => host.patch('/notifications/preferences', { preferences })
    await ownerPrefers({ inApp: false })
    await notify({ userId: localOwnerId, title: 'off' })
    await ownerPrefers({ inApp: true })
    expect(notices).toEqual([])
    for (let at = 0; at < 20; at += 1) await notify({ userId: localOwnerId, title: `n${at}`, actionUrl: '#/o/letter' })
    await expect.poll(() => notices.length, { timeout: 4_000 }).toBeGreaterThanOrEqual(4)
    await pause(1_300)
    expect(notices[0]).toEqual({ title: 'n0', body: 'Look <here> & there', actionUrl: '#/o/letter' })
    const sums = notices.map(({ title }) => Number(/^(\d+) more notifications?$/.exec(title)?.[1] ?? 1))
    expect(sums.reduce((sum, count) => sum + count, 0)).toBe(20)
    expect(notices.length).toBeLessThan(10)
    await prefer({ inApp: true })
  })
})

it('a purge leaves nothing of the record in the queues, and the database says so', async () => {
  const { host, smtp, hook, notify, prefer } = await bench()
  smtp.answer = () => '421 closed'
  hook.status = 500
  await prefer({ channels: { slack: { url: hook.url } } })
  const id = await notify({ channels, title: 'canary-title', body: 'canary-body' })
  await hook.wait(1)
  await host.delete(`/data/letter/${id}?purge=true`)
  await host.host.stop()
  const db = new Sqlite(join(host.dataDir, 'cairn.db'), { readonly: true })
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND (name GLOB 'mail_*' OR name GLOB 'notifications_*')`
  for (const { name } of db.prepare(sql).all() as { name: string }[])
    expect(JSON.stringify(db.prepare(`SELECT * FROM ${name}`).all()), name).not.toContain('canary')
  db.close()
  expect(readFileSync(join(host.dataDir, 'cairn.db')).includes('canary-')).toBe(false)
})
