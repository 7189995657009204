// Metadata: specification "Metadata" (resources and endpoints), D-102 to D-114.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'

let host: TestHost
let count = 0
/** A new object name, so that tests do not meet. */
let name: string

beforeAll(async () => {
  host = await createTestHost()
})

beforeEach(() => {
  name = `thing${(count += 1)}`
})

afterAll(() => host.stop())

const item = (more: Record<string, unknown> = {}) => ({
  name,
  label: 'Thing',
  fields: { title: { type: 'text' } },
  ...more,
})
const put = (body: unknown, headers: Record<string, string> = {}, query = '') =>
  host.put(`/meta/object/${name}${query}`, body, headers)

function expectError(answer: Answer, status: number, code: string, details: Record<string, unknown> = {}): void {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code })
  expect(answer.body.error.details).toMatchObject(details)
}

describe('GET /meta', () => {
  it('answers the 26 types in the order of the specification with an entry each', async () => {
    const { status, body } = await host.get('/meta')
    expect(status).toBe(200)
    expect(body.types).toEqual(
      'object field trigger validation hook view page dashboard app action report flow job datasource external_catalog translation router function service email_template permission profile role agent tool skill'.split(
        ' ',
      ),
    )
    expect(body.entries.map((entry: { type: string }) => entry.type)).toEqual(body.types)
    const entry = (type: string) => body.entries.find((one: { type: string }) => one.type === type)
    expect(entry('view')).toMatchObject({
      domain: 'ui',
      supportsOverlay: true,
      allowUserOverlay: true,
      allowRuntimeCreate: true,
      schema: true,
    })
    expect(entry('object')).toMatchObject({
      domain: 'data',
      supportsOverlay: true,
      allowUserOverlay: false,
      supportsVersioning: true,
    })
    expect(entry('router')).toMatchObject({
      domain: 'system',
      supportsOverlay: false,
      allowRuntimeCreate: false,
      schema: false,
    })
    expect(entry('object').loadOrder).toBeLessThan(entry('view').loadOrder)
  })

  it('needs a credential', async () => {
    expectError(await host.anonymous('GET', '/meta'), 401, 'unauthenticated')
  })
})

describe('GET /meta/types, /meta/types/:type, /meta/types/:type/schema', () => {
  it('answer names, one entry and a JSON Schema', async () => {
    expect((await host.get('/meta/types')).body).toMatchObject({
      success: true,
      data: expect.arrayContaining(['object', 'skill']) as string[],
    })
    expect((await host.get('/meta/types/view')).body.data).toMatchObject({ type: 'view', label: 'View' })
    expectError(await host.get('/meta/types/nothing'), 404, 'resource_not_found', {
      resource: 'metadata_type',
      id: 'nothing',
    })
    expectError(await host.get('/meta/types/nothing/schema'), 404, 'resource_not_found')
  })

  it('give every type a valid schema of draft 2020-12 that accepts what a save accepts', async () => {
    const ajv = new Ajv2020({ strict: false })
    for (const type of (await host.get('/meta')).body.types as string[]) {
      const { status, body } = await host.get(`/meta/types/${type}/schema`)
      expect(status).toBe(200)
      expect(body.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
      expect(() => ajv.compile(body), type).not.toThrow()
    }
    const validate = ajv.compile((await host.get('/meta/types/object/schema')).body)
    expect(validate(item({ extra: 1 }))).toBe(true)
    expect(validate({ name })).toBe(false)
    expect(validate(item({ fields: { title: { type: 'nonsense' } } }))).toBe(false)
    expect(validate(item({ fields: { title: { type: 'text', maxLength: 'x' } } }))).toBe(false)
  })
})

describe('type segments', () => {
  it.each([
    'object',
    'objects',
    'email_template',
    'email_templates',
    'emailTemplate',
    'emailTemplates',
    'externalCatalogs',
  ])('GET /meta/%s is folded to the type', async (segment) => {
    const { status, body } = await host.get(`/meta/${segment}`)
    expect(status).toBe(200)
    expect(['object', 'email_template', 'external_catalog']).toContain(body.type)
  })

  it.each(['Object', 'objectss', 'constructor', '__proto__', 'names'])(
    'GET /meta/%s answers resource_not_found',
    async (segment) => {
      expectError(await host.get(`/meta/${segment}`), 404, 'resource_not_found', { resource: 'metadata_type' })
    },
  )
})

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
    expectError(await host.put('/meta/page/names', {}), 400, 'validation_error', {
      fieldErrors: [{ field: 'name', code: 'not_allowed' }],
    })
  })

  it('refuses types that are not made at run time', async () => {
    for (const type of ['router', 'service', 'datasource', 'external_catalog']) {
      expectError(await host.put(`/meta/${type}/${name}`, {}), 400, 'validation_error', {
        fieldErrors: [{ field: 'type', code: 'not_allowed' }],
      })
    }
  })

  it('answers not_implemented for drafts and object extensions', async () => {
    expectError(await put(item(), {}, '?mode=draft'), 501, 'not_implemented', { feature: 'drafts' })
    expectError(await put(item({ extend: 'task' })), 501, 'not_implemented', { feature: 'object extensions' })
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
    ['*', () => '*'],
  ])('answers 304 without a body when If-None-Match is %s', async (_what, make) => {
    const { etag } = (await put(item())).body
    const answer = await host.get(`/meta/object/${name}`, { 'if-none-match': make(etag) })
    expect(answer.status).toBe(304)
    expect(answer.body).toBeUndefined()
    expect(answer.headers.get('etag')).toBe(etag)
  })

  it('answers 200 after a change, for another language, and for another ETag', async () => {
    const { etag } = (await put(item())).body
    expect((await host.get(`/meta/object/${name}`, { 'if-none-match': '"x"' })).status).toBe(200)
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
    expectError(await host.put(`/meta/page/${name}`, { route: '/x' }), 501, 'not_implemented', { feature: 'overlays' })
    expectError(await host.put(`/meta/page/${name}?packageId=org.example.other`, { route: '/x' }), 403, 'item_locked')
    expectError(await host.put(`/meta/page/${name}x?packageId=nodots`, {}), 400, 'validation_error', {
      fieldErrors: [{ field: 'packageId' }],
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
    ['limit=-1', 'limit', 'invalid_number'],
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

describe('GET /ui/view/:object/:type', () => {
  const fields = {
    notes: { type: 'textarea' },
    title: { type: 'text', required: true },
    amount: { type: 'currency' },
    due: { type: 'date', group: 'planning' },
    client: { type: 'lookup', reference: 'client' },
    status: { type: 'select', options: ['open', 'done'] },
    mail: { type: 'email' },
    flag: { type: 'boolean' },
    number: { type: 'autonumber' },
    internal: { type: 'text', hidden: true },
  }

  beforeAll(async () => {
    await host.defineObject('client', { name: { type: 'text' } })
  })

  beforeEach(async () => {
    await put(item({ label: 'Deal', fields, fieldGroups: [{ key: 'planning', label: 'Planning', collapsed: true }] }))
  })

  it('generates a list of the most telling fields', async () => {
    const { status, body } = await host.get(`/ui/view/${name}/list`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      object: name,
      viewKind: 'list',
      name: `${name}.list`,
      label: 'Deals',
      generated: true,
      type: 'grid',
      sort: [{ field: 'created_at', order: 'desc' }],
      pagination: { pageSize: 25 },
    })
    expect(body.columns.map((column: { field: string }) => column.field)).toEqual([
      'title',
      'status',
      'client',
      'due',
      'amount',
      'mail',
      'flag',
    ])
    expect(body.columns[0]).toEqual({ field: 'title', label: 'Title', type: 'text', sortable: true })
    expect(body.searchableFields).toEqual(['notes', 'title', 'mail', 'number', 'internal'])
    expect(body.filterableFields).not.toContain('internal')
    const {
      object: _object,
      viewKind: _kind,
      name: _name,
      label: _label,
      generated: _generated,
      list,
      ...config
    } = body
    expect(list).toEqual(config)
  })

  it('generates a form by field groups with the system fields last', async () => {
    const { body } = await host.get(`/ui/view/${name}/form`)
    expect(body).toMatchObject({ viewKind: 'form', generated: true, type: 'simple', label: 'Edit Deal' })
    expect(body.sections.map((section: { name: string }) => section.name)).toEqual(['general', 'planning', 'system'])
    const [general, planning, system] = body.sections
    expect(general).toMatchObject({ label: 'General', columns: 2, collapsible: false, collapsed: false })
    expect(general.fields).toContainEqual({
      field: 'notes',
      label: 'Notes',
      type: 'textarea',
      required: false,
      readonly: false,
      colSpan: 2,
    })
    expect(general.fields).toContainEqual({
      field: 'title',
      label: 'Title',
      type: 'text',
      required: true,
      readonly: false,
      colSpan: 1,
    })
    expect(general.fields).toContainEqual(expect.objectContaining({ field: 'number', readonly: true }))
    expect(general.fields.map((field: { field: string }) => field.field)).not.toContain('internal')
    expect(planning).toMatchObject({
      label: 'Planning',
      collapsible: true,
      collapsed: true,
      fields: [{ field: 'due' }],
    })
    expect(system.label).toBe('System')
    expect(system.fields.every((field: { readonly: boolean }) => field.readonly)).toBe(true)
    expect(system.fields.map((field: { field: string }) => field.field)).toContain('created_at')
    expect(body.fields).toEqual(body.sections.flatMap((section: { fields: unknown[] }) => section.fields))
    expect(body.form.sections).toEqual(body.sections)
  })

  it('takes the kind as a query parameter, list by default', async () => {
    expect((await host.get(`/ui/view/${name}`)).body.viewKind).toBe('list')
    expect((await host.get(`/ui/view/${name}?type=form`)).body).toEqual((await host.get(`/ui/view/${name}/form`)).body)
  })

  it('answers the stored default view', async () => {
    const config = { type: 'grid', columns: ['title'] }
    await host.put(`/meta/view/${name}.mine`, {
      object: name,
      viewKind: 'list',
      label: 'Mine',
      config: { type: 'kanban' },
      isDefault: true,
      scope: 'personal',
    })
    await host.put(`/meta/view/${name}.all`, { object: name, viewKind: 'list', label: 'All', config, isDefault: true })
    expect((await host.get(`/ui/view/${name}/list`)).body).toEqual({
      object: name,
      viewKind: 'list',
      name: `${name}.all`,
      label: 'All',
      generated: false,
      ...config,
      list: config,
    })
  })

  it('refuses another kind and an unknown object', async () => {
    expectError(await host.get(`/ui/view/${name}/kanban`), 400, 'validation_error', {
      fieldErrors: [{ field: 'type', code: 'invalid_option' }],
    })
    expectError(await host.get('/ui/view/nothing/list'), 404, 'resource_not_found', {
      resource: 'object',
      id: 'nothing',
    })
    expectError(await host.get('/ui/view/constructor'), 404, 'resource_not_found')
  })
})
