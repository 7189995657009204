// Registering items and looking them up: D-108 (register, exists, names, types, concepts).
import { describe, expect, it } from 'vitest'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import { expectError, host, item, name, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

describe('registering', () => {
  it.each([
    ['POST /meta', '/meta', 'object'],
    ['POST /meta with a plural type', '/meta', 'objects'],
    ['POST /meta/:type', '/meta/object', undefined],
    ['POST /meta/:type with the same type', '/meta/objects', 'object'],
  ])('%s answers 201 with the item, its version and its ETag', async (_form, path, type) => {
    const answer = await host.post(path, { type, name, data: item(), namespace: 'crm' })
    expect(answer.status).toBe(201)
    const { data } = answer.body
    expect(answer.body).toMatchObject({ success: true, meta: { requestId: expect.any(String) as string } })
    expect(data).toMatchObject({ type: 'object', name, version: 1, state: 'active', item: { label: 'Thing' } })
    const read = await host.get(`/meta/object/${name}`)
    expect(read.headers.get('etag')).toBe(data.etag)
    expect(answer.headers.get('etag')).toBe(data.etag)
    expect(read.body.item).toEqual(data.item)
    expect((await host.post(`/data/${name}`, { title: 'a' })).status).toBe(201)
    const found = await host.post('/meta/query', { types: ['object'], namespaces: ['crm'], search: name })
    expect(found.body.data.items).toMatchObject([{ name, namespace: 'crm' }])
  })

  it('refuses an item that exists, and changes nothing', async () => {
    await host.post('/meta/object', { name, data: item() })
    const again = { name, data: item({ label: 'Other' }) }
    expectError(await host.post('/meta/object', again), 409, 'conflict', { reason: 'exists', type: 'object', name })
    expectError(await host.post('/meta', { type: 'object', ...again }), 409, 'conflict')
    expect((await host.get(`/meta/object/${name}`)).body.item.label).toBe('Thing')
  })

  it.each([
    ['no type', '/meta', { name: 'x', data: {} }, 400, 'type', 'required'],
    ['an unknown type', '/meta', { type: 'thing', name: 'x', data: {} }, 400, 'type', 'invalid_option'],
    ['another type than the path', '/meta/page', { type: 'view', name: 'x', data: {} }, 400, 'type', 'not_allowed'],
    ['no name', '/meta/page', { data: {} }, 400, 'name', 'required'],
    ['a name that is none', '/meta/page', { name: 'Über', data: {} }, 400, 'name', 'invalid_format'],
    ['no data', '/meta/page', { name: 'x' }, 400, 'data', 'required'],
    ['data that is no object', '/meta/page', { name: 'x', data: [] }, 400, 'data', 'invalid_type'],
    ['data of another name', '/meta/page', { name: 'x', data: { name: 'y' } }, 400, 'name', 'not_allowed'],
    ['an item that is wrong', '/meta/page', { name: 'x', data: { layout: 1 } }, 400, 'layout', 'invalid_type'],
    ['a type only packages make', '/meta/datasource', { name: 'x', data: {} }, 400, 'type', 'not_allowed'],
  ])('refuses %s', async (_what, path, body, status, field, code) => {
    expectError(await host.post(path, body), status, 'validation_error', { fieldErrors: [{ field, code }] })
  })

  it('answers 404 for an unknown type in the path', async () => {
    expectError(await host.post('/meta/thing', { name: 'x', data: {} }), 404, 'resource_not_found')
  })

  it('needs a credential', async () => {
    expectError(await host.anonymous('POST', '/meta', { type: 'page', name: 'x', data: {} }), 401, 'unauthenticated')
  })
})

describe('looking up', () => {
  it('tells whether an item exists, archived ones not', async () => {
    const exists = async () => (await host.get(`/meta/page/${name}/exists`)).body.data
    expect(await exists()).toEqual({ exists: false })
    await host.put(`/meta/page/${name}`, {})
    expect(await exists()).toEqual({ exists: true })
    await host.post(`/meta/page/${name}/state`, { state: 'archived' })
    expect(await exists()).toEqual({ exists: false })
    expect((await host.get(`/meta/field/${name}.title/exists`)).body.data).toEqual({ exists: false })
    expectError(await host.get(`/meta/thing/${name}/exists`), 404, 'resource_not_found')
  })

  it('lists the names of a type in order', async () => {
    await host.put(`/meta/report/b_${name}`, { object: 'any' })
    await host.put(`/meta/report/a_${name}`, { object: 'any' })
    const { body } = await host.get('/meta/reports/names')
    expect(body.data).toEqual([`a_${name}`, `b_${name}`])
    await host.defineObject(name, { title: { type: 'text' }, due: { type: 'date' } })
    expect((await host.get('/meta/field/names')).body.data).toContain(`${name}.due`)
  })

  it('answers one concept per domain, which together hold every type once', async () => {
    const { body } = await host.get('/meta/concepts')
    const types = body.data.flatMap((concept: { types: string[] }) => concept.types)
    expect(types.toSorted()).toEqual([...metadataTypes].toSorted())
    expect(body.data.map((concept: { name: string }) => concept.name)).toEqual([
      'data',
      'ui',
      'automation',
      'system',
      'security',
      'ai',
    ])
    for (const concept of body.data) expect(Object.values(concept).every((value) => value !== '')).toBe(true)
  })

  it.each(['query', 'export', 'import', 'validate'])('no type is named %s', async (word) => {
    expectError(await host.get(`/meta/${word}`), 405, 'method_not_allowed', { allowed: ['POST'] })
  })

  it('no type is named bulk', async () => {
    expectError(await host.get('/meta/bulk'), 404, 'resource_not_found', { reason: 'route' })
  })
})
