// Who sees and changes what in feeds (D-138, D-143): visibility, authors, moderators, guests, rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addItem, newRecord, pageOf, refusal } from '../support/feed-calls.ts'
import type { PeopledHost, UserCalls } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let record: string
let [author, other, guest, moderator, key]: UserCalls[] = []

beforeAll(async () => {
  host = await createPeopledHost({
    users: [{}, {}, {}, {}, { sameAs: 0, scope: { permissionSets: null, readOnly: true } }],
  })
  await host.defineObject('task', { title: { type: 'text' } })
  await host.defineObject('closed', { title: { type: 'text' } }, { sharingModel: 'private' })
  await host.saveItem('permission', 'sees_tasks', { objects: { task: { allowRead: true, allowEdit: true } } })
  await host.saveItem('permission', 'moderates', { systemPermissions: ['moderate_feed'] })
  await host.assign(2, { profile: 'guest', permissionSets: ['sees_tasks'] })
  await host.assign(3, { permissionSets: ['moderates'] })
  ;[author, other, guest, moderator, key] = [0, 1, 2, 3, 4].map((number) => host.as(number))
})
afterAll(() => host.stop())

const fresh = async (): Promise<void> => {
  record = `task/${await newRecord(host, 'task', { title: 'One' })}`
}
const bodies = async (as: UserCalls, path = 'feed?type=comments_only'): Promise<string[]> => {
  const { items, total } = await pageOf(as, `${record}/${path}`)
  expect(total).toBe(items.length)
  return items.map((item: { body: string }) => item.body)
}

describe('visibility', () => {
  it('public is for all readers, internal not for guests, private for author and mentioned users', async () => {
    await fresh()
    await addItem(author!, record, { body: 'all of you' })
    await addItem(author!, record, { body: 'house of you', visibility: 'internal' })
    await addItem(author!, record, {
      body: `mine and @[G](user:${guest!.id}) of you`,
      visibility: 'private',
    })
    const [mine, house, all] = [`mine and @[G](user:${guest!.id}) of you`, 'house of you', 'all of you']
    for (const path of ['feed?type=comments_only', 'feed/search?query=you']) {
      expect(await bodies(author!, path)).toEqual([mine, house, all])
      expect(await bodies(other!, path)).toEqual([house, all])
      expect(await bodies(moderator!, path)).toEqual([house, all])
      expect(await bodies(guest!, path)).toEqual([mine, all])
    }
    const wrong = await author!.post(`/data/${record}/feed`, { type: 'comment', body: 'x', visibility: 'secret' })
    expect(refusal(wrong)).toEqual([400, 'validation_error'])
  })

  it('makes items of others not there on every path', async () => {
    await fresh()
    const item = await addItem(author!, record, { body: 'mine', visibility: 'private' })
    const at = `/data/${record}/feed/${item.id}`
    for (const answer of [
      await other!.put(at, { body: 'x' }),
      await other!.delete(at),
      await moderator!.delete(at),
      await other!.post(`${at}/reactions`, { emoji: '👍' }),
      await other!.delete(`${at}/reactions/x`),
      await other!.post(`${at}/pin`),
      await other!.delete(`${at}/pin`),
      await other!.post(`${at}/star`),
      await other!.delete(`${at}/star`),
    ])
      expect(refusal(answer)).toEqual([404, 'feed_item_not_found'])
    const reply = await other!.post(`/data/${record}/feed`, { type: 'comment', body: 'x', parentId: item.id })
    expect(refusal(reply)).toEqual([400, 'feed_invalid_parent'])
  })

  it('goes for replies too, and for their number', async () => {
    await fresh()
    const open = await addItem(author!, record, { body: 'open' })
    await addItem(author!, record, { body: 'hidden reply', parentId: open.id, visibility: 'private' })
    await addItem(author!, record, { body: 'open reply', parentId: open.id })
    const counts = async (as: UserCalls) =>
      (await pageOf(as, `${record}/feed?type=comments_only`)).items.at(-1).replyCount as number
    expect([await counts(author!), await counts(other!)]).toEqual([2, 1])
    expect(await bodies(other!, `feed?parentId=${open.id}`)).toEqual(['open reply'])
    const closed = await addItem(author!, record, { body: 'closed', visibility: 'private' })
    host.takeEvents()
    await addItem(author!, record, { body: 'open reply to closed', parentId: closed.id })
    // Whoever hands the event on must not widen what the parent's author narrowed.
    expect(host.takeEvents()[0]!.payload).toMatchObject({ item: { visibility: 'private' } })
    expect(await bodies(other!)).toEqual(['open reply', 'open'])
    expect(await bodies(other!, `feed?parentId=${closed.id}`)).toEqual([])
  })

  it('can be changed by the author', async () => {
    await fresh()
    const item = await addItem(author!, record, { body: 'text' })
    await author!.put(`/data/${record}/feed/${item.id}`, { visibility: 'private' })
    expect(await bodies(other!)).toEqual([])
    await author!.put(`/data/${record}/feed/${item.id}`, { mentions: [{ type: 'user', id: other!.id }] })
    expect(await bodies(other!)).toEqual(['text'])
  })
})

describe('authors and moderators', () => {
  it('only the author edits, moderators may delete', async () => {
    await fresh()
    const item = await addItem(author!, record, { body: 'text' })
    const at = `/data/${record}/feed/${item.id}`
    expect(refusal(await other!.put(at, { body: 'x' }))).toEqual([403, 'feed_permission_denied'])
    expect(refusal(await moderator!.put(at, { body: 'x' }))).toEqual([403, 'feed_permission_denied'])
    expect(refusal(await other!.delete(at))).toEqual([403, 'feed_permission_denied'])
    expect((await moderator!.delete(at)).status).toBe(200)
    const own = await addItem(author!, record, { body: 'text' })
    expect((await author!.delete(`/data/${record}/feed/${own.id}`)).status).toBe(200)
  })

  it('a key that only reads writes nothing', async () => {
    await fresh()
    const item = await addItem(author!, record, { body: 'text' })
    expect((await key!.get(`/data/${record}/feed`)).status).toBe(200)
    for (const answer of [
      await key!.post(`/data/${record}/feed`, { type: 'comment', body: 'x' }),
      await key!.put(`/data/${record}/feed/${item.id}`, { body: 'x' }),
      await key!.post(`/data/${record}/feed/${item.id}/star`),
      await key!.post(`/data/${record}/subscribe`),
    ])
      expect(refusal(answer)).toEqual([403, 'permission_denied'])
  })
})

describe('records', () => {
  it('that are not seen have no feed and no changelog; objects that are closed refuse', async () => {
    const id = await newRecord(host, 'closed', { title: 'x' })
    for (const path of ['feed', 'feed/search?query=abc', 'changelog', 'subscribe']) {
      const hidden = await other!.get(`/data/closed/${id}/${path}`)
      const absent = await other!.get(`/data/closed/0190f2a4-0000-7000-8000-0000000000ff/${path}`)
      const told = (answer: typeof hidden) =>
        JSON.stringify({ ...answer.body.error, requestId: '' }).replace(/[0-9a-f-]{36}/, '')
      expect([hidden.status, told(hidden)]).toEqual([404, told(absent)])
      expect(refusal(await guest!.get(`/data/closed/${id}/${path}`))).toEqual([403, 'permission_denied'])
    }
    await host.delete(`/data/closed/${id}`)
    expect(refusal(await other!.get(`/data/closed/${id}/changelog`))).toEqual([404, 'resource_not_found'])
    expect((await host.get(`/data/closed/${id}/changelog`)).status).toBe(200)
  })

  it('of an object whose API is off have none', async () => {
    await host.defineObject('internal', { title: { type: 'text' } }, { enable: { apiEnabled: false } })
    expect(refusal(await host.get('/data/internal/0190f2a4-0000-7000-8000-0000000000ff/feed'))).toEqual([
      404,
      'resource_not_found',
    ])
    await host.defineObject('narrow', { title: { type: 'text' } }, { enable: { apiMethods: ['create'] } })
    const id = await newRecord(host, 'narrow', { title: 'x' })
    expect(refusal(await host.get(`/data/narrow/${id}/changelog`))).toEqual([405, 'method_not_allowed'])
  })
})
