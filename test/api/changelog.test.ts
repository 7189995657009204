// The changelog (D-145): every change of a record, field by field, and what of it a caller may read.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newRecord, pageOf, refusal } from '../support/feed-calls.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
const owner = '00000000-0000-7000-8000-000000000001'
const fields = {
  title: { type: 'text', label: 'Title' },
  stage: {
    type: 'select',
    options: [
      { value: 'new', label: 'New' },
      { value: 'won', label: 'Won it' },
    ],
  },
  tags: { type: 'tags' },
  amount: { type: 'number' },
  margin: { type: 'number' },
  due: { type: 'date' },
  at: { type: 'datetime' },
  open: { type: 'boolean' },
  keeper: { type: 'lookup', reference: 'person' },
  seller: { type: 'user' },
  pin: { type: 'secret' },
  code: { type: 'autonumber' },
  twice: { type: 'formula', expression: 'record.amount * 2' },
  notes: { type: 'textarea', trackFeedHistory: false },
}
/** Everybody may read all of it, but for the margin. */
const [reader] = [0]

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}] })
  await host.defineObject('person', { name: { type: 'text' } }, { sharingModel: 'private' })
  await host.defineObject('deal', fields)
  await host.saveItem('permission', 'masks', { fields: { 'deal.margin': { readable: false } } })
  await host.assign(reader, { permissionSets: ['masks'] })
})
afterAll(() => host.stop())

const log = async (record: string, query = '', as: Pick<PeopledHost, 'get' | 'post'> = host) =>
  pageOf(as, `${record}/changelog${query}`)
const deal = async (data: Record<string, unknown> = {}): Promise<string> =>
  `deal/${await newRecord(host, 'deal', data)}`

describe('the changelog of a record', () => {
  it('begins with the values it was made with', async () => {
    const record = await deal({ title: 'A', amount: 3, pin: 'hidden-word', tags: ['x'] })
    const { entries, total, hasMore } = await log(record)
    expect([total, hasMore]).toEqual([1, false])
    expect(entries[0]).toMatchObject({
      object: 'deal',
      recordId: record.slice(5),
      actor: { type: 'user', id: owner, name: 'owner' },
      action: 'create',
      source: 'API',
    })
    expect(entries[0].changes).toEqual([
      { field: 'title', fieldLabel: 'Title', oldValue: null, newValue: 'A' },
      { field: 'tags', fieldLabel: 'Tags', oldValue: null, newValue: ['x'] },
      { field: 'amount', fieldLabel: 'Amount', oldValue: null, newValue: 3 },
      { field: 'pin', fieldLabel: 'Pin' },
      { field: 'code', fieldLabel: 'Code', oldValue: null, newValue: expect.any(String) },
    ])
  })

  it('names the request of each change, and the event that caused it in a chain (D-206)', async () => {
    const follow = { type: 'update_record', config: { data: { note: 'followed' } } }
    const triggers = [{ name: 'follow', events: ['update'], condition: 'record.stage == "won"', actions: [follow] }]
    await host.defineObject('chain', { stage: { type: 'text' }, note: { type: 'text' } }, { triggers })
    const record = await deal({ title: 'A' })
    const answer = await host.patch(`/data/${record}`, { title: 'B' }, { 'x-request-id': 'request-of-mine' })
    expect(answer.status).toBe(200)
    const [changed, made] = (await log(record)).entries
    expect(changed.requestId).toBe('request-of-mine')
    expect(made.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(Object.keys(changed).toSorted()).toEqual(
      ['id', 'object', 'recordId', 'actor', 'action', 'changes', 'timestamp', 'source', 'requestId'].toSorted(),
    )
    const chained = `chain/${await newRecord(host, 'chain', {})}`
    await host.patch(`/data/${chained}`, { stage: 'won' }, { 'x-request-id': 'request-of-chain' })
    await expect.poll(async () => (await log(chained)).total, { timeout: 5_000 }).toBe(3)
    const [followed, cause] = (await log(chained)).entries
    expect([followed.requestId, cause.requestId]).toEqual(['request-of-chain', 'request-of-chain'])
    expect(followed).toMatchObject({ source: 'automation', depth: 1, causeEventId: expect.stringMatching(/^\d+$/) })
    expect([cause.depth, cause.causeEventId]).toEqual([undefined, undefined])
  })

  it('has one entry per update, and none for one that changes nothing', async () => {
    const record = await deal({ title: 'A', amount: 1 })
    await host.patch(`/data/${record}`, { title: 'B', amount: 2, notes: 'long', pin: 'other-word' })
    await host.patch(`/data/${record}`, { title: 'B' })
    const { entries, total } = await log(record)
    expect(total).toBe(2)
    expect(entries[0].action).toBe('update')
    expect(entries[0].changes).toEqual([
      { field: 'title', fieldLabel: 'Title', oldValue: 'A', newValue: 'B' },
      { field: 'amount', fieldLabel: 'Amount', oldValue: 1, newValue: 2 },
      { field: 'pin', fieldLabel: 'Pin' },
      { field: 'notes', fieldLabel: 'Notes', oldValue: null, newValue: 'long' },
    ])
    expect(JSON.stringify(entries)).not.toContain('word')
  })

  it('says how values look', async () => {
    const region = await newRecord(host, 'person', { name: 'Ann' })
    const record = await deal({ stage: 'new', open: false, due: '2026-03-01', at: '2026-03-01T10:20:30Z' })
    await host.patch('/settings', { settings: { timezone: 'Europe/Berlin' } })
    await host.patch(`/data/${record}`, { stage: 'won', open: true, due: null, keeper: region, seller: owner })
    const [changed, made] = (await log(record)).entries
    const looks = (entry: { changes: { field: string; oldDisplayValue?: string; newDisplayValue?: string }[] }) =>
      Object.fromEntries(entry.changes.map((one) => [one.field, [one.oldDisplayValue, one.newDisplayValue]]))
    expect(looks(changed)).toEqual({
      stage: ['New', 'Won it'],
      open: ['No', 'Yes'],
      due: ['2026-03-01', undefined],
      keeper: [undefined, 'Ann'],
      seller: [undefined, 'owner'],
    })
    expect(looks(made)).toMatchObject({ at: [undefined, '2026-03-01 11:20'] })
    // A person the reader may not see stays an id.
    const seen = (await log(record, '', host.as(reader))).entries[0].changes
    expect(seen.find((one: { field: string }) => one.field === 'keeper')).toEqual({
      field: 'keeper',
      fieldLabel: 'Keeper',
      oldValue: null,
      newValue: region,
    })
    await host.patch('/settings', { settings: { timezone: 'UTC' } })
  })

  it('has labels in the language that is asked for', async () => {
    await host.saveItem('translation', 'german', {
      locale: 'de',
      translations: {
        objects: { deal: { fields: { title: { label: 'Titel' }, stage: { options: { new: 'Neu' } } } } },
      },
    })
    const record = await deal({ title: 'A', stage: 'new' })
    const { entries } = (await host.get(`/data/${record}/changelog`, { 'accept-language': 'de' })).body.data
    expect(entries[0].changes.slice(0, 2)).toMatchObject([
      { fieldLabel: 'Titel' },
      { newValue: 'new', newDisplayValue: 'Neu' },
    ])
  })

  it('tells deletion, return and transfer apart', async () => {
    const record = await deal({ title: 'A' })
    await host.delete(`/data/${record}`)
    expect((await log(record)).total).toBe(2)
    await host.post(`/data/${record}/restore`)
    await host.post(`/data/${record}/transfer`, { owner: host.as(reader).id })
    await host.patch(`/data/${record}`, { owner, title: 'B' })
    const { entries } = await log(record)
    expect(entries.map((entry: { action: string }) => entry.action)).toEqual([
      'transfer',
      'transfer',
      'restore',
      'delete',
      'create',
    ])
    expect(entries[1].changes).toEqual([
      {
        field: 'owner',
        fieldLabel: 'Owner',
        oldValue: owner,
        newValue: host.as(reader).id,
        oldDisplayValue: 'owner',
        newDisplayValue: 'Test user 0',
      },
    ])
    expect(entries[0].changes.map((one: { field: string }) => one.field)).toEqual(['title', 'owner'])
    expect(entries[2].changes).toEqual([])
  })

  it('tells what a record came back without', async () => {
    const keeper = await newRecord(host, 'person', { name: 'Ann' })
    const record = await deal({ keeper })
    await host.delete(`/data/${record}`)
    await host.delete(`/data/person/${keeper}?purge=true`)
    await host.post(`/data/${record}/restore`)
    const [back] = (await log(record)).entries
    expect(back).toMatchObject({ action: 'restore', changes: [{ field: 'keeper', oldValue: keeper, newValue: null }] })
  })

  it('knows where changes came from', async () => {
    const record = await deal({ title: 'A' })
    await host.patch(`/data/${record}`, { title: 'B' }, { 'x-cairn-source': 'UI' })
    await host.post('/data/deal/import', {
      rows: [{ id: record.slice(5), title: 'C' }],
      writeMode: 'update',
      matchFields: ['id'],
    })
    const sources = (await log(record)).entries.map((entry: { source: string }) => entry.source)
    expect(sources).toEqual(['import', 'UI', 'API'])
  })

  it('has every record of a batch, and nothing of one that was rolled back', async () => {
    const record = await deal({ title: 'A' })
    const failing = await host.post('/data/deal/batch', {
      operation: 'update',
      records: [
        { id: record.slice(5), data: { title: 'B' } },
        { id: '0190f2a4-0000-7000-8000-0000000000ff', data: { title: 'B' } },
      ],
    })
    expect(failing.body.success).toBe(false)
    await host.post('/data/deal/batch', {
      operation: 'update',
      records: [{ id: record.slice(5), data: { title: 'C' } }],
      options: { validateOnly: true },
    })
    expect((await log(record)).total).toBe(1)
    const made = await host.post('/data/deal/createMany', [{ title: 'x' }, { title: 'y' }])
    for (const { id } of made.body.records) expect((await log(`deal/${id}`)).total).toBe(1)
  })

  it('narrows to a field, an actor and a time', async () => {
    const record = await deal({ amount: 1 })
    await host.patch(`/data/${record}`, { amount: 2, title: 'B' })
    await host.as(reader).patch(`/data/${record}`, { title: 'C' })
    const all = (await log(record)).entries
    const title = await log(record, '?field=title')
    expect(title.total).toBe(2)
    expect(title.entries.map((entry: { changes: unknown[] }) => entry.changes.length)).toEqual([1, 1])
    expect((await log(record, '?field=amount')).total).toBe(2)
    expect((await log(record, `?actorId=${host.as(reader).id}`)).entries).toEqual([all[0]])
    expect((await log(record, `?dateTo=${all[2].timestamp}`)).entries.at(-1)).toEqual(all[2])
    expect((await log(record, '?dateTo=2001-01-01')).total).toBe(0)
    for (const field of ['nothing', 'twice', 'updated_at'])
      expect((await host.get(`/data/${record}/changelog?field=${field}`)).body.error.details.fieldErrors).toMatchObject(
        [{ field: 'field', code: 'unknown_field' }],
      )
  })

  it('comes in pages', async () => {
    const record = await deal({ amount: 0 })
    for (let at = 1; at < 7; at += 1) await host.patch(`/data/${record}`, { amount: at })
    const seen: number[] = []
    let cursor = ''
    for (;;) {
      const page = await log(record, `?limit=3${cursor}`)
      expect(page.total).toBe(7)
      seen.push(...page.entries.map((entry: { changes: { newValue: number }[] }) => entry.changes[0]!.newValue))
      if (!page.hasMore) break
      cursor = `&cursor=${page.nextCursor}`
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0])
  })

  it('survives new names of the field and the object', async () => {
    await host.defineObject('early', { first: { type: 'text' } })
    const id = await newRecord(host, 'early', { first: 'A' })
    await host.patch(`/data/early/${id}`, { first: 'B' })
    const item = (fields: object, name: string) => ({ type: 'object', name, item: { name, fields } })
    const field = await host.put(
      '/meta/object/early?confirm=true',
      item({ second: { type: 'text', renamedFrom: 'first' } }, 'early'),
    )
    expect(field.status, JSON.stringify(field.body)).toBe(200)
    expect((await log(`early/${id}`)).entries[0].changes).toMatchObject([
      { field: 'second', oldValue: 'A', newValue: 'B' },
    ])
  })
})

describe('what a caller may not read', () => {
  it('is in no entry, no total and no page', async () => {
    const record = await deal({ title: 'A', margin: 7 })
    await host.patch(`/data/${record}`, { margin: 8 })
    await host.patch(`/data/${record}`, { margin: 9, title: 'B' })
    await host.patch(`/data/${record}`, { margin: 10 })
    expect((await log(record)).total).toBe(4)
    const seen = await log(record, '?limit=1', host.as(reader))
    expect([seen.total, seen.entries[0].changes]).toEqual([
      2,
      [{ field: 'title', fieldLabel: 'Title', oldValue: 'A', newValue: 'B' }],
    ])
    const rest = await log(record, `?limit=1&cursor=${seen.nextCursor}`, host.as(reader))
    expect([rest.entries[0].action, rest.hasMore]).toEqual(['create', false])
    expect(rest.entries[0].changes.map((one: { field: string }) => one.field)).toEqual(['title', 'code'])
    const feed = await pageOf(host.as(reader), `${record}/feed`)
    expect(feed.items.map((one: { type: string }) => one.type)).toEqual(['field_change', 'record_create'])
    expect([feed.total, JSON.stringify(feed)]).toEqual([2, expect.not.stringContaining('margin')])
    const changes = await pageOf(host, `${record}/feed?type=changes_only`)
    const hidden = changes.items[0].id
    expect(refusal(await host.as(reader).post(`/data/${record}/feed/${hidden}/star`))).toEqual([
      404,
      'feed_item_not_found',
    ])
    await host.post(`/data/${record}/feed`, { type: 'comment', body: 'about it', parentId: hidden })
    expect((await pageOf(host.as(reader), `${record}/feed`)).total).toBe(2)
    const asked = await host.as(reader).get(`/data/${record}/changelog?field=margin`)
    const unknown = await host.as(reader).get(`/data/${record}/changelog?field=nothing`)
    const told = (answer: { body: { error: { details: unknown } } }) => JSON.stringify(answer.body.error.details)
    expect(told(asked).replace('margin', 'nothing')).toBe(told(unknown))
  })

  it('is, of a record in the trash, for those who see what lies there', async () => {
    const record = await deal({ title: 'A' })
    await host.delete(`/data/${record}`)
    const asked = async () => {
      const { status, body } = await host.as(reader).get(`/data/${record}/changelog`)
      return [status, body.error?.code]
    }
    await host.saveItem('profile', 'readonly', { label: 'Look only', objects: { '*': { allowRead: true } } })
    await host.assign(reader, { profile: 'readonly', permissionSets: ['masks'] })
    const unseen = await host.as(reader).get(`/data/${record}`)
    expect(await asked()).toEqual([unseen.status, unseen.body.error.code])
    expect(await asked()).toEqual([404, 'resource_not_found'])
    await host.saveItem('permission', 'restores', { objects: { deal: { allowRestore: true } } })
    await host.assign(reader, { profile: 'readonly', permissionSets: ['masks', 'restores'] })
    expect(await asked()).toEqual([200, undefined])
    await host.assign(reader, { permissionSets: ['masks'] })
    expect((await log(record)).total).toBe(2)
  })

  it('shows again once it may be read', async () => {
    const record = await deal({ margin: 7 })
    await host.patch(`/data/${record}`, { margin: 8 })
    expect((await log(record, '', host.as(reader))).total).toBe(1)
    await host.assign(reader, {})
    expect((await log(record, '', host.as(reader))).total).toBe(2)
    await host.assign(reader, { permissionSets: ['masks'] })
  })
})
