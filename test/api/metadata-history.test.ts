// Going back to older versions of items (D-108, D-111).
import { describe, expect, it } from 'vitest'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const page = () => `/meta/page/${name}`
const object = () => `/meta/object/${name}`
const revert = (path: string, version: unknown, query = '') => host.post(`${path}/revert${query}`, { version })

describe('POST /meta/:type/:name/revert', () => {
  it('stores the older content as a new version', async () => {
    await host.put(page(), { label: 'One', route: '/one' })
    await host.put(page(), { label: 'Two' })
    const { body } = await revert(page(), 1)
    expect(body.data).toEqual({ type: 'page', name, version: 3, state: 'active' })
    expect((await host.get(page())).body.item).toEqual({ name, label: 'One', route: '/one' })
    const { events } = (await host.get(`${page()}/history`)).body.data
    expect(events.at(-1)).toMatchObject({ op: 'update', version: 3, message: 'reverted to version 1' })
    expect(events.at(-1).parentHash).toBe(events.at(-2).hash)
    expect((await revert(page(), 3)).body.data.version).toBe(3)
  })

  it('plans and asks for consent like any save of an object', async () => {
    await put(item())
    await put(item({ fields: { title: { type: 'text' }, note: { type: 'text' } } }))
    await host.post(`/data/${name}`, { title: 'one', note: 'kept' })
    const { body: dry } = await revert(object(), 1, '?dryRun=true')
    expect(dry.data).toMatchObject({ dryRun: true, plan: [{ change: 'delete_field', field: 'note', records: 1 }] })
    expectError(await revert(object(), 1), 409, 'destructive_change')
    expect((await revert(object(), 1, `?confirm=${dry.data.planHash}`)).status).toBe(200)
    expect(Object.keys((await host.get(object())).body.item.fields)).toEqual(['title'])
    expect((await revert(object(), 2)).body.data.version).toBe(4)
    expect((await host.post(`/data/${name}`, { title: 'two', note: 'new' })).status).toBe(201)
  })

  it('is guarded by If-Match', async () => {
    await host.put(page(), { label: 'One' })
    const { etag } = (await host.put(page(), { label: 'Two' })).body
    await host.put(page(), { label: 'Three' })
    const answer = await host.post(`${page()}/revert`, { version: 1 }, { 'if-match': etag })
    expectError(answer, 409, 'CONCURRENT_UPDATE', { currentVersion: 3 })
  })

  it('brings back what an overlay said', async () => {
    await host.put(`${page()}?packageId=org.example.crm`, { label: 'Page' })
    await host.put(page(), { label: 'Ours' })
    await host.put(page(), { label: 'Newer' })
    expect((await revert(page(), 2)).body.data.version).toBe(4)
    expect((await host.get(page())).body.item.label).toBe('Ours')
    expect((await revert(page(), 1)).body.data.version).toBe(5)
    expect((await host.get(`${page()}/overlay`)).body.data).toBeNull()
    expect((await host.get(page())).body.item.label).toBe('Page')
  })

  it('brings back a whole item people made under an overlay', async () => {
    await host.put(page(), { label: 'One', route: '/one' })
    await host.put(`${page()}/overlay`, { patch: { label: 'Over' } })
    await host.put(page(), { label: 'Two', route: '/two' })
    await revert(page(), 1)
    expect((await host.get(page())).body.item).toEqual({ name, label: 'One', route: '/one' })
    await revert(page(), 2)
    expect((await host.get(page())).body.item).toEqual({ name, label: 'Over', route: '/one' })
  })

  it('works for one field of an object', async () => {
    await put(item())
    await host.put(`/meta/field/${name}.title`, { type: 'text', label: 'Headline' })
    expect((await revert(`/meta/field/${name}.title`, 1)).status).toBe(200)
    expect((await host.get(`/meta/field/${name}.title`)).body.item).not.toHaveProperty('label')
  })

  it('reaches versions from before a rename', async () => {
    await put(item({ label: 'Old' }))
    const renamed = `${name}_new`
    const { item: whole } = (await host.get(object())).body
    await host.put(`/meta/object/${renamed}`, { ...whole, name: renamed, label: 'New', renamedFrom: name })
    expect((await revert(`/meta/object/${renamed}`, 1)).status).toBe(200)
    expect((await host.get(`/meta/object/${renamed}`)).body.item).toMatchObject({ name: renamed, label: 'Old' })
  })

  it('answers resource_not_found for versions and items that never were', async () => {
    await host.put(page(), { label: 'One' })
    expectError(await revert(page(), 9), 404, 'resource_not_found', { resource: 'version', id: '9' })
    expectError(await revert('/meta/page/nothing', 1), 404, 'resource_not_found')
    for (const version of [0, 1.5, 'one', undefined]) {
      expectError(await revert(page(), version), 400, 'validation_error', { fieldErrors: [{ field: 'version' }] })
    }
    await host.delete(page())
    expectError(await revert(page(), 1), 404, 'resource_not_found')
  })
})

describe('the history', () => {
  it('tells states and overlays with the item as it looked', async () => {
    await host.put(page(), { label: 'One' })
    await host.put(`${page()}/overlay`, { patch: { label: 'Over' } })
    await host.post(`${page()}/state`, { state: 'deprecated' })
    await host.delete(`${page()}/overlay`)
    const { events } = (await host.get(`${page()}/history`)).body.data
    expect(events.map((event: { op: string }) => event.op)).toEqual(['create', 'overlay', 'state', 'overlay'])
    const looks = await Promise.all(
      events.map(async (event: { seq: number }) => {
        const { body } = await host.get(`${page()}/history/${event.seq}`)
        return body.data.item.label
      }),
    )
    expect(looks).toEqual(['One', 'Over', 'Over', 'One'])
  })
})
