// Saving metadata items and changing schemas: specification "Metadata", D-09, D-100, D-101, D-105, D-107, D-111.
import { beforeEach, describe, expect, it } from 'vitest'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

describe('PUT /meta/:type/:name', () => {
  it.each([
    ['the wrapper', (body: object) => ({ type: 'object', name, item: body })],
    [
      'the wrapper with a plural type and a namespace',
      (body: object) => ({ type: 'objects', name, namespace: 'crm', item: body }),
    ],
    ['the wrapper with metadata', (body: object) => ({ metadata: body })],
    ['the bare item', (body: object) => body],
  ])('takes %s', async (_form, wrap) => {
    const { status, body, headers } = await put(wrap(item()))
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, version: 1, state: 'active' })
    expect(headers.get('etag')).toBe(body.etag)
    const read = await host.get(`/meta/object/${name}`)
    expect(read.body.item).toMatchObject({ name, label: 'Thing', fields: { title: { type: 'text' } } })
    expect(read.headers.get('etag')).toBe(body.etag)
  })

  it('takes a body with item and other keys as the bare item', async () => {
    const { body } = await host.put(`/meta/page/${name}`, { item: { a: 1 }, route: '/x' })
    expect(body.warnings).toEqual([{ path: 'item', message: expect.any(String) as string }])
    expect((await host.get(`/meta/page/${name}`)).body.item).toEqual({ name, item: { a: 1 }, route: '/x' })
  })

  it('refuses a body that names another item', async () => {
    expectError(await put({ type: 'view', name: 'other', item: item() }), 400, 'validation_error', {
      fieldErrors: [
        { field: 'type', code: 'not_allowed' },
        { field: 'name', code: 'not_allowed' },
      ],
    })
    expectError(await put(item({ name: 'other' })), 400, 'validation_error', {
      fieldErrors: [{ field: 'name', code: 'not_allowed' }],
    })
  })

  it.each([undefined, [], 'x', 1, null, { item: [] }, { item: null }])('refuses %j as a body', async (body) => {
    expectError(await put(body), 400, 'validation_error')
  })

  it('keeps unknown keys and reports them as warnings', async () => {
    const { body } = await put(item({ colour: 'red', fields: { title: { type: 'text', hue: 1 } } }))
    expect(body.warnings.map((warning: { path: string }) => warning.path).toSorted()).toEqual([
      'colour',
      'fields.title.hue',
    ])
    expect((await host.get(`/meta/object/${name}`)).body.item).toMatchObject({
      colour: 'red',
      fields: { title: { hue: 1 } },
    })
  })

  it('refuses known keys of a wrong type, all at once', async () => {
    const answer = await put(item({ label: 7, sharingModel: 'nobody', fields: { title: { type: 'text' } } }))
    expectError(answer, 400, 'validation_error', {
      fieldErrors: [
        { field: 'label', code: 'invalid_type' },
        { field: 'sharingModel', code: 'invalid_option' },
      ],
    })
    expectError(await host.put(`/meta/view/${name}`, { viewKind: 'list' }), 400, 'validation_error', {
      fieldErrors: [{ field: 'object', code: 'required' }],
    })
  })

  it('refuses defaults that the field would refuse, and expressions as defaults that cannot be read', async () => {
    const fields = {
      number: { type: 'number', defaultValue: 'abc' },
      level: { type: 'select', options: ['low', 'high'], defaultValue: 'none' },
      day: { type: 'date', defaultValue: '{me}' },
      short: { type: 'text', maxLength: 2, defaultValue: 'long' },
      labels: { type: 'tags', defaultValue: ['a', 5] },
    }
    expectError(await put(item({ fields })), 400, 'validation_error', {
      fieldErrors: [
        { field: 'fields.number.defaultValue', code: 'invalid_number' },
        { field: 'fields.level.defaultValue', code: 'invalid_option' },
        { field: 'fields.day.defaultValue', code: 'invalid_date' },
        { field: 'fields.short.defaultValue', code: 'max_length' },
        { field: 'fields.labels.defaultValue.1', code: 'invalid_type' },
      ],
    })
    const computed = { computed: { type: 'number', defaultValue: { expression: '1 +' } } }
    expectError(await put(item({ fields: computed })), 400, 'validation_error', {
      fieldErrors: [{ field: 'fields.computed.defaultValue', code: 'expression_error' }],
    })
    const good = {
      number: { type: 'number', defaultValue: 5 },
      level: { type: 'select', options: ['low', 'high'], defaultValue: 'low' },
      day: { type: 'date', defaultValue: '{today}', min: '2000-01-01' },
      at: { type: 'datetime', defaultValue: '{now}' },
      who: { type: 'user', defaultValue: '{me}' },
      title: { type: 'text', defaultValue: '' },
      none: { type: 'number', defaultValue: null },
    }
    expect((await host.put('/meta/object/defaults?dryRun=true', { fields: good })).status).toBe(200)
  })

  it.each(['Upper', '1st', 'a-b', 'a'.repeat(64), 'ä', 'a.b'])('refuses the object name %s', async (bad) => {
    expectError(await host.put(`/meta/object/${encodeURIComponent(bad)}`, { fields: {} }), 400, 'validation_error', {
      fieldErrors: [{ field: 'name', code: 'invalid_format' }],
    })
  })

  it('takes parent.child only for types that hang on an object', async () => {
    expect(
      (
        await host.put('/meta/validation/task.rule', {
          object: 'task',
          type: 'script',
          condition: 'false',
          message: 'No.',
        })
      ).status,
    ).toBe(200)
    expectError(await host.put('/meta/page/task.rule', {}), 400, 'validation_error')
    expectError(await host.put('/meta/view/a.b.c', { object: 'a', viewKind: 'list' }), 400, 'validation_error')
    expectError(await host.put('/meta/view/.b', { object: 'a', viewKind: 'list' }), 400, 'validation_error')
  })

  it('refuses reserved names', async () => {
    expectError(await host.put('/meta/object/import', { fields: {} }), 400, 'validation_error', {
      fieldErrors: [{ field: 'name', code: 'not_allowed' }],
    })
    expectError(await host.post('/meta', { type: 'page', name: 'names', data: {} }), 400, 'validation_error', {
      fieldErrors: [{ field: 'name', code: 'not_allowed' }],
    })
    expectError(await host.put('/meta/page/names', {}), 405, 'method_not_allowed', { allowed: ['GET', 'HEAD'] })
  })

  it('refuses types that are not made at run time', async () => {
    for (const type of ['router', 'service', 'datasource', 'external_catalog']) {
      expectError(await host.put(`/meta/${type}/${name}`, {}), 400, 'validation_error', {
        fieldErrors: [{ field: 'type', code: 'not_allowed' }],
      })
    }
  })

  it('is guarded by If-Match as an ETag or a version', async () => {
    const first = (await put(item())).body
    expect((await put(item({ label: 'B' }), { 'if-match': first.etag })).body.version).toBe(2)
    expectError(await put(item({ label: 'C' }), { 'if-match': first.etag }), 409, 'CONCURRENT_UPDATE', {
      currentVersion: 2,
      currentItem: { label: 'B' },
    })
    expect((await put(item({ label: 'C' }), { 'if-match': '2' })).body.version).toBe(3)
    expectError(await put(item({ label: 'D' }), { 'if-match': '2' }), 409, 'CONCURRENT_UPDATE', { currentVersion: 3 })
    expect((await put(item({ label: 'D' }), { 'if-match': '*' })).body.version).toBe(4)
  })

  it('creates only with If-None-Match: *', async () => {
    expect((await put(item(), { 'if-none-match': '*' })).status).toBe(200)
    expectError(await put(item({ label: 'B' }), { 'if-none-match': '*' }), 409, 'conflict')
  })

  it('answers the version of before when nothing changes, and raises no event', async () => {
    await put(item())
    host.takeEvents()
    expect((await put(item())).body).toMatchObject({ success: true, version: 1 })
    expect(host.takeEvents()).toEqual([])
    await put(item({ label: 'B' }))
    expect(host.takeEvents()).toMatchObject([
      {
        type: 'metadata.item.saved',
        payload: { type: 'object', name, version: 2 },
        source: 'API',
        actor: { type: 'user' },
      },
    ])
  })

  it('refuses keys that could reach a prototype', async () => {
    const body = `{"name":"${name}","fields":{},"x":{"__proto__":{"polluted":true}}}`
    const answer = await put(body)
    expectError(answer, 400, 'validation_error')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    await host.put(`/meta/page/${name}`, { constructor: { prototype: { polluted: true } } })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('survives a restart with items, versions and ETags', async () => {
    const { etag } = (await put(item())).body
    await host.restart()
    const { body, headers } = await host.get(`/meta/object/${name}`)
    expect(body.item).toMatchObject({ label: 'Thing' })
    expect(headers.get('etag')).toBe(etag)
    expect((await put(item({ label: 'B' }))).body.version).toBe(2)
  })
})

describe('PUT /meta/object/:name as a schema change', () => {
  const records = async () => (await host.get(`/data/${name}?sort=title`)).body.records

  beforeEach(async () => {
    await put(item({ fields: { title: { type: 'text' }, done: { type: 'boolean' } } }))
    await host.post(`/data/${name}/createMany`, [
      { title: 'a', done: true },
      { title: 'b', done: false },
    ])
  })

  it('answers the plan without storing anything with dryRun', async () => {
    const { status, body } = await put(item(), {}, '?dryRun=true')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      success: true,
      dryRun: true,
      version: 2,
      plan: [{ field: 'done', destructive: true, records: 2 }],
    })
    expect(body.planHash).toBe(canonicalHash(body.plan))
    expect((await host.get(`/meta/object/${name}`)).body.item.fields).toHaveProperty('done')
  })

  it('asks for consent before it destroys data, and takes the hash of the plan', async () => {
    const refused = await put(item())
    expectError(refused, 409, 'destructive_change', {
      plan: [{ field: 'done' }],
      planHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
    expect(await records()).toMatchObject([{ done: true }, { done: false }])
    const { planHash } = refused.body.error.details
    await host.post(`/data/${name}`, { title: 'c', done: true })
    expectError(await put(item(), {}, `?confirm=${planHash}`), 409, 'destructive_change', { reason: 'plan_changed' })
    const again = (await put(item())).body.error.details.planHash
    expect((await put(item(), {}, `?confirm=${again}`)).body).toMatchObject({
      success: true,
      version: 2,
      plan: [{ field: 'done' }],
    })
    expect((await records())[0]).not.toHaveProperty('done')
  })

  it('takes any plan with confirm=true', async () => {
    expect((await put(item(), {}, '?confirm=true')).status).toBe(200)
  })

  it('renames a field and keeps its values', async () => {
    const fields = { subject: { type: 'text', renamedFrom: 'title' }, done: { type: 'boolean' } }
    expect((await put(item({ fields }))).status).toBe(200)
    const { body } = await host.get(`/data/${name}?sort=subject`)
    expect(body.records.map((record: { subject: string }) => record.subject)).toEqual(['a', 'b'])
  })

  it('renames an object with its records; the old name answers nothing', async () => {
    const old = name
    const renamed = `${name}_new`
    const fields = { title: { type: 'text' }, done: { type: 'boolean' } }
    const { uid } = (await host.get(`/meta/object/${old}`)).body.item
    const answer = await host.put(`/meta/object/${renamed}`, { renamedFrom: old, label: 'Thing', fields })
    expect(answer.status).toBe(200)
    expectError(await host.get(`/meta/object/${old}`), 404, 'resource_not_found', { resource: 'object', id: old })
    expectError(await host.get(`/data/${old}`), 404, 'resource_not_found')
    expect((await host.get(`/data/${renamed}?count=true`)).body.total).toBe(2)
    expect((await host.get(`/data/${renamed}?search=a`)).body.records).toHaveLength(1)
    expect((await host.get(`/meta/object/${renamed}`)).body.item.uid).toBe(uid)
  })
})

describe('the filter of an index', () => {
  const indexed = (where: unknown) =>
    put(
      item({
        fields: { title: { type: 'text' }, size: { type: 'number' } },
        indexes: [{ fields: ['title'], unique: true, where }],
      }),
    )

  it.each([
    ['a field that is not there', { nothing: 1 }, 'unknown_field'],
    ['no filter', 5, 'invalid_format'],
    ['an operator that is none', { size: { $about: 1 } }, 'invalid_format'],
    ['an operator the field does not have', { size: { $contains: 'a' } }, 'not_allowed'],
  ])('is refused with %s, which would refuse every write', async (_what, where, code) => {
    expectError(await indexed(where), 400, 'validation_error', { fieldErrors: [{ field: 'indexes.0.where', code }] })
  })

  it('takes fields of the object and of every record', async () => {
    expect((await indexed({ size: { $gt: 1 }, created_at: { $null: false } })).status).toBe(200)
    expect((await host.post(`/data/${name}`, { title: 'a', size: 1 })).status).toBe(201)
    expect((await host.post(`/data/${name}`, { title: 'a', size: 2 })).status).toBe(201)
    expectError(await host.post(`/data/${name}`, { title: 'a', size: 3 }), 409, 'conflict')
  })
})
