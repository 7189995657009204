// Fields as items, and removal: D-101, D-102, D-106.
import { describe, expect, it } from 'vitest'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

describe('field items', () => {
  it('edit, add and remove a field of the object', async () => {
    await put(item())
    const path = `/meta/field/${name}.title`
    expect((await host.get(path)).body.item).toMatchObject({ name: `${name}.title`, object: name, type: 'text' })
    expect((await host.put(path, { type: 'text', label: 'Subject' })).body).toMatchObject({ success: true, version: 2 })
    expect(
      (await host.put(`/meta/field/${name}.due`, { type: 'field', name: `${name}.due`, item: { type: 'date' } }))
        .status,
    ).toBe(200)
    expect((await host.post(`/data/${name}`, { title: 'a', due: '2026-01-31' })).status).toBe(201)
    expectError(await host.delete(`/meta/field/${name}.due`), 409, 'destructive_change', {
      plan: [{ field: 'due', records: 1 }],
    })
    expect((await host.delete(`/meta/field/${name}.due?confirm=true`)).body).toMatchObject({
      success: true,
      deleted: true,
    })
    expect(Object.keys((await host.get(`/meta/object/${name}`)).body.item.fields)).toEqual(['title'])
  })

  it('report problems by the field', async () => {
    await put(item())
    expectError(await host.put(`/meta/field/${name}.title`, { type: 'nonsense' }), 400, 'validation_error', {
      fieldErrors: [{ field: 'type', code: 'invalid_option' }],
    })
    expectError(await host.put('/meta/field/nothing.title', { type: 'text' }), 404, 'resource_not_found', {
      resource: 'object',
    })
    expectError(await host.put('/meta/field/title', { type: 'text' }), 400, 'validation_error')
    expectError(await host.get(`/meta/field/${name}.nothing`), 404, 'resource_not_found')
  })
})

describe('DELETE /meta/:type/:name', () => {
  it('removes an item', async () => {
    await host.put(`/meta/page/${name}`, {})
    host.takeEvents()
    const { status, body } = await host.delete(`/meta/page/${name}`)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, type: 'page', name, deleted: true })
    expect(host.takeEvents()).toMatchObject([
      { type: 'metadata.item.deleted', payload: { type: 'page', name, version: 2 } },
    ])
    expectError(await host.delete(`/meta/page/${name}`), 404, 'resource_not_found', { resource: 'page', id: name })
  })

  it('asks nobody where nothing lies: an object without records, a field without a value', async () => {
    await put(item({ fields: { title: { type: 'text' }, due: { type: 'date' } } }))
    const { body } = await host.post(`/data/${name}`, { title: 'a' })
    expect((await host.delete(`/meta/field/${name}.due`)).body).toMatchObject({ success: true, deleted: true })
    await host.delete(`/data/${name}/${body.id}`)
    // In the trash it still lies there.
    expectError(await host.delete(`/meta/object/${name}`), 409, 'destructive_change', { plan: [{ records: 1 }] })
    await host.delete(`/data/${name}/${body.id}?purge=true`)
    expect((await host.delete(`/meta/object/${name}`)).body).toMatchObject({ success: true, deleted: true })
  })

  it('asks for consent before it deletes an object with records', async () => {
    await put(item())
    await host.post(`/data/${name}`, { title: 'a' })
    const refused = await host.delete(`/meta/object/${name}`)
    expectError(refused, 409, 'destructive_change', { plan: [{ records: 1, destructive: true }] })
    expect((await host.get(`/data/${name}`)).body.records).toHaveLength(1)
    const { planHash } = refused.body.error.details
    expect((await host.delete(`/meta/object/${name}?confirm=${planHash}`)).status).toBe(200)
    expectError(await host.get(`/data/${name}`), 404, 'resource_not_found')
  })

  it('refuses an object that fields of others refer to, unless forced', async () => {
    await put(item())
    const other = `${name}_note`
    await host.defineObject(other, { about: { type: 'lookup', reference: name } })
    expectError(await host.delete(`/meta/object/${name}`), 409, 'delete_restricted', {
      dependentObject: other,
      dependentField: 'about',
      dependentCount: 1,
      dependents: [
        {
          sourceType: 'field',
          sourceName: `${other}.about`,
          targetType: 'object',
          targetName: name,
          kind: 'reference',
        },
      ],
    })
    expect((await host.delete(`/meta/object/${name}?force=true&confirm=true`)).status).toBe(200)
    expectError(await host.delete(`/meta/object/${other}?force=maybe`), 400, 'validation_error', {
      fieldErrors: [{ field: 'force' }],
    })
  })

  it('is guarded by If-Match', async () => {
    const { etag } = (await put(item())).body
    await put(item({ label: 'B' }))
    expectError(await host.delete(`/meta/object/${name}`, { 'if-match': etag }), 409, 'CONCURRENT_UPDATE', {
      currentVersion: 2,
    })
    expect((await host.delete(`/meta/object/${name}?confirm=true`, { 'if-match': '2' })).status).toBe(200)
  })

  it('answers item_locked for what a package delivered', async () => {
    await host.put(`/meta/page/${name}?packageId=org.example.crm`, {})
    expectError(await host.delete(`/meta/page/${name}`), 403, 'item_locked', { packageId: 'org.example.crm' })
    expectError(await host.put(`/meta/page/${name}?packageId=org.example.other`, { route: '/x' }), 403, 'item_locked')
    expectError(await host.put(`/meta/page/${name}x?packageId=nodots`, {}), 400, 'validation_error', {
      fieldErrors: [{ field: 'packageId' }],
    })
    for (const query of ['packageId=cairn.system', 'package=cairn.other']) {
      expectError(await host.put(`/meta/page/${name}x?${query}`, {}), 400, 'validation_error', {
        fieldErrors: [{ field: 'packageId', code: 'not_allowed' }],
      })
    }
  })
})
