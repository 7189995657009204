// Reactions, pins and stars (D-140), and searching a feed (D-141).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addItem, newRecord, pageOf, refusal } from '../support/feed-calls.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let record: string

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}, {}] })
  await host.defineObject('task', { title: { type: 'text' } })
  record = `task/${await newRecord(host, 'task', { title: 'One' })}`
})
afterAll(() => host.stop())

const react = (id: string, emoji: unknown, as = host as Pick<PeopledHost, 'post'>) =>
  as.post(`/data/${record}/feed/${id}/reactions`, { emoji })

describe('reactions', () => {
  it('are counted by emoji, and tell the caller its own', async () => {
    const { id } = await addItem(host, record, { body: 'x' })
    await react(id, '👍')
    await react(id, '👍', host.as(0))
    const answer = await react(id, ':tada:', host.as(0))
    expect(answer.status).toBe(200)
    const me = '00000000-0000-7000-8000-000000000001'
    expect(answer.body.data).toEqual({
      feedId: id,
      reactions: [
        { emoji: '👍', userIds: [me, host.as(0).id], count: 2, reacted: true },
        { emoji: ':tada:', userIds: [host.as(0).id], count: 1, reacted: true },
      ],
    })
    const [item] = (await pageOf(host, `${record}/feed?type=comments_only`)).items
    expect(item.reactions.map((one: { reacted: boolean }) => one.reacted)).toEqual([true, false])
  })

  it('are one grapheme or a shortcode, compared after NFC', async () => {
    const { id } = await addItem(host, record, { body: 'x' })
    for (const emoji of ['👩‍👩‍👧‍👦', '🏳️‍🌈', '❤️', 'é', ':+1:', ':a_b-c:'])
      expect((await react(id, emoji)).status, emoji).toBe(200)
    for (const emoji of [
      '',
      ' ',
      'ab',
      '👍👍',
      ':Tada:',
      `:${'a'.repeat(51)}:`,
      ':a',
      '\u0007',
      `a${'\u0301'.repeat(90)}`,
    ]) {
      const answer = await react(id, emoji)
      expect(refusal(answer), emoji).toEqual([400, 'validation_error'])
      expect(answer.body.error.details.fieldErrors[0]).toMatchObject({ field: 'emoji', code: 'invalid_format' })
    }
    expect(refusal(await react(id, 'e\u0301'))).toEqual([409, 'reaction_already_exists'])
    const gone = await host.delete(`/data/${record}/feed/${id}/reactions/${encodeURIComponent('e\u0301')}`)
    expect(gone.body.data.reactions.map((one: { emoji: string }) => one.emoji)).not.toContain('é')
    expect(refusal(await react(id, undefined))).toEqual([400, 'validation_error'])
  })

  it('exist once per user and are taken back by their own user only', async () => {
    const { id } = await addItem(host, record, { body: 'x' })
    await react(id, '👍')
    expect(refusal(await react(id, '👍'))).toEqual([409, 'reaction_already_exists'])
    const path = `/data/${record}/feed/${id}/reactions/%F0%9F%91%8D`
    expect(refusal(await host.as(0).delete(path))).toEqual([404, 'reaction_not_found'])
    host.takeEvents()
    expect((await host.delete(path)).body.data).toEqual({ feedId: id, reactions: [] })
    expect(refusal(await host.delete(path))).toEqual([404, 'reaction_not_found'])
    await react(id, '🎉')
    const me = '00000000-0000-7000-8000-000000000001'
    expect(host.takeEvents().map(({ type, payload }) => [type, payload])).toEqual([
      ['feed.reaction.removed', { feedId: id, emoji: '👍', userId: me, visibility: 'public' }],
      ['feed.reaction.added', { feedId: id, emoji: '🎉', userId: me, visibility: 'public' }],
    ])
  })

  it('attach to automatic items as well', async () => {
    const { items } = await pageOf(host, `${record}/feed`)
    const created = items.find((item: { type: string }) => item.type === 'record_create')
    expect((await react(created.id, '🎂')).body.data.reactions).toHaveLength(1)
  })
})

describe('pins', () => {
  it('are the record’s and say who set them', async () => {
    const { id } = await addItem(host, record, { body: 'x' })
    const path = `/data/${record}/feed/${id}/pin`
    const pinned = await host.post(path)
    expect(pinned.body.data).toMatchObject({ feedId: id, pinned: true, pinnedBy: expect.any(String) })
    expect(refusal(await host.as(0).post(path))).toEqual([409, 'feed_already_pinned'])
    const [item] = (await pageOf(host.as(1), `${record}/feed?limit=1`)).items
    expect(item).toMatchObject({
      pinned: true,
      pinnedAt: pinned.body.data.pinnedAt,
      pinnedBy: pinned.body.data.pinnedBy,
    })
    expect((await host.as(0).delete(path)).body.data).toEqual({ feedId: id, pinned: false })
    expect(refusal(await host.delete(path))).toEqual([409, 'feed_not_pinned'])
  })

  it('are told of as changes of the item', async () => {
    const { id } = await addItem(host, record, { body: 'x' })
    const heard: unknown[] = []
    const stop = host.host.bus.onCommitted('feed.item.updated', ({ payload }) => void heard.push(payload))
    await host.post(`/data/${record}/feed/${id}/pin`)
    await host.delete(`/data/${record}/feed/${id}/pin`)
    stop()
    expect(heard).toMatchObject([
      { item: { id, visibility: 'public' }, pinned: true },
      { item: { id }, pinned: false },
    ])
  })

  it('need the right to edit the record', async () => {
    await host.assign(1, { profile: 'readonly' })
    const { id } = await addItem(host, record, { body: 'x' })
    expect(refusal(await host.as(1).post(`/data/${record}/feed/${id}/pin`))).toEqual([403, 'permission_denied'])
    expect(refusal(await host.as(1).delete(`/data/${record}/feed/${id}/pin`))).toEqual([403, 'permission_denied'])
    expect((await host.as(1).post(`/data/${record}/feed/${id}/star`)).status).toBe(200)
    await host.assign(1, {})
  })
})

describe('stars', () => {
  it('are each user’s own', async () => {
    const { id } = await addItem(host, record, { body: 'x' })
    const path = `/data/${record}/feed/${id}/star`
    const starred = await host.post(path)
    expect(starred.body.data).toMatchObject({ feedId: id, starred: true })
    expect(refusal(await host.post(path))).toEqual([409, 'feed_already_starred'])
    expect((await pageOf(host, `${record}/feed?limit=1`)).items[0]).toMatchObject({
      starred: true,
      starredAt: starred.body.data.starredAt,
    })
    expect((await pageOf(host.as(0), `${record}/feed?limit=1`)).items[0]).toMatchObject({ starred: false })
    expect(refusal(await host.as(0).delete(path))).toEqual([409, 'feed_not_starred'])
    expect((await host.delete(path)).body.data).toEqual({ feedId: id, starred: false })
    expect(refusal(await host.delete(path))).toEqual([409, 'feed_not_starred'])
  })
})

describe('searching a feed', () => {
  let place: string
  const found = async (query: string, rest = '', as = host as Pick<PeopledHost, 'get' | 'post'>): Promise<string[]> =>
    (await pageOf(as, `${place}/feed/search?query=${encodeURIComponent(query)}${rest}`)).items.map(
      (item: { body: string }) => item.body,
    )

  beforeAll(async () => {
    place = `task/${await newRecord(host, 'task', { title: 'budget' })}`
    const other = `task/${await newRecord(host, 'task', { title: 'Two' })}`
    await addItem(host, other, { body: 'budget of another record' })
    await addItem(host, place, { body: 'The **Budget** for crème brûlée' })
    await addItem(host.as(0), place, { type: 'note', body: 'Plan of the budget review' })
    await addItem(host, place, { type: 'task', body: '東京タワー', data: { done: false } })
  })

  it.each([
    ['budget', ['Plan of the budget review', 'The **Budget** for crème brûlée']],
    ['budg', ['Plan of the budget review', 'The **Budget** for crème brûlée']],
    ['creme bud', ['The **Budget** for crème brûlée']],
    ['"budget review"', ['Plan of the budget review']],
    ['"review budget"', []],
    ['budget -plan', ['The **Budget** for crème brûlée']],
    ['-budget', ['東京タワー']],
    ['京タ', ['東京タワー']],
    ['udget', []],
    ['++', []],
    ['title:budget OR x*', []],
    ['another', []],
  ])('finds %s', async (query, bodies) => {
    expect(await found(query)).toEqual(bodies)
  })

  it('follows changed and deleted items', async () => {
    const item = await addItem(host, place, { body: 'ephemeral' })
    expect(await found('ephemeral')).toEqual(['ephemeral'])
    await host.put(`/data/${place}/feed/${item.id}`, { body: 'lasting' })
    expect(await found('ephemeral')).toEqual([])
    expect(await found('lasting')).toEqual(['lasting'])
    await host.delete(`/data/${place}/feed/${item.id}`)
    expect(await found('lasting')).toEqual([])
  })

  it('narrows by type, author, time and marks', async () => {
    expect(await found('budget', '&type=comments_only')).toEqual(['The **Budget** for crème brûlée'])
    expect(await found('budget', '&type=note')).toEqual(['Plan of the budget review'])
    expect(await found('東京', '&type=tasks_only')).toEqual(['東京タワー'])
    expect(await found('budget', '&type=changes_only')).toEqual([])
    expect(await found('budget', '&type=record_create')).toEqual([])
    expect(await found('budget', `&actorId=${host.as(0).id}`)).toEqual(['Plan of the budget review'])
    const [newest, oldest] = (await pageOf(host, `${place}/feed/search?query=budget`)).items
    expect(await found('budget', `&dateTo=${oldest.createdAt}`)).toEqual([oldest.body])
    expect(await found('budget', `&dateFrom=${newest.createdAt}`)).toEqual([newest.body])
    const day = newest.createdAt.slice(0, 10)
    expect(await found('budget', `&dateFrom=2001-01-01&dateTo=2001-01-02`)).toEqual([])
    expect(await found('budget', `&dateFrom=${day}T00:00:00Z&dateTo=2999-12-31`)).toHaveLength(2)
    expect(await found('budget', '&hasAttachments=true')).toEqual([])
    expect(await found('budget', '&hasAttachments=false')).toHaveLength(2)
    await host.post(`/data/${place}/feed/${newest.id}/pin`)
    await host.as(0).post(`/data/${place}/feed/${oldest.id}/star`)
    expect(await found('budget', '&pinnedOnly=true')).toEqual([newest.body])
    expect(await found('budget', '&pinnedOnly=false')).toHaveLength(2)
    expect(await found('budget', '&starredOnly')).toEqual([])
    expect(await found('budget', '&starredOnly=1', host.as(0))).toEqual([oldest.body])
  })

  it('comes in pages', async () => {
    const page = await pageOf(host, `${place}/feed/search?query=budget&limit=1`)
    expect([page.total, page.hasMore]).toEqual([2, true])
    const next = await pageOf(host, `${place}/feed/search?query=budget&limit=1&cursor=${page.nextCursor}`)
    expect([next.items[0].body, next.hasMore]).toEqual(['The **Budget** for crème brûlée', false])
    const foreign = await host.get(`/data/${place}/feed/search?query=other&limit=1&cursor=${page.nextCursor}`)
    expect(refusal(foreign)).toEqual([400, 'validation_error'])
  })

  it('needs two characters, known types, and times that are times', async () => {
    const ask = (query: string) => host.get(`/data/${place}/feed/search?${query}`)
    for (const query of ['query=', 'query=a', 'query=%20a%20'])
      expect(refusal(await ask(query))).toEqual([400, 'feed_search_query_too_short'])
    expect(refusal(await ask(''))).toEqual([400, 'validation_error'])
    expect(refusal(await ask('query=abc&type=poem'))).toEqual([400, 'invalid_feed_type'])
    const times = await ask('query=abc&dateFrom=soon&dateTo=later')
    expect(times.body.error.details.fieldErrors).toMatchObject([
      { field: 'dateFrom', code: 'invalid_datetime' },
      { field: 'dateTo', code: 'invalid_datetime' },
    ])
    expect(refusal(await ask('query=abc&pinnedOnly=perhaps'))).toEqual([400, 'validation_error'])
    const many = await ask(`query=${encodeURIComponent('a '.repeat(65))}`)
    expect(many.body.error.details.fieldErrors).toMatchObject([{ field: 'query', code: 'max_items' }])
  })
})
