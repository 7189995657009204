// Overlays over items: JSON Merge Patches of the workspace and of users (D-106, D-109).
import { beforeEach, describe, expect, it } from 'vitest'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const packageId = 'org.example.crm'
const page = () => `/meta/page/${name}`
const overlay = (scope = 'platform') => `${page()}/overlay?scope=${scope}`
const read = async (path = page()) => (await host.get(path)).body.item

describe('an overlay of the workspace', () => {
  beforeEach(() => host.put(page(), { label: 'Page', route: '/page', description: 'As made' }))

  it('is null, then the stored record, then null again', async () => {
    expect((await host.get(overlay())).body).toMatchObject({ success: true, data: null })
    const { status, body } = await host.put(`${page()}/overlay`, { patch: { label: 'Ours', description: null } })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      baseType: 'page',
      baseName: name,
      scope: 'platform',
      patch: { label: 'Ours', description: null },
      active: true,
      changes: [
        { path: '/label', originalValue: 'Page', currentValue: 'Ours' },
        { path: '/description', originalValue: 'As made', currentValue: null },
      ],
    })
    expect(body.data.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(body.data.createdBy).toBe(body.data.updatedBy)
    expect(body.data).not.toHaveProperty('owner')
    expect((await host.get(`${page()}/overlay`)).body.data).toEqual(body.data)
    expect(await read()).toEqual({ name, label: 'Ours', route: '/page' })
    const { body: removed } = await host.delete(overlay())
    expect(removed.data).toEqual({ type: 'page', name, scope: 'platform', removed: true })
    expect((await host.get(overlay())).body.data).toBeNull()
    expect((await read()).label).toBe('Page')
    expect((await host.delete(overlay())).body.data.removed).toBe(false)
  })

  it('keeps its id and its first author when it is replaced, and takes a whole record', async () => {
    const first = (await host.put(overlay(), { patch: { label: 'Ours' } })).body.data
    const second = (await host.put(overlay(), { ...first, patch: { label: 'Ours', route: '/ours' } })).body.data
    expect(second).toMatchObject({ id: first.id, createdAt: first.createdAt, patch: { route: '/ours' } })
    expect(second.updatedAt >= first.updatedAt).toBe(true)
    expectError(await host.put(overlay(), { ...first, baseName: 'other', baseType: 'view' }), 400, 'validation_error', {
      fieldErrors: [
        { field: 'baseType', code: 'not_allowed' },
        { field: 'baseName', code: 'not_allowed' },
      ],
    })
    expectError(await host.put(overlay('user'), first), 400, 'validation_error', { fieldErrors: [{ field: 'scope' }] })
  })

  it('says itself who changed what and when, and keeps what it said of changes that stay', async () => {
    const claimed = { changedBy: '01900000-0000-7000-8000-000000000000', changedAt: 'yesterday' }
    const stated = { path: '/label', originalValue: 'Page', currentValue: 'Ours' }
    const patch = { label: 'Ours' }
    const first = (await host.put(overlay(), { patch, changes: [{ ...stated, ...claimed }] })).body.data
    const signed = { ...stated, changedBy: first.createdBy, changedAt: first.updatedAt }
    expect(first.changes).toEqual([signed])
    const changes = [
      { ...signed, ...claimed },
      { path: '/route', currentValue: '/ours' },
    ]
    const second = (await host.put(overlay(), { patch: { ...patch, route: '/ours' }, changes })).body.data
    expect(second.changes).toEqual([
      signed,
      { path: '/route', currentValue: '/ours', changedBy: second.updatedBy, changedAt: second.updatedAt },
    ])
    for (const path of ['label', '/a~2', 'a/b']) {
      expectError(await host.put(overlay(), { patch, changes: [{ path, currentValue: 1 }] }), 400, 'validation_error', {
        fieldErrors: [{ field: 'changes.0.path', code: 'invalid_format' }],
      })
    }
  })

  it('has no effect while it is switched off', async () => {
    await host.put(overlay(), { patch: { label: 'Ours' }, active: false })
    expect((await read()).label).toBe('Page')
    expect((await host.get(`${page()}/layers`)).body.data).not.toHaveProperty('platform')
    await host.put(overlay(), { patch: { label: 'Ours' }, active: true })
    expect((await read()).label).toBe('Ours')
  })

  it('raises the version, the ETag and one event', async () => {
    const before = await host.get(page())
    host.takeEvents()
    await host.put(overlay(), { patch: { label: 'Ours' } })
    expect(host.takeEvents()).toMatchObject([
      { type: 'metadata.item.overlay_changed', payload: { type: 'page', name, version: 2 } },
    ])
    const after = await host.get(page(), { 'if-none-match': before.headers.get('etag')! })
    expect(after.status).toBe(200)
    await host.put(overlay(), { patch: { label: 'Ours' } })
    expect(host.takeEvents()).toEqual([])
    const { events } = (await host.get(`${page()}/history`)).body.data
    expect(events.map((event: { op: string; version: number }) => [event.op, event.version])).toEqual([
      ['create', 1],
      ['overlay', 2],
    ])
  })

  it('is refused when it changes the name, has no patch, breaks the shape or reaches for a prototype', async () => {
    const refused = async (body: unknown, field: string) =>
      expectError(await host.put(overlay(), body), 400, 'validation_error', { fieldErrors: [{ field }] })
    await refused({ patch: { name: 'other' } }, 'patch.name')
    await refused({}, 'patch')
    await refused(undefined, '')
    await refused({ patch: [] }, 'patch')
    await refused({ patch: { route: 5 } }, 'route')
    await refused({ patch: { label: 'A' }, active: 'yes' }, 'active')
    expectError(await host.put(overlay(), '{"patch":{"__proto__":{"x":1}}}'), 400, 'validation_error')
    await host.put(overlay(), '{"patch":{"constructor":{"prototype":{"x":1}}}}')
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
    await refused({ patch: {}, scope: 'system' }, 'scope')
    expectError(await host.get(overlay('all')), 400, 'validation_error', { fieldErrors: [{ field: 'scope' }] })
    expectError(await host.get('/meta/page/nothing/overlay'), 404, 'resource_not_found')
    expectError(await host.put('/meta/page/nothing/overlay', { patch: {} }), 404, 'resource_not_found')
    expectError(await host.get('/meta/nothing/nothing/overlay'), 404, 'resource_not_found')
  })

  it('warns when a save goes under it', async () => {
    await host.put(overlay(), { patch: { label: 'Ours' } })
    const { body } = await host.put(page(), { label: 'New', route: '/page' })
    expect(body).toMatchObject({ version: 3, warnings: [{ path: '' }] })
    expect(await read()).toMatchObject({ label: 'Ours' })
    expect((await host.get(`${page()}/layers`)).body.data).toMatchObject({
      base: { label: 'New' },
      platform: { label: 'Ours' },
      effective: { label: 'Ours' },
    })
  })

  it('goes with its item and survives a restart', async () => {
    await host.put(overlay(), { patch: { label: 'Ours' } })
    await host.restart()
    expect((await read()).label).toBe('Ours')
    await host.delete(page())
    await host.put(page(), { label: 'Again' })
    expect((await read()).label).toBe('Again')
  })
})

describe('an overlay of a user', () => {
  beforeEach(() => host.put(page(), { label: 'Page', route: '/page' }))

  it('lies over that of the workspace for its owner', async () => {
    await host.put(overlay(), { patch: { label: 'Ours', description: 'Ours' } })
    const { body } = await host.put(overlay('user'), { patch: { label: 'Mine' } })
    expect(body.data).toMatchObject({ scope: 'user', owner: body.data.createdBy, patch: { label: 'Mine' } })
    expect(await read()).toMatchObject({ label: 'Mine', description: 'Ours' })
    const { items } = (await host.get('/meta/page')).body
    expect(items).toContainEqual(expect.objectContaining({ name, label: 'Mine' }))
    expect((await host.get(`${page()}/layers`)).body.data).toMatchObject({
      base: { label: 'Page' },
      platform: { label: 'Ours' },
      user: { label: 'Mine' },
      effective: { label: 'Mine' },
    })
    const effective = async (query: string) => (await host.get(`${page()}/effective${query}`)).body.data
    expect(await effective('')).toMatchObject({ label: 'Mine' })
    expect(await effective(`?userId=${body.data.owner}`)).toMatchObject({ label: 'Mine' })
    expect(await effective('?userId=someone')).toMatchObject({ label: 'Ours' })
    await host.delete(overlay('user'))
    expect(await read()).toMatchObject({ label: 'Ours' })
  })

  it('is refused for types that take none', async () => {
    await put(item())
    for (const path of [`/meta/object/${name}`, `/meta/field/${name}.title`]) {
      expectError(await host.put(`${path}/overlay?scope=user`, { patch: { label: 'Mine' } }), 400, 'validation_error', {
        fieldErrors: [{ field: 'scope', code: 'not_allowed' }],
      })
    }
    await host.put(`/meta/datasource/${name}?packageId=${packageId}`, { driver: 'sqlite', config: {} })
    expectError(
      await host.put(`/meta/datasource/${name}/overlay`, { patch: { label: 'A' } }),
      400,
      'validation_error',
      {
        fieldErrors: [{ field: 'scope', code: 'not_allowed' }],
      },
    )
    expectError(await host.put(`/meta/datasource/${name}`, { driver: 'sqlite', config: { a: 1 } }), 403, 'item_locked')
  })

  it('lets a delivered item of such a type be saved and imported as it is, and nothing else', async () => {
    const path = `/meta/datasource/${name}`
    const body = { driver: 'sqlite', config: { a: 1 } }
    await host.put(`${path}?packageId=${packageId}`, body)
    expect((await host.put(path, body)).body).toMatchObject({ success: true, version: 1 })
    const { content } = (await host.post('/meta/export', { types: ['datasource'], packageId })).body.data
    for (const conflictResolution of ['overwrite', 'merge']) {
      const { data } = (await host.post('/meta/import', { data: content, conflictResolution })).body
      expect(data).toMatchObject({ failed: 0 })
    }
    const ours = content.items.find((entry: { name: string }) => entry.name === name)
    ours.item.config = { a: 2 }
    const { data } = (await host.post('/meta/import', { data: content, conflictResolution: 'overwrite' })).body
    expect(data).toMatchObject({ imported: 0, failed: 1, errors: [{ name, code: 'item_locked' }] })
    expect((await host.get(path)).body.item.config).toEqual({ a: 1 })
  })
})

describe('an item delivered by a package', () => {
  const deliver = (body: unknown) => host.put(`${page()}?packageId=${packageId}`, body)

  it('stores the difference of a save as overlay and tells what changed', async () => {
    await deliver({ label: 'Page', route: '/page', description: 'As made' })
    const { status, body } = await host.put(page(), { label: 'Ours', route: '/page' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, version: 2, state: 'active' })
    const { data } = (await host.get(overlay())).body
    expect(data).toMatchObject({
      packageId,
      patch: { label: 'Ours', description: null },
      changes: [
        { path: '/label', originalValue: 'Page', currentValue: 'Ours' },
        { path: '/description', originalValue: 'As made', currentValue: null },
      ],
    })
    expect(data.changes[0].changedBy).toBe(data.createdBy)
    expect(await read()).toEqual({ name, label: 'Ours', route: '/page' })
    expect((await host.get(page())).headers.get('etag')).toBe(body.etag)
    // A newer package changes what the overlay leaves alone.
    await deliver({ label: 'Page 2', route: '/page2', description: 'As made' })
    expect(await read()).toEqual({ name, label: 'Ours', route: '/page2' })
  })

  it('keeps who changed what when a later save changes something else', async () => {
    await deliver({ label: 'Page', route: '/page' })
    await host.put(page(), { label: 'Ours', route: '/page' })
    const [first] = (await host.get(overlay())).body.data.changes
    await host.put(page(), { label: 'Ours', route: '/ours' })
    const { changes, patch } = (await host.get(overlay())).body.data
    expect(changes[0]).toEqual(first)
    expect(changes[1]).toMatchObject({ path: '/route', originalValue: '/page', currentValue: '/ours' })
    expect(patch).toEqual({ label: 'Ours', route: '/ours' })
    await host.put(page(), { label: 'Page', route: '/page' })
    expect((await host.get(overlay())).body.data).toBeNull()
  })

  it('is reset by a delete, and locked when there is nothing to reset', async () => {
    await deliver({ label: 'Page' })
    expectError(await host.delete(page()), 403, 'item_locked', { packageId })
    await host.put(page(), { label: 'Ours' })
    const { body } = await host.delete(page())
    expect(body).toMatchObject({ success: true, type: 'page', name, deleted: false, reset: true })
    expect((await read()).label).toBe('Page')
    expectError(await host.delete(page()), 403, 'item_locked')
    expectError(await host.put(`${page()}?packageId=org.example.other`, { label: 'Theirs' }), 403, 'item_locked')
  })

  it('is guarded by If-Match on what the caller sees, and shows a plan of nothing in a dry run', async () => {
    await deliver({ label: 'Page' })
    const { etag } = (await host.put(page(), { label: 'Ours' })).body
    expect((await host.put(`${page()}?dryRun=true`, { label: 'Other' })).body).toMatchObject({ dryRun: true })
    expect((await read()).label).toBe('Ours')
    expect((await host.put(page(), { label: 'Newer' }, { 'if-match': etag })).status).toBe(200)
    expectError(await host.put(page(), { label: 'Newest' }, { 'if-match': etag }), 409, 'CONCURRENT_UPDATE', {
      currentVersion: 3,
      currentItem: { label: 'Newer' },
    })
  })

  it('says so when an overlay cannot hold a null', async () => {
    await deliver({ label: 'Page', route: '/page' })
    const { body: kept } = await host.put(page(), { label: 'Ours', route: '/page', custom: { a: null } })
    expect(kept.warnings).toContainEqual(expect.objectContaining({ path: '' }))
    expect((await read()).custom).toEqual({})
  })
})

describe('an overlay over an object', () => {
  const object = () => `/meta/object/${name}`
  const deliver = (more: Record<string, unknown> = {}) =>
    host.put(`${object()}?packageId=${packageId}`, item({ fields: { title: { type: 'text' } }, ...more }))

  it('adds a column, changes labels and takes columns away with consent', async () => {
    await deliver()
    await host.post(`/data/${name}`, { title: 'one' })
    const { body } = await host.put(
      object(),
      item({ label: 'Ours', fields: { title: { type: 'text', required: true }, score: { type: 'number' } } }),
    )
    expect(body.plan).toContainEqual(expect.objectContaining({ change: 'add_field', field: 'score' }))
    const { patch } = (await host.get(`${object()}/overlay`)).body.data
    expect(patch).toMatchObject({
      label: 'Ours',
      fields: { title: { required: true }, score: { type: 'number', uid: expect.stringMatching(/^[0-9a-f]{32}$/) } },
    })
    expect(patch.fields.title).not.toHaveProperty('uid')
    await host.post(`/data/${name}`, { title: 'two', score: 5 })
    const refused = await host.delete(object())
    expectError(refused, 409, 'destructive_change', {
      plan: expect.arrayContaining([expect.objectContaining({ change: 'delete_field', field: 'score' })]),
    })
    expect((await host.delete(`${object()}?confirm=${refused.body.error.details.planHash}`)).body).toMatchObject({
      reset: true,
    })
    const { body: list } = await host.get(`/data/${name}?sort=title`)
    expect(list.records.map((record: Record<string, unknown>) => [record['title'], 'score' in record])).toEqual([
      ['one', false],
      ['two', false],
    ])
  })

  it('keeps uids of delivered fields and takes none from the client', async () => {
    await deliver()
    const { uid, fields } = await read(object())
    const foreign = 'f'.repeat(32)
    await host.put(`${object()}/overlay`, {
      patch: {
        uid: foreign,
        fields: { title: { uid: foreign, label: 'Headline' }, more: { type: 'text', uid: foreign } },
      },
    })
    const after = await read(object())
    expect(after.uid).toBe(uid)
    expect(after.fields.title).toMatchObject({ uid: fields.title.uid, label: 'Headline' })
    expect(after.fields.more.uid).not.toBe(foreign)
  })

  it('renames a delivered field and warns of nothing but a lost order', async () => {
    await deliver({ fields: { title: { type: 'text' }, note: { type: 'text' } } })
    await host.post(`/data/${name}`, { title: 'one', note: 'kept' })
    const { fields, ...rest } = await read(object())
    const remark = { ...fields.note, renamedFrom: 'note' }
    const { body } = await host.put(object(), { ...rest, fields: { title: fields.title, remark } })
    expect(body).toMatchObject({ plan: [{ change: 'rename_field', from: 'note', to: 'remark' }] })
    expect(body).not.toHaveProperty('warnings')
    expect((await host.get(`/data/${name}`)).body.records).toMatchObject([{ title: 'one', remark: 'kept' }])
    const { body: moved } = await host.put(object(), { ...rest, label: 'X', fields: { remark, title: fields.title } })
    expect(moved.warnings).toMatchObject([{ path: '' }])
  })

  it('asks for consent before an overlay destroys values, and restores when it goes', async () => {
    await deliver({ fields: { title: { type: 'text' }, note: { type: 'text' } } })
    await host.post(`/data/${name}`, { title: 'one', note: 'kept' })
    const patch = { fields: { note: null } }
    expectError(await host.put(`${object()}/overlay`, { patch }), 409, 'destructive_change')
    expect((await host.get(`${object()}/overlay`)).body.data).toBeNull()
    expect((await host.put(`${object()}/overlay?confirm=true`, { patch })).status).toBe(200)
    expect(Object.keys((await read(object())).fields)).toEqual(['title'])
    expect((await host.delete(`${object()}/overlay`)).body.data.removed).toBe(true)
    expect((await host.post(`/data/${name}`, { title: 'two', note: 'new' })).status).toBe(201)
  })

  it('is refused when the whole would be no valid object', async () => {
    await deliver()
    const refused = async (patch: unknown, field: string) =>
      expectError(await host.put(`${object()}/overlay`, { patch }), 400, 'validation_error', {
        fieldErrors: [{ field }],
      })
    await refused({ fields: { bad: { type: 'nothing' } } }, 'fields.bad.type')
    await refused({ displayNameField: 'nothing' }, 'displayNameField')
    await refused({ extend: 'other' }, 'patch.extend')
    await refused({ renamedFrom: 'other' }, 'patch.renamedFrom')
    await refused({ fields: null }, 'fields')
    // A package that takes away what an overlay builds on is refused until the overlay is changed.
    await host.put(`${object()}/overlay`, { patch: { displayNameField: 'title' } })
    expectError(await deliver({ fields: { other: { type: 'text' } } }), 400, 'validation_error', {
      fieldErrors: [{ field: 'displayNameField' }],
    })
  })

  it('is written and reset by the field', async () => {
    await deliver()
    const field = `/meta/field/${name}.title`
    expect((await host.get(`${field}/overlay`)).body.data).toBeNull()
    const { body } = await host.put(`${field}/overlay`, { patch: { label: 'Headline' } })
    expect(body.data).toMatchObject({
      baseType: 'field',
      baseName: `${name}.title`,
      patch: { label: 'Headline' },
      changes: [{ path: '/label', currentValue: 'Headline' }],
    })
    expect((await host.get(`${object()}/overlay`)).body.data.patch).toEqual({
      fields: { title: { label: 'Headline' } },
    })
    expectError(await host.put(`${field}/overlay`, { patch: {}, active: false }), 400, 'validation_error')
    await host.put(field, { type: 'text', label: 'Title', help: 'Short.' })
    expect((await host.get(`${field}/overlay`)).body.data.patch).toEqual({ label: 'Title', help: 'Short.' })
    expect((await host.get(`${field}/layers`)).body.data).toMatchObject({
      base: { type: 'text' },
      platform: { label: 'Title' },
      effective: { label: 'Title' },
    })
    expect((await host.delete(field)).body).toMatchObject({ deleted: false, reset: true })
    expect((await host.get(`${object()}/overlay`)).body.data).toBeNull()
    expectError(await host.delete(field), 403, 'item_locked')
    await host.put(`/meta/field/${name}.extra`, { type: 'number' })
    expect((await host.delete(`/meta/field/${name}.extra?confirm=true`)).body).toMatchObject({ deleted: true })
    expectError(await host.get(`/meta/field/${name}.nothing/overlay`), 404, 'resource_not_found')
  })

  it('follows a rename of the object and of what it refers to', async () => {
    await put(item())
    const other = `${name}_other`
    await host.put(`/meta/object/${other}`, { fields: { label: { type: 'text' } } })
    await host.put(`/meta/object/${other}/overlay`, {
      patch: { fields: { thing: { type: 'lookup', reference: name } } },
    })
    await host.put(`${object()}/overlay`, { patch: { label: 'Ours' } })
    const whole = await read(object())
    await host.put(`/meta/object/${name}_new`, { ...whole, name: `${name}_new`, renamedFrom: name })
    expect((await read(`/meta/object/${name}_new`)).label).toBe('Ours')
    expect((await host.get(`/meta/object/${name}_new/overlay`)).body.data).toMatchObject({ patch: { label: 'Ours' } })
    expect((await read(`/meta/object/${other}`)).fields.thing.reference).toBe(`${name}_new`)
  })
})
