// The door of feeds for other machines: items, reactions and pins become what they are elsewhere, once, with events for
// this machine and nothing that leaves it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addItem, newRecord, pageOf } from '../support/feed-calls.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { FeedService, TravellingItem } from '#main/plugins/feed/api.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import type { PeopledHost, UserCalls } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let inside: PluginHost
let feed: FeedService
let object: string
let record: string
let recordId: string
let [ann, ben, cleo]: UserCalls[] = []
let smtp: Awaited<ReturnType<typeof startSmtpPeer>>
let dataDir: string
let made = 0

beforeAll(async () => {
  const looking = definePlugin({
    id: 'looking',
    version: '1.0.0',
    requires: ['feed', 'metadata'],
    register(it) {
      inside = it
    },
  })
  smtp = await startSmtpPeer()
  const config = {
    outbound: { allowedHosts: ['127.0.0.1'] },
    mail: { host: '127.0.0.1', port: smtp.port, from: 'cairn@example.org' },
  }
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-remote-'))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  const users = [{}, {}, {}]
  host = await createPeopledHost({ users }, (plugins) => [...plugins, looking], { dataDir })
  await host.defineObject('task', { title: { type: 'text' }, margin: { type: 'number' } })
  await host.defineObject('quiet', { title: { type: 'text' } }, { enable: { feeds: false } })
  await host.saveItem('permission', 'masks', { fields: { 'task.margin': { readable: false } } })
  await host.assign(2, { permissionSets: ['masks'] })
  feed = inside.service('feed')
  object = uidOf('task')
  ;[ann, ben, cleo] = [0, 1, 2].map((number) => host.as(number))
})
afterAll(async () => {
  await host.stop()
  await smtp.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

beforeEach(async () => {
  recordId = await newRecord(ann!, 'task', { title: 'One' })
  record = `task/${recordId}`
  await settled()
  host.takeEvents()
})

const uidOf = (name: string): string => inside.service('metadata').objectSchema(name)!.uid

/** An item as another machine has it. */
function remote(given: Partial<TravellingItem> = {}): TravellingItem {
  made += 1
  const createdAt = new Date().toISOString()
  return {
    id: `0190f2a4-0000-7000-a000-${String(made).padStart(12, '0')}`,
    type: 'comment',
    actor: { type: 'user', id: ann!.id },
    source: 'UI',
    parentId: null,
    createdAt,
    body: 'a heron',
    mentions: [],
    data: null,
    visibility: 'public',
    editedAt: null,
    deletedAt: null,
    reactions: [],
    pin: null,
    ...given,
  }
}

const later = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString()

async function apply(
  items: readonly TravellingItem[],
  options: { place?: { object: string; recordId: string }; past?: boolean } = {},
): Promise<string> {
  const { place = { object, recordId }, past = false } = options
  const ctx: RequestContext = { ...internalContext('peer', 'sync'), actor: { type: 'user', id: ann!.id, name: 'Ann' } }
  return inside.write('test.apply', (tx) => feed.applyRemote(tx, ctx, place, items, { past }))
}

/** Waits until every consumer has handled what was written. */
async function settled(): Promise<void> {
  const pending = () => inside.read.get(statement<{ n: number }>('SELECT count(*) AS n FROM _outbox'))!.n
  for (let tries = 0; tries < 400 && pending() > 0; tries += 1) await pause(10)
  expect(pending()).toBe(0)
}

const feedEvents = () => host.takeEvents().filter(({ type }) => type.startsWith('feed.'))
const items = async (as: UserCalls | undefined = ann) => (await pageOf(as!, `${record}/feed?type=comments_only`)).items
const found = async (word: string): Promise<string[]> =>
  (await pageOf(ann!, `${record}/feed/search?query=${word}`)).items.map((item: { id: string }) => item.id)
const inbox = async (as: UserCalls | undefined) => {
  await settled()
  return (
    (await as!.get('/notifications')).body.data?.notifications ?? (await as!.get('/notifications')).body.notifications
  )
}

describe('an item of another machine', () => {
  it('is there with everything, and with an event whose source is sync', async () => {
    const item = remote({ data: { a: 1 }, visibility: 'internal', editedAt: later(1) })
    expect(await apply([item])).toBe('done')
    expect(await items()).toMatchObject([
      {
        id: item.id,
        body: 'a heron',
        data: { a: 1 },
        visibility: 'internal',
        createdAt: item.createdAt,
        updatedAt: item.editedAt,
        isEdited: true,
        actor: { type: 'user', id: ann!.id, source: 'UI' },
      },
    ])
    expect(await found('heron')).toEqual([item.id])
    expect(feedEvents()).toMatchObject([
      { type: 'feed.item.created', source: 'sync', object: 'task', recordId, payload: { item: { id: item.id } } },
    ])
    expect(feed.travelling(inside.read, { object, recordId })).toEqual([item])
  })

  it('changes nothing when it comes again', async () => {
    const item = remote({
      reactions: [{ emoji: '👍', userId: ben!.id, at: later(0) }],
      pin: { userId: ann!.id, at: later(0) },
    })
    await apply([item])
    expect(feedEvents().map(({ type }) => type)).toEqual([
      'feed.item.created',
      'feed.reaction.added',
      'feed.item.updated',
    ])
    await apply([item])
    await apply([structuredClone(item)], { past: true })
    expect(feedEvents()).toEqual([])
  })

  it('is changed, and loses what it lost', async () => {
    const item = remote({ data: { a: 1 }, pin: { userId: ann!.id, at: later(0) } })
    await apply([item])
    feedEvents()
    await apply([{ ...item, body: 'a stork', data: null, pin: null, editedAt: later(1) }])
    const [shown] = await items()
    expect(shown).toMatchObject({ body: 'a stork', pinned: false })
    expect(shown.data).toBeUndefined()
    expect([await found('heron'), await found('stork')]).toEqual([[], [item.id]])
    expect(feedEvents().map(({ payload }) => (payload as { pinned?: boolean }).pinned)).toEqual([undefined, false])
  })

  it('goes, and leaves a stub to its replies until the last of them goes (D-138)', async () => {
    const parent = remote({ mentions: [{ type: 'user', id: ben!.id, name: 'Ben', offset: 0, length: 0 }] })
    const reply = remote({ parentId: parent.id, body: 'yes' })
    await apply([reply, parent])
    feedEvents()
    const gone = { ...parent, body: null, deletedAt: later(2) }
    await apply([gone])
    expect(feedEvents()).toMatchObject([
      { type: 'feed.item.deleted', payload: { item: { id: parent.id, isDeleted: true } } },
    ])
    expect((await items()).map((one: { isDeleted: boolean }) => one.isDeleted).toSorted()).toEqual([false, true])
    expect(await found('heron')).toEqual([])
    await apply([gone])
    expect(feedEvents()).toEqual([])
    await apply([{ ...reply, body: null, deletedAt: later(3) }])
    expect(await items()).toEqual([])
    await apply([parent])
    expect(await items()).toHaveLength(1)
  })

  it('that was deleted before it came is there only where somebody replied', async () => {
    const parent = remote({ deletedAt: later(0), body: null })
    await apply([parent])
    expect(await items()).toEqual([])
    const reply = remote({ parentId: parent.id })
    await apply([parent, reply])
    expect((await items()).map((one: { id: string; isDeleted: boolean }) => [one.id, one.isDeleted])).toEqual([
      [reply.id, false],
      [parent.id, true],
    ])
    expect(feedEvents().map(({ type }) => type)).toEqual(['feed.item.created'])
  })

  it('waits for its record and for its object, also in the trash', async () => {
    const absent = '0190f2a4-0000-7000-8000-0000000000ff'
    expect(await apply([remote()], { place: { object, recordId: absent } })).toBe('later')
    expect(await apply([remote()], { place: { object: 'nowhere', recordId } })).toBe('later')
    expect(feedEvents()).toEqual([])
    await host.delete(`/data/${record}`)
    expect(await apply([remote()])).toBe('done')
    await host.post(`/data/${record}/restore`, {})
    expect(await items()).toHaveLength(1)
  })

  it('is kept without a word where feeds are switched off', async () => {
    const quiet = await newRecord(ann!, 'quiet', { title: 'x' })
    const place = { object: uidOf('quiet'), recordId: quiet }
    host.takeEvents()
    expect(await apply([remote({ reactions: [{ emoji: '👍', userId: ben!.id, at: later(0) }] })], { place })).toBe(
      'done',
    )
    expect(feedEvents()).toEqual([])
    expect(feed.travelling(inside.read, place)).toHaveLength(1)
  })

  it('takes no reaction that none is, and no type that only the platform writes', async () => {
    const item = remote({ reactions: [{ emoji: 'two words', userId: ben!.id, at: later(0) }] })
    await apply([item, { ...remote(), type: 'sharing' as 'note' }])
    expect((await items())[0].reactions).toEqual([])
    expect(feed.travelling(inside.read, { object, recordId })).toHaveLength(1)
  })
})

describe('what may be seen of it', () => {
  it('a reply to a change only its own machine has is closed to whoever may not read all fields', async () => {
    const reply = remote({ parentId: '0190f2a4-0000-7000-8000-0000000000aa' })
    await apply([reply])
    expect(await items(ben)).toHaveLength(1)
    expect(await items(cleo)).toEqual([])
    const open = remote()
    await apply([open, remote({ parentId: open.id, body: 'known' })])
    expect((await items(cleo)).map((one: { body: string }) => one.body).toSorted()).toEqual(['a heron', 'known'])
  })

  it('private is for its author and whom it mentions', async () => {
    const mentions = [{ type: 'user' as const, id: ben!.id, name: 'Ben', offset: 0, length: 0 }]
    await apply([remote({ visibility: 'private', mentions })])
    expect(await Promise.all([ann, ben, cleo].map(async (one) => (await items(one)).length))).toEqual([1, 1, 0])
  })
})

describe('people of this machine', () => {
  const mention = (user: UserCalls | undefined) => [
    { type: 'user' as const, id: user!.id, name: 'One', offset: 0, length: 4 },
  ]

  it('hear of a mention and of what they are subscribed to, here', async () => {
    await cleo!.post(`/data/${record}/subscribe`, { events: ['comment'], channels: ['in_app', 'email'] })
    await apply([remote({ body: '@One look', mentions: mention(ben) })])
    expect((await inbox(ben))[0]).toMatchObject({ type: 'mention', title: expect.stringContaining('mentioned you on') })
    expect((await inbox(cleo))[0]).toMatchObject({ type: 'comment', body: '@One look' })
    expect((await ben!.get(`/data/${record}/subscribe`)).body.data).toMatchObject({ active: true })
  })

  it('are not told of their own words, nor again of what they know', async () => {
    const before = (await inbox(ann)).length
    const item = remote({ mentions: mention(ann) })
    await apply([item])
    await apply([{ ...item, body: 'again', editedAt: later(1) }])
    expect(await inbox(ann)).toHaveLength(before)
  })

  it('are not told of the past when it comes', async () => {
    const before = (await inbox(ben)).length
    const createdAt = new Date(Date.now() - 2 * 24 * 3_600_000).toISOString()
    await apply([remote({ mentions: mention(ben), createdAt })], { past: true })
    expect(await inbox(ben)).toHaveLength(before)
    await apply([remote({ mentions: mention(ben) })], { past: true })
    expect(await inbox(ben)).toHaveLength(before + 1)
  })

  it('get no mail of it: that left where it was written', async () => {
    const before = (await inbox(ben)).length
    await ben!.post(`/data/${record}/subscribe`, { events: ['all'], channels: ['email', 'in_app'] })
    await apply([remote({ body: 'written elsewhere', mentions: mention(ben) })])
    expect(await inbox(ben)).toHaveLength(before + 1)
    await addItem(ann!, record, { body: 'written here' })
    for (let tries = 0; tries < 500 && smtp.mails.length === 0; tries += 1) await pause(10)
    await settled()
    expect(smtp.mails).toHaveLength(1)
    expect(JSON.stringify(smtp.mails)).toContain('written here')
  })
})
