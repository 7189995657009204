// Items of feeds (D-136 to D-139): who writes them, how they are listed, changed and deleted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { addItem, newRecord, pageOf, refusal } from '../support/feed-calls.ts'

let host: TestHost
let task: string

const owner = '00000000-0000-7000-8000-000000000001'
const absent = '0190f2a4-0000-7000-8000-0000000000ff'

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', {
    title: { type: 'text' },
    stage: { type: 'select', options: [{ value: 'open', label: 'Open' }, { value: 'done', label: 'Finished' }] },
    quiet: { type: 'number', trackFeedHistory: false },
    pin: { type: 'secret' },
  })
  await host.defineObject('silent', { title: { type: 'text' } }, { enable: { feeds: false } })
  await host.defineObject('untracked', { title: { type: 'text' } }, { enable: { trackHistory: false } })
})
afterAll(() => host.stop())

const fresh = async (data: Record<string, unknown> = { title: 'One' }): Promise<string> => {
  task = await newRecord(host, 'task', data)
  return `task/${task}`
}

describe('an item a client creates', () => {
  it('has every member of D-136 and the envelope', async () => {
    const record = await fresh()
    const answer = await host.post(`/data/${record}/feed`, { type: 'comment', body: 'Hello **you**' })
    expect(answer.status).toBe(201)
    expect(answer.body.success).toBe(true)
    const item = answer.body.data
    expect(item).toMatchObject({
      type: 'comment',
      object: 'task',
      recordId: task,
      actor: { type: 'user', id: owner, name: 'owner', source: 'API' },
      body: 'Hello **you**',
      mentions: [],
      attachments: [],
      reactions: [],
      replyCount: 0,
      pinned: false,
      starred: false,
      visibility: 'public',
      isEdited: false,
      isDeleted: false,
    })
    expect(item.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(item.createdAt).toBe(item.updatedAt)
    expect((await pageOf(host, `${record}/feed?type=comments_only`)).items).toEqual([item])
  })

  it.each(['comment', 'task', 'event', 'email', 'call', 'note', 'file'])('may be of type %s', async (type) => {
    const item = await addItem(host, await fresh(), { type, body: 'said' })
    expect(item.type).toBe(type)
  })

  it.each(['record_create', 'field_change', 'record_delete', 'approval', 'sharing', 'system', 'poem'])(
    'is refused as %s with invalid_feed_type',
    async (type) => {
      const answer = await host.post(`/data/${await fresh()}/feed`, { type, body: 'x' })
      expect(refusal(answer)).toEqual([400, 'invalid_feed_type'])
    },
  )

  it.each(['comment', 'note'])('needs a text as %s', async (type) => {
    const record = await fresh()
    for (const body of [undefined, '', '  \n ']) {
      const answer = await host.post(`/data/${record}/feed`, { type, body })
      expect(refusal(answer)).toEqual([400, 'validation_error'])
      expect(answer.body.error.details.fieldErrors).toMatchObject([{ field: 'body', code: 'required' }])
    }
  })

  it('takes 50,000 characters and no more', async () => {
    const record = await fresh()
    expect((await addItem(host, record, { body: 'x'.repeat(50_000) })).body).toHaveLength(50_000)
    const answer = await host.post(`/data/${record}/feed`, { type: 'comment', body: 'x'.repeat(50_001) })
    expect(refusal(answer)).toEqual([400, 'validation_error'])
    expect(answer.body.error.details.fieldErrors[0]).toMatchObject({ field: 'body', code: 'max_length' })
  })

  it('names each unknown file', async () => {
    const answer = await host.post(`/data/${await fresh()}/feed`, { type: 'file', attachments: [absent, 'x'] })
    expect(answer.status).toBe(400)
    expect(answer.body.error.details.fieldErrors).toMatchObject([
      { field: 'attachments.0', code: 'invalid_reference' },
      { field: 'attachments.1', code: 'invalid_reference' },
    ])
  })

  it('keeps the members of a task and checks them', async () => {
    const record = await fresh()
    const data = { dueDate: '2026-05-01', assigneeId: owner, done: false, note: 'free' }
    const item = await addItem(host, record, { type: 'task', data })
    expect(item.data).toEqual(data)
    const wrong = await host.post(`/data/${record}/feed`, {
      type: 'task',
      data: { dueDate: 'soon', assigneeId: absent, done: 'no' },
    })
    expect(wrong.body.error.details.fieldErrors.map((one: { field: string }) => one.field)).toEqual([
      'data.dueDate',
      'data.assigneeId',
      'data.done',
    ])
    const done = await host.put(`/data/${record}/feed/${item.id}`, { data: { done: true, note: null } })
    expect(done.body.data.data).toEqual({ dueDate: '2026-05-01', assigneeId: owner, done: true })
    const large = await host.post(`/data/${record}/feed`, { type: 'call', data: { text: 'x'.repeat(20_001) } })
    expect(large.body.error.details.fieldErrors).toMatchObject([{ field: 'data', code: 'max_length' }])
  })

  it('raises feed.item.created without what is the caller’s', async () => {
    const record = await fresh()
    host.takeEvents()
    const item = await addItem(host, record, { body: 'told' })
    const [event] = host.takeEvents().filter(({ type }) => type.startsWith('feed.'))
    expect(event).toMatchObject({
      type: 'feed.item.created',
      object: 'task',
      recordId: task,
      payload: { item: { id: item.id, body: 'told', visibility: 'public' } },
    })
    expect(Object.keys((event!.payload as { item: object }).item)).not.toContain('starred')
  })

  it('is repeated for the same Idempotency-Key, not made twice', async () => {
    const record = await fresh()
    const headers = { 'idempotency-key': `feed-${task}` }
    const first = await host.post(`/data/${record}/feed`, { type: 'comment', body: 'once' }, headers)
    const again = await host.post(`/data/${record}/feed`, { type: 'comment', body: 'once' }, headers)
    expect(again.body.data.id).toBe(first.body.data.id)
    expect((await pageOf(host, `${record}/feed?type=comments_only`)).total).toBe(1)
  })
})

describe('mentions', () => {
  it('are parsed from the body with their places', async () => {
    const body = `😀 @[Ann B](user:${owner}) and @[Crew](team:t1), @[It](record:task/${absent})`
    const { mentions } = await addItem(host, await fresh(), { body })
    expect(mentions).toEqual([
      { type: 'user', id: owner, name: 'Ann B', offset: 3, length: `@[Ann B](user:${owner})`.length },
      { type: 'team', id: 't1', name: 'Crew', offset: body.indexOf('@[Crew]'), length: '@[Crew](team:t1)'.length },
      { type: 'record', object: 'task', id: absent, name: 'It', offset: body.indexOf('@[It]'), length: expect.any(Number) },
    ])
  })

  it('that are given are completed from the body, and an empty list means none', async () => {
    const record = await fresh()
    const given = await addItem(host, record, {
      body: 'Dear @owner, see @[X](team:t)',
      mentions: [
        { type: 'user', id: owner },
        { type: 'team', id: 't' },
        { type: 'team', id: 'z', name: 'Z', offset: 1, length: 2 },
      ],
    })
    expect(given.mentions).toEqual([
      { type: 'user', id: owner, name: 'owner', offset: 5, length: 6 },
      { type: 'team', id: 't', name: 'X', offset: 17, length: 12 },
      { type: 'team', id: 'z', name: 'Z', offset: 1, length: 2 },
    ])
    expect((await addItem(host, record, { body: `@[A](user:${owner})`, mentions: [] })).mentions).toEqual([])
    const wrong = await host.post(`/data/${record}/feed`, { type: 'comment', body: 'x', mentions: [{ id: 'a' }] })
    expect(refusal(wrong)).toEqual([400, 'validation_error'])
  })
})

describe('changing an item', () => {
  it('sets isEdited and editedAt, and keeps what is left out', async () => {
    const record = await fresh()
    const item = await addItem(host, record, { body: `a @[O](user:${owner})`, visibility: 'internal' })
    host.takeEvents()
    const answer = await host.put(`/data/${record}/feed/${item.id}`, { body: 'b' })
    expect(answer.body.data).toMatchObject({ body: 'b', mentions: [], visibility: 'internal', isEdited: true })
    expect(answer.body.data.editedAt).toBe(answer.body.data.updatedAt)
    expect(host.takeEvents().map(({ type }) => type)).toEqual(['feed.item.updated'])
    const seen = await host.put(`/data/${record}/feed/${item.id}`, { visibility: 'public' })
    expect(seen.body.data).toMatchObject({ body: 'b', visibility: 'public' })
    const empty = await host.put(`/data/${record}/feed/${item.id}`, { body: ' ' })
    expect(refusal(empty)).toEqual([400, 'validation_error'])
  })

  it('is refused for what the server wrote with feed_item_not_editable', async () => {
    const record = await fresh()
    const [created] = (await pageOf(host, `${record}/feed`)).items
    expect(created.type).toBe('record_create')
    expect(refusal(await host.put(`/data/${record}/feed/${created.id}`, { body: 'x' }))).toEqual([
      409,
      'feed_item_not_editable',
    ])
    expect(refusal(await host.delete(`/data/${record}/feed/${created.id}`))).toEqual([409, 'feed_item_not_editable'])
  })

  it('answers feed_item_not_found for unknown items and those of other records', async () => {
    const other = await fresh()
    const item = await addItem(host, other, { body: 'theirs' })
    const record = await fresh()
    for (const id of [absent, 'no-id', item.id])
      for (const answer of [
        await host.put(`/data/${record}/feed/${id}`, { body: 'x' }),
        await host.delete(`/data/${record}/feed/${id}`),
        await host.post(`/data/${record}/feed/${id}/reactions`, { emoji: '👍' }),
        await host.delete(`/data/${record}/feed/${id}/reactions/x`),
        await host.post(`/data/${record}/feed/${id}/pin`),
        await host.delete(`/data/${record}/feed/${id}/pin`),
        await host.post(`/data/${record}/feed/${id}/star`),
        await host.delete(`/data/${record}/feed/${id}/star`),
      ])
        expect(refusal(answer), id).toEqual([404, 'feed_item_not_found'])
  })
})

describe('threads', () => {
  it('count undeleted replies and list them', async () => {
    const record = await fresh()
    const top = await addItem(host, record, { body: 'top' })
    const first = await addItem(host, record, { body: 'first', parentId: top.id })
    await addItem(host, record, { type: 'note', body: 'second', parentId: top.id })
    const replies = await pageOf(host, `${record}/feed?parentId=${top.id}`)
    expect([replies.total, replies.items.map((one: { body: string }) => one.body)]).toEqual([2, ['second', 'first']])
    await host.delete(`/data/${record}/feed/${first.id}`)
    const [item] = (await pageOf(host, `${record}/feed?type=comments_only`)).items
    expect(item).toMatchObject({ body: 'top', replyCount: 1 })
  })

  it('hang on facts as well', async () => {
    const record = await fresh()
    const [created] = (await pageOf(host, `${record}/feed`)).items
    const reply = await addItem(host, record, { body: 'welcome', parentId: created.id })
    expect(reply.parentId).toBe(created.id)
    expect((await pageOf(host, `${record}/feed`)).items[1]).toMatchObject({ id: created.id, replyCount: 1 })
  })

  it('have one level, inside of one record', async () => {
    const other = await fresh()
    const foreign = await addItem(host, other, { body: 'foreign' })
    const record = await fresh()
    const top = await addItem(host, record, { body: 'top' })
    const reply = await addItem(host, record, { body: 'reply', parentId: top.id })
    const gone = await addItem(host, record, { body: 'gone' })
    await host.delete(`/data/${record}/feed/${gone.id}`)
    for (const parentId of [reply.id, foreign.id, gone.id, absent, 'no-id'])
      expect(refusal(await host.post(`/data/${record}/feed`, { type: 'comment', body: 'x', parentId }))).toEqual([
        400,
        'feed_invalid_parent',
      ])
    expect((await addItem(host, record, { body: 'x', parentId: null })).parentId).toBeUndefined()
  })

  it('leave a stub without a body while there are replies, and nothing afterwards', async () => {
    const record = await fresh()
    const top = await addItem(host, record, { type: 'task', body: 'secret word', data: { done: true } })
    await host.post(`/data/${record}/feed/${top.id}/pin`)
    const reply = await addItem(host, record, { body: 'reply', parentId: top.id })
    host.takeEvents()
    const removed = await host.delete(`/data/${record}/feed/${top.id}`)
    expect(removed.body.data).toEqual({ feedId: top.id, deleted: true })
    const [event] = host.takeEvents()
    expect(event).toMatchObject({ type: 'feed.item.deleted', payload: { item: { id: top.id, isDeleted: true } } })
    expect(JSON.stringify(event)).not.toContain('secret word')
    const stub = (await pageOf(host, `${record}/feed?type=tasks_only`)).items[0]
    expect(stub).toMatchObject({ id: top.id, isDeleted: true, replyCount: 1, pinned: false, mentions: [] })
    expect(stub).not.toHaveProperty('body')
    expect(stub).not.toHaveProperty('data')
    expect((await pageOf(host, `${record}/feed/search?query=secret`)).total).toBe(0)
    expect(refusal(await host.put(`/data/${record}/feed/${top.id}`, { body: 'x' }))).toEqual([404, 'feed_item_not_found'])
    expect(
      refusal(await host.post(`/data/${record}/feed`, { type: 'comment', body: 'x', parentId: top.id })),
    ).toEqual([400, 'feed_invalid_parent'])
    await host.delete(`/data/${record}/feed/${reply.id}`)
    expect((await pageOf(host, `${record}/feed?type=tasks_only`)).items).toEqual([])
  })
})

describe('the feed', () => {
  it('is newest first, flat, with the automatic items of D-144', async () => {
    const record = await fresh({ title: 'One', stage: 'open' })
    await addItem(host, record, { body: 'hello' })
    await host.patch(`/data/${record}`, { stage: 'done', quiet: 4, title: 'Two' })
    await host.delete(`/data/${record}`)
    await host.post(`/data/${record}/restore`)
    const { items, total, hasMore } = await pageOf(host, `${record}/feed`)
    expect(items.map((item: { type: string }) => item.type)).toEqual([
      'system',
      'record_delete',
      'field_change',
      'comment',
      'record_create',
    ])
    expect([total, hasMore]).toEqual([5, false])
    expect(items[2].changes).toEqual([
      { field: 'title', fieldLabel: 'Title', oldValue: 'One', newValue: 'Two' },
      {
        field: 'stage',
        fieldLabel: 'Stage',
        oldValue: 'open',
        newValue: 'done',
        oldDisplayValue: 'Open',
        newDisplayValue: 'Finished',
      },
    ])
    expect(items[0].data).toEqual({ action: 'restore' })
    const ids = items.map((item: { id: string }) => item.id)
    expect(ids).toEqual([...ids].toSorted().toReversed())
  })

  it('has no item for an update of fields it does not track', async () => {
    const record = await fresh()
    await host.patch(`/data/${record}`, { quiet: 4 })
    expect((await pageOf(host, `${record}/feed`)).total).toBe(1)
    expect((await pageOf(host, `${record}/feed?type=changes_only`)).items).toEqual([])
    expect((await pageOf(host, `${record}/changelog`)).total).toBe(2)
  })

  it('narrows to the four filters and refuses others', async () => {
    const record = await fresh()
    await addItem(host, record, { body: 'c' })
    await addItem(host, record, { type: 'task', body: 't' })
    await host.patch(`/data/${record}`, { title: 'x' })
    const types = async (type: string) =>
      (await pageOf(host, `${record}/feed?type=${type}`)).items.map((item: { type: string }) => item.type)
    expect(await types('all')).toEqual(['field_change', 'task', 'comment', 'record_create'])
    expect(await types('comments_only')).toEqual(['comment'])
    expect(await types('changes_only')).toEqual(['field_change'])
    expect(await types('tasks_only')).toEqual(['task'])
    for (const type of ['comment', 'some', ''])
      expect(refusal(await host.get(`/data/${record}/feed?type=${type}`))).toEqual([400, 'invalid_feed_type'])
  })

  it('comes in pages that neither repeat nor lose anything', async () => {
    const record = await fresh()
    for (let at = 0; at < 6; at += 1) {
      await addItem(host, record, { body: `c${at}` })
      await host.patch(`/data/${record}`, { title: `t${at}` })
    }
    const all = (await pageOf(host, `${record}/feed`)).items.map((item: { id: string }) => item.id)
    expect(all).toHaveLength(13)
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const page = await pageOf(host, `${record}/feed?limit=4${cursor}`)
      expect(page.total).toBe(seen.length === 0 ? 13 : 13 + seen.length / 4)
      seen.push(...page.items.map((item: { id: string }) => item.id))
      if (!page.hasMore) {
        expect(page.nextCursor).toBeUndefined()
        break
      }
      cursor = `&cursor=${page.nextCursor}`
      // What comes meanwhile is newer and shows on the first page only.
      await addItem(host, record, { body: 'meanwhile' })
    }
    expect(seen).toEqual(all)
  })

  it('refuses limits and cursors that are none', async () => {
    const record = await fresh()
    await addItem(host, record, { body: 'c' })
    const { nextCursor } = await pageOf(host, `${record}/feed?limit=1`)
    const other = await fresh()
    const first = async (path: string) => (await host.get(`/data/${path}`)).body.error.details.fieldErrors[0]
    expect(await first(`${record}/feed?limit=0`)).toMatchObject({ field: 'limit', code: 'min_value' })
    expect(await first(`${record}/feed?limit=101`)).toMatchObject({ field: 'limit', code: 'max_value' })
    expect(await first(`${record}/changelog?limit=201`)).toMatchObject({ field: 'limit', code: 'max_value' })
    for (const path of [
      `${record}/feed?cursor=AAAA`,
      `${other}/feed?cursor=${nextCursor}`,
      `${record}/feed?type=comments_only&cursor=${nextCursor}`,
      `${record}/changelog?cursor=${nextCursor}`,
      `${record}/feed?cursor=${nextCursor.slice(0, -1)}`,
    ])
      expect(await first(path), path).toMatchObject({ field: 'cursor', code: 'invalid_format' })
    expect((await pageOf(host, `${record}/feed?limit=1&cursor=${nextCursor}`)).items).toHaveLength(1)
  })

  it('is served below /api as below the prefix', async () => {
    const record = await fresh()
    const made = await host.post(`/api/data/${record}/feed`, { type: 'comment', body: 'here' })
    expect(made.status).toBe(201)
    const { id } = made.body.data
    expect((await host.put(`/api/data/${record}/feed/${id}`, { body: 'there' })).body.data.body).toBe('there')
    expect((await host.post(`/api/data/${record}/feed/${id}/reactions`, { emoji: '👍' })).status).toBe(200)
    expect((await host.delete(`/api/data/${record}/feed/${id}/reactions/${encodeURIComponent('👍')}`)).status).toBe(200)
    for (const mark of ['pin', 'star']) {
      expect((await host.post(`/api/data/${record}/feed/${id}/${mark}`)).status).toBe(200)
      expect((await host.delete(`/api/data/${record}/feed/${id}/${mark}`)).status).toBe(200)
    }
    for (const path of ['feed', 'feed/search?query=there', 'changelog']) {
      const [short, long] = [await host.get(`/api/data/${record}/${path}`), await host.get(`/data/${record}/${path}`)]
      expect([short.status, short.body.data]).toEqual([200, long.body.data])
    }
    expect((await host.post(`/api/data/${record}/subscribe`)).status).toBe(200)
    expect((await host.get(`/api/data/${record}/subscribe`)).status).toBe(200)
    expect((await host.delete(`/api/data/${record}/subscribe`)).status).toBe(200)
    expect((await host.delete(`/api/data/${record}/feed/${id}`)).status).toBe(200)
    expect((await host.get(`/api/data/task/${absent}/feed/`)).status).toBe(404)
  })

  it('of a deleted record is not there, its changelog is', async () => {
    const record = await fresh()
    const item = await addItem(host, record, { body: 'c' })
    await host.delete(`/data/${record}`)
    for (const answer of [
      await host.get(`/data/${record}/feed`),
      await host.post(`/data/${record}/feed`, { type: 'comment', body: 'x' }),
      await host.get(`/data/${record}/feed/search?query=cc`),
      await host.post(`/data/${record}/feed/${item.id}/star`),
      await host.post(`/data/${record}/subscribe`),
    ])
      expect(refusal(answer)).toEqual([404, 'resource_not_found'])
    const { entries } = await pageOf(host, `${record}/changelog`)
    expect(entries.map((entry: { action: string }) => entry.action)).toEqual(['delete', 'create'])
  })

  it('of an object without feeds is not there, its changelog is', async () => {
    const record = `silent/${await newRecord(host, 'silent', { title: 'x' })}`
    await host.patch(`/data/${record}`, { title: 'y' })
    for (const answer of [
      await host.get(`/data/${record}/feed`),
      await host.post(`/data/${record}/feed`, { type: 'comment', body: 'x' }),
      await host.post(`/data/${record}/subscribe`),
    ])
      expect(refusal(answer)).toEqual([404, 'resource_not_found'])
    expect((await pageOf(host, `${record}/changelog`)).total).toBe(2)
    await host.defineObject('silent', { title: { type: 'text' } })
    expect((await pageOf(host, `${record}/feed`)).items).toEqual([])
  })

  it('and the changelog of an object without history stay empty of facts', async () => {
    const record = `untracked/${await newRecord(host, 'untracked', { title: 'x' })}`
    await host.patch(`/data/${record}`, { title: 'y' })
    await addItem(host, record, { body: 'said' })
    expect((await pageOf(host, `${record}/changelog`)).entries).toEqual([])
    expect((await pageOf(host, `${record}/feed`)).items.map((item: { type: string }) => item.type)).toEqual(['comment'])
  })

  it('is not there for unknown objects and records', async () => {
    expect(refusal(await host.get(`/data/nothing/${absent}/feed`))).toEqual([404, 'resource_not_found'])
    expect(refusal(await host.get(`/data/task/${absent}/feed`))).toEqual([404, 'resource_not_found'])
    expect(refusal(await host.get(`/data/task/no-id/changelog`))).toEqual([404, 'resource_not_found'])
  })

  it('tells of shares, not of their reasons', async () => {
    const record = await fresh()
    const share = { principalType: 'user', principalId: owner, access: 'edit', reason: 'hush' }
    const made = await host.post(`/data/${record}/shares`, share)
    await host.delete(`/data/${record}/shares/${made.body.id}`)
    const items = (await pageOf(host, `${record}/feed`)).items.filter((one: { type: string }) => one.type === 'sharing')
    expect(items.map((item: { data: unknown }) => item.data)).toEqual([
      { action: 'unshare', principalType: 'user', principalId: owner, access: 'edit' },
      { action: 'share', principalType: 'user', principalId: owner, access: 'edit' },
    ])
    expect(refusal(await host.delete(`/data/${record}/feed/${items[0].id}`))).toEqual([409, 'feed_item_not_editable'])
  })
})
