// Reading metadata items and their history: specification "Metadata", D-103, D-104, D-108.
import { describe, expect, it } from 'vitest'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

describe('GET /meta/:type', () => {
  it('lists the items by name and filters by package and state', async () => {
    await host.put('/meta/dashboard/zeta', { label: 'Z' })
    await host.put('/meta/dashboard/alpha', { label: 'A' })
    await host.put('/meta/dashboard/packed?packageId=org.example.crm', { label: 'P' })
    const names = async (query: string) =>
      (await host.get(`/meta/dashboard${query}`)).body.items.map((one: { name: string }) => one.name)
    expect(await names('')).toEqual(['alpha', 'packed', 'zeta'])
    expect(await names('?packageId=org.example.crm')).toEqual(['packed'])
    expect(await names('?package=org.example.crm')).toEqual(['packed'])
    expect(await names('?state=active')).toEqual(['alpha', 'packed', 'zeta'])
    expect(await names('?state=archived')).toEqual([])
    expectError(await host.get('/meta/dashboard?state=lost'), 400, 'validation_error', {
      fieldErrors: [{ field: 'state', code: 'invalid_option' }],
    })
  })

  it('lists the fields of all objects as items', async () => {
    await put(item())
    const { body } = await host.get('/meta/fields')
    expect(body.type).toBe('field')
    expect(body.items).toContainEqual(expect.objectContaining({ name: `${name}.title`, object: name, type: 'text' }))
  })
})

describe('GET /meta/:type/:name', () => {
  it('answers type, name and item with the headers of a conditional read', async () => {
    await put(item())
    const { status, body, headers } = await host.get(`/meta/objects/${name}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ type: 'object', name, item: { name } })
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/)
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('vary')).toContain('Accept-Language, Authorization, Cookie')
    expect(headers.get('last-modified')).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
  })

  it('computes the ETag over item, locale and scope', async () => {
    await put(item())
    const { body, headers } = await host.get(`/meta/object/${name}`)
    const scope = canonicalHash({ fingerprint: 'all', organizationId: null })
    const hash = canonicalHash({ item: body.item, locale: 'en', scope }).slice(0, 32)
    expect(headers.get('etag')).toBe(`"${hash}"`)
  })

  it.each([
    ['the ETag', (etag: string) => etag],
    ['a weak form of it', (etag: string) => `W/${etag}`],
    ['a list with it', (etag: string) => `"other", ${etag}`],
    ['its bare value', (etag: string) => etag.slice(1, -1)],
    ['*', () => '*'],
  ])('answers 304 without a body when If-None-Match is %s', async (_what, make) => {
    const { etag } = (await put(item())).body
    const answer = await host.get(`/meta/object/${name}`, { 'if-none-match': make(etag) })
    expect(answer.status).toBe(304)
    expect(answer.body).toBeUndefined()
    expect(answer.headers.get('etag')).toBe(etag)
  })

  it('answers 200 after a change and for another ETag, 304 for a language the workspace does not have', async () => {
    const { etag } = (await put(item())).body
    expect((await host.get(`/meta/object/${name}`, { 'if-none-match': '"x"' })).status).toBe(200)
    expect((await host.get(`/meta/object/${name}?locale=sw`, { 'if-none-match': etag })).status).toBe(304)
    expect((await host.get(`/meta/object/${name}?locale=de`, { 'if-none-match': etag })).status).toBe(200)
    await put(item({ label: 'B' }))
    const changed = await host.get(`/meta/object/${name}`, { 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.body.item.label).toBe('B')
  })

  it('looks at If-Modified-Since only without If-None-Match', async () => {
    await put(item())
    const path = `/meta/object/${name}`
    const modified = (await host.get(path)).headers.get('last-modified')!
    expect((await host.get(path, { 'if-modified-since': modified })).status).toBe(304)
    expect((await host.get(path, { 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' })).status).toBe(200)
    expect((await host.get(path, { 'if-modified-since': 'yesterday' })).status).toBe(200)
    expect((await host.get(path, { 'if-modified-since': modified, 'if-none-match': '"x"' })).status).toBe(200)
  })

  it('answers resource_not_found for what is not there, under another package or state', async () => {
    await put(item())
    expectError(await host.get('/meta/object/nothing'), 404, 'resource_not_found', {
      resource: 'object',
      id: 'nothing',
    })
    expectError(await host.get('/meta/object/constructor'), 404, 'resource_not_found')
    expectError(await host.get(`/meta/object/${name}?packageId=org.example.crm`), 404, 'resource_not_found')
    expectError(await host.get(`/meta/object/${name}?state=archived`), 404, 'resource_not_found')
    expectError(await host.get(`/meta/object/${name}?locale=--`), 400, 'validation_error', {
      fieldErrors: [{ field: 'locale' }],
    })
  })
})

describe('GET /meta/:type/:name/history and /history/:seq', () => {
  it('tell every version as a chain of hashes and give the item of each', async () => {
    await put(item())
    await put(item({ label: 'B' }))
    await host.delete(`/meta/object/${name}?confirm=true`)
    const { body } = await host.get(`/meta/object/${name}/history`)
    const { events, hasMore } = body.data
    expect(hasMore).toBe(false)
    expect(events.map((event: { op: string; version: number }) => [event.op, event.version])).toEqual([
      ['create', 1],
      ['update', 2],
      ['delete', 3],
    ])
    expect(events[0]).toMatchObject({
      ref: { type: 'object', name },
      parentHash: null,
      source: 'API',
      actor: { type: 'user' },
    })
    expect(events[1].parentHash).toBe(events[0].hash)
    expect(events[2].parentHash).toBe(events[1].hash)
    const at = async (index: number) => (await host.get(`/meta/object/${name}/history/${events[index].seq}`)).body.data
    expect(await at(0)).toMatchObject({ event: events[0], item: { label: 'Thing' } })
    expect(await at(1)).toMatchObject({ item: { label: 'B' } })
    expect(await at(2)).toMatchObject({ item: null })
  })

  it('page by sequence number', async () => {
    await put(item())
    await put(item({ label: 'B' }))
    await put(item({ label: 'C' }))
    const first = (await host.get(`/meta/object/${name}/history?limit=2`)).body.data
    expect(first).toMatchObject({ hasMore: true, events: [{ version: 1 }, { version: 2 }] })
    const rest = (await host.get(`/meta/object/${name}/history?limit=2&sinceSeq=${first.events[1].seq}`)).body.data
    expect(rest).toMatchObject({ hasMore: false, events: [{ version: 3 }] })
  })

  it.each([
    ['limit=0', 'limit', 'min_value'],
    ['limit=201', 'limit', 'max_value'],
    ['limit=-1', 'limit', 'min_value'],
    ['limit=1e2', 'limit', 'invalid_number'],
    ['sinceSeq=x', 'sinceSeq', 'invalid_number'],
  ])('refuse %s', async (query, field, code) => {
    await put(item())
    expectError(await host.get(`/meta/object/${name}/history?${query}`), 400, 'validation_error', {
      fieldErrors: [{ field, code }],
    })
  })

  it('answer resource_not_found for items and numbers that never were', async () => {
    await put(item())
    expectError(await host.get('/meta/object/nothing/history'), 404, 'resource_not_found', { resource: 'object' })
    expectError(await host.get(`/meta/object/${name}/history/999999`), 404, 'resource_not_found', {
      resource: 'history',
    })
    expectError(await host.get(`/meta/object/${name}/history/x`), 404, 'resource_not_found')
    const { seq } = (await host.get(`/meta/object/${name}/history`)).body.data.events[0]
    await host.put(`/meta/page/${name}`, {})
    expectError(await host.get(`/meta/page/${name}/history/${seq}`), 404, 'resource_not_found')
  })
})
