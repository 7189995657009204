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
  await host.defineObject('task', { title: { type: 'text' } })
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
      {
        type: 'record',
        object: 'task',
        id: absent,
        name: 'It',
        offset: body.indexOf('@[It]'),
        length: expect.any(Number),
      },
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
    expect(refusal(await host.put(`/data/${record}/feed/${top.id}`, { body: 'x' }))).toEqual([
      404,
      'feed_item_not_found',
    ])
    expect(refusal(await host.post(`/data/${record}/feed`, { type: 'comment', body: 'x', parentId: top.id }))).toEqual([
      400,
      'feed_invalid_parent',
    ])
    await host.delete(`/data/${record}/feed/${reply.id}`)
    expect((await pageOf(host, `${record}/feed?type=tasks_only`)).items).toEqual([])
  })
})
