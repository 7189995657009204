// Lists of feeds (D-139, D-143, D-144): what is in them by itself, filters, pages, and where there are none.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { SystemItemDraft } from '#main/plugins/feed/api.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { addItem, newRecord, pageOf, refusal } from '../support/feed-calls.ts'

let host: TestHost

const owner = '00000000-0000-7000-8000-000000000001'
const absent = '0190f2a4-0000-7000-8000-0000000000ff'

/** Writes an item as another plugin does. */
let tell: (tx: Tx, ctx: RequestContext, draft: SystemItemDraft) => void
const teller = definePlugin({
  id: 'teller',
  version: '1.0.0',
  requires: ['feed'],
  register(plugin) {
    tell = plugin.service('feed').addSystemItem
  },
})

beforeAll(async () => {
  host = await createTestHost({ plugins: [...corePlugins, ...optionalPlugins, teller] })
  await host.defineObject('task', {
    title: { type: 'text' },
    stage: {
      type: 'select',
      options: [
        { value: 'open', label: 'Open' },
        { value: 'done', label: 'Finished' },
      ],
    },
    quiet: { type: 'number', trackFeedHistory: false },
  })
  await host.defineObject('silent', { title: { type: 'text' } }, { enable: { feeds: false } })
  await host.defineObject('untracked', { title: { type: 'text' } }, { enable: { trackHistory: false } })
})
afterAll(() => host.stop())

const fresh = async (data: Record<string, unknown> = { title: 'One' }): Promise<string> =>
  `task/${await newRecord(host, 'task', data)}`

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

  it('narrows to what is pinned, whatever its type, page by page', async () => {
    const record = await fresh()
    const pinned: string[] = []
    for (let at = 0; at < 3; at += 1) {
      const { id } = await addItem(host, record, { body: `c${at}` })
      await addItem(host, record, { type: 'task', body: `t${at}` })
      if (at > 0) pinned.push(id as string)
    }
    const [created] = (await pageOf(host, `${record}/feed`)).items.slice(-1)
    const reply = await addItem(host, record, { body: 'reply', parentId: pinned[0] })
    for (const id of [...pinned, reply.id, created.id]) await host.post(`/data/${record}/feed/${id}/pin`)
    const first = await pageOf(host, `${record}/feed?pinnedOnly=true&limit=2`)
    const rest = await pageOf(host, `${record}/feed?pinnedOnly=true&cursor=${first.nextCursor}`)
    const ids = [...first.items, ...rest.items].map((item: { id: string }) => item.id)
    expect(ids).toEqual([reply.id, pinned[1], pinned[0], created.id])
    expect([first.total, first.hasMore, rest.hasMore]).toEqual([4, true, false])
    expect((await pageOf(host, `${record}/feed?pinnedOnly=true&type=comments_only`)).total).toBe(3)
    expect((await pageOf(host, `${record}/feed?pinnedOnly=true&parentId=${pinned[0]}`)).items).toMatchObject([
      { id: reply.id, pinned: true },
    ])
    expect((await pageOf(host, `${record}/feed?pinnedOnly=false`)).total).toBe(8)
    const foreign = await host.get(`/data/${record}/feed?cursor=${first.nextCursor}`)
    expect(refusal(foreign)).toEqual([400, 'validation_error'])
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

  it('holds what other plugins tell, in their transactions', async () => {
    const record = await fresh()
    const recordId = record.slice(5)
    const ctx = internalContext('teller')
    const draft: SystemItemDraft = { object: 'task', recordId, type: 'approval', body: 'Please', data: { step: 1 } }
    const { write } = host.host.database
    await write('tell', (tx) => tell(tx, ctx, draft))
    await write('tell', (tx) => {
      tell(tx, ctx, { ...draft, type: 'system' })
      throw new Error('no')
    }).catch(() => undefined)
    const silent = await newRecord(host, 'silent', { title: 'x' })
    await write('tell', (tx) => tell(tx, ctx, { ...draft, object: 'silent', recordId: silent }))
    const { items } = await pageOf(host, `${record}/feed`)
    expect(items.map((item: { type: string }) => item.type)).toEqual(['approval', 'record_create'])
    expect(items[0]).toMatchObject({ body: 'Please', data: { step: 1 }, actor: { type: 'system', id: 'system' } })
    expect((await pageOf(host, `${record}/feed/search?query=please`)).total).toBe(1)
  })

  it('that is long is read beside the main thread, with the same answers', async () => {
    const record = await fresh()
    await host.host.database.write('fill', (tx) => {
      // As many changes as a machine makes in a month, after the first.
      tx.run(
        statement(
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
           INSERT INTO feed_fact (object, record_id, id, at, action, actor_type, actor_id, source, changes, flags)
           SELECT object, record_id, printf('ffffffff-ffff-7fff-8fff-%012d', i), at, 'update', actor_type, actor_id,
             source, json_object('owner', json_array(i - 1, i)), 1
           FROM feed_fact, n WHERE record_id = ?`,
          [record.slice(5)],
        ),
      )
    })
    await addItem(host, record, { body: 'said' })
    // The host tells subscribers of the item meanwhile: the least of some tries is the list alone.
    const counts: number[] = []
    for (let round = 0; round < 5; round += 1) {
      const statements = host.host.database.statementCount()
      await pageOf(host, `${record}/feed?limit=2`)
      counts.push(host.host.database.statementCount() - statements)
    }
    expect(Math.min(...counts)).toBeLessThan(12)
    const feed = await pageOf(host, `${record}/feed?limit=2`)
    expect([feed.total, feed.items[0].changes[0].newValue, feed.hasMore]).toEqual([6002, 6000, true])
    const log = await pageOf(host, `${record}/changelog?limit=200`)
    expect([log.total, log.entries.length, log.entries[0].changes[0].oldValue]).toEqual([6001, 200, 5999])
    expect((await pageOf(host, `${record}/feed?type=comments_only`)).total).toBe(1)
  })
})
