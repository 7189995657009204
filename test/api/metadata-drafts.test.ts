// Drafts: items that are not in force yet, and drafts beside published items (D-105, D-110).
import { describe, expect, it } from 'vitest'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const page = () => `/meta/page/${name}`
const object = () => `/meta/object/${name}`
const draft = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  host.put(`${path}?mode=draft`, body, headers)

describe('a new item saved as a draft', () => {
  it('is a draft until it is published', async () => {
    expect((await draft(page(), { label: 'Draft' })).body).toMatchObject({ success: true, version: 1, state: 'draft' })
    expect((await host.get(`${page()}?state=draft`)).body.item.label).toBe('Draft')
    expectError(await host.get(`${page()}?state=active`), 404, 'resource_not_found')
    expect((await host.put(page(), { label: 'Draft 2' })).body).toMatchObject({ version: 2, state: 'draft' })
    expect((await host.post(`${page()}/publish`)).body.data).toEqual({
      type: 'page',
      name,
      version: 3,
      state: 'active',
    })
    expect((await host.get(`${page()}?state=active`)).body.item.label).toBe('Draft 2')
  })

  it('gives an object no table before it is published', async () => {
    const { body } = await draft(object(), item())
    expect(body).toMatchObject({ state: 'draft' })
    expectError(await host.get(`/data/${name}`), 404, 'resource_not_found')
    expectError(await host.post(`/data/${name}`, { title: 'one' }), 404, 'resource_not_found')
    await draft(object(), item({ fields: { title: { type: 'text' }, score: { type: 'number' } } }))
    await host.restart()
    const { body: published } = await host.post(`${object()}/publish`)
    expect(published.data).toMatchObject({ state: 'active', plan: [{ change: 'add_object' }] })
    expect((await host.post(`/data/${name}`, { title: 'one', score: 5 })).status).toBe(201)
  })

  it('goes without a trace of storage when it is discarded, archived or removed', async () => {
    await draft(object(), item())
    expect((await host.post(`${object()}/discard-draft`)).body.data).toMatchObject({ name, deleted: true })
    expectError(await host.get(`${object()}?state=draft`), 404, 'resource_not_found')
    await draft(object(), item())
    expect((await host.delete(object())).body).toMatchObject({ deleted: true })
    await draft(object(), item())
    await host.post(`${object()}/state`, { state: 'archived' })
    const { body } = await host.post(`${object()}/state`, { state: 'active' })
    expect(body.data.plan).toMatchObject([{ change: 'add_object' }])
    expect((await host.post(`/data/${name}`, { title: 'one' })).status).toBe(201)
  })

  it('is checked like any item, knows no other mode and no rename', async () => {
    expectError(await draft(object(), item({ fields: { a: { type: 'nothing' } } })), 400, 'validation_error')
    expectError(await host.put(`${page()}?mode=publish`, {}), 400, 'validation_error', {
      fieldErrors: [{ field: 'mode', code: 'invalid_option' }],
    })
    await put(item())
    expectError(
      await draft(`${object()}_new`, { ...item(), name: `${name}_new`, renamedFrom: name }),
      400,
      'validation_error',
      { fieldErrors: [{ field: 'renamedFrom', code: 'not_allowed' }] },
    )
  })
})

describe('a draft beside a published item', () => {
  it('leaves the published one as it is until it is published', async () => {
    const first = (await host.put(page(), { label: 'Live' })).body
    host.takeEvents()
    const { body } = await draft(page(), { label: 'Draft' })
    expect(body).toMatchObject({ version: 1, state: 'draft' })
    expect(host.takeEvents()).toEqual([])
    const live = await host.get(page())
    expect(live.body.item.label).toBe('Live')
    expect(live.headers.get('etag')).toBe(first.etag)
    const beside = await host.get(`${page()}?state=draft`)
    expect(beside.body.item.label).toBe('Draft')
    expect(beside.headers.get('etag')).toBe(body.etag)
    expect((await host.get('/meta/page?state=draft')).body.items).toContainEqual({ name, label: 'Draft' })
    await host.restart()
    expect((await host.get(`${page()}?state=draft`)).body.item.label).toBe('Draft')
    expect((await host.post(`${page()}/publish`)).body.data).toMatchObject({ version: 2, state: 'active' })
    expect((await host.get(page())).body.item.label).toBe('Draft')
    expectError(await host.get(`${page()}?state=draft`), 404, 'resource_not_found')
    expectError(await host.post(`${page()}/publish`), 409, 'invalid_state_transition', {
      from: 'active',
      reason: 'no_draft',
    })
  })

  it('changes the table of an object when it is published, with consent', async () => {
    await put(item({ fields: { title: { type: 'text' }, note: { type: 'text' } } }))
    await host.post(`/data/${name}`, { title: 'one', note: 'lost' })
    const { body } = await draft(object(), item({ fields: { title: { type: 'text' }, score: { type: 'number' } } }))
    expect(body.plan).toContainEqual(expect.objectContaining({ change: 'delete_field', destructive: true, records: 1 }))
    expect((await host.post(`/data/${name}`, { title: 'two', note: 'fine' })).status).toBe(201)
    expectError(await host.post(`/data/${name}`, { score: 5 }), 400, 'validation_error')
    const refused = await host.post(`${object()}/publish`)
    expectError(refused, 409, 'destructive_change')
    expect((await host.get(`${object()}?state=draft`)).status).toBe(200)
    const { planHash } = refused.body.error.details
    expect((await host.post(`${object()}/publish?confirm=${planHash}`)).body.data).toMatchObject({ version: 2 })
    expect((await host.post(`/data/${name}`, { title: 'three', score: 5 })).status).toBe(201)
  })

  it('is discarded alone', async () => {
    await host.put(page(), { label: 'Live' })
    await draft(page(), { label: 'Draft' })
    const { data } = (await host.post(`${page()}/discard-draft`)).body
    expect(data).toEqual({ type: 'page', name, version: 1, state: 'active' })
    expect((await host.get(page())).body.item.label).toBe('Live')
    expectError(await host.post(`${page()}/discard-draft`), 404, 'resource_not_found', { resource: 'draft' })
    expectError(await host.post('/meta/page/nothing/discard-draft'), 404, 'resource_not_found')
  })

  it('is discarded alone by a delete that names its state', async () => {
    await host.put(page(), { label: 'Live' })
    await draft(page(), { label: 'Draft' })
    const answer = await host.delete(`${page()}?state=draft`)
    expect(answer.body).toEqual({ success: true, type: 'page', name, deleted: false, reset: true })
    expect((await host.get(page())).body.item.label).toBe('Live')
    expectError(await host.delete(`${page()}?state=draft`), 404, 'resource_not_found', { resource: 'draft' })
    expectError(await host.delete(`${page()}?state=active`), 400, 'validation_error')
    expect((await host.delete(page())).body.deleted).toBe(true)
  })

  it('is not published over a change made meanwhile unless forced', async () => {
    await host.put(page(), { label: 'Live' })
    await draft(page(), { label: 'Draft' })
    await host.put(page(), { label: 'Newer' })
    expectError(await host.post(`${page()}/publish`), 409, 'CONCURRENT_UPDATE', {
      currentVersion: 2,
      currentItem: { label: 'Newer' },
    })
    expect((await host.post(`${page()}/publish?force=true`)).body.data.version).toBe(3)
    expect((await host.get(page())).body.item.label).toBe('Draft')
  })

  it('is guarded by the ETag of the draft', async () => {
    const live = (await host.put(page(), { label: 'Live' })).body
    const first = (await draft(page(), { label: 'Draft' }, { 'if-match': live.etag })).body
    expectError(await draft(page(), { label: 'Other' }, { 'if-match': live.etag }), 409, 'CONCURRENT_UPDATE', {
      currentItem: { label: 'Draft' },
    })
    expect((await draft(page(), { label: 'Other' }, { 'if-match': first.etag })).status).toBe(200)
    expect((await host.put(page(), { label: 'Live 2' }, { 'if-match': live.etag })).status).toBe(200)
  })

  it('of a delivered item becomes an overlay', async () => {
    await host.put(`${page()}?packageId=org.example.crm`, { label: 'Page' })
    await draft(page(), { label: 'Ours' })
    expect((await host.get(page())).body.item.label).toBe('Page')
    await host.post(`${page()}/publish`)
    expect((await host.get(`${page()}/overlay`)).body.data.patch).toEqual({ label: 'Ours' })
  })

  it('is refused while the item is archived, and goes with the item', async () => {
    await host.put(page(), { label: 'Live' })
    await draft(page(), { label: 'Draft' })
    await host.post(`${page()}/state`, { state: 'archived' })
    expectError(await draft(page(), { label: 'Other' }), 409, 'invalid_state_transition')
    expectError(await host.post(`${page()}/publish`), 409, 'invalid_state_transition')
    await host.delete(page())
    await host.put(page(), { label: 'Again' })
    expectError(await host.get(`${page()}?state=draft`), 404, 'resource_not_found')
  })
})
