// Object extensions: `object` items with `extend` (D-92).
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

/** An extension of the object of the test. */
const extend = (key: string, more: Record<string, unknown>, query = '') =>
  host.put(`/meta/object/${name}_${key}${query}`, { extend: name, ...more })
const fieldsOf = async () => Object.keys((await host.get(`/meta/object/${name}`)).body.item.fields)

describe('an object extension', () => {
  beforeEach(async () => {
    await put(item())
    await host.post(`/data/${name}`, { title: 'one' })
  })

  it('adds fields, rules, indexes and labels to the object and columns to its table', async () => {
    const answer = await extend('crm', {
      label: 'Customer thing',
      fields: { score: { type: 'number', defaultValue: 5 }, title: { label: 'Headline' } },
      indexes: [{ fields: ['score'] }],
      validations: [
        {
          name: 'positive',
          type: 'script',
          condition: 'record.score < 0',
          message: 'No.',
          events: ['insert', 'update'],
        },
      ],
    })
    expect(answer.body).toMatchObject({ success: true, version: 1, plan: expect.any(Array) })
    expect(answer.body.plan.map((step: { change: string }) => step.change)).toEqual(
      expect.arrayContaining(['add_field', 'add_index']),
    )
    const { body } = await host.get(`/meta/object/${name}`)
    expect(body.item).toMatchObject({
      label: 'Customer thing',
      fields: { title: { type: 'text', label: 'Headline' }, score: { type: 'number' } },
      indexes: [{ fields: ['score'] }],
      validations: [{ name: 'positive' }],
    })
    const { body: list } = await host.get(`/data/${name}?filter=${encodeURIComponent('{"score":5}')}`)
    expect(list.records).toMatchObject([{ title: 'one', score: 5 }])
    expect((await host.post(`/data/${name}`, { title: 'two', score: 7 })).body.record).toMatchObject({ score: 7 })
    expect((await host.get(`/meta/field/${name}.score`)).body.item).toMatchObject({ object: name, type: 'number' })
    expectError(await host.get(`/data/${name}_crm`), 404, 'resource_not_found')
  })

  it('raises the version of the object and its events', async () => {
    host.takeEvents()
    await extend('crm', { fields: { score: { type: 'number' } } })
    const events = host.takeEvents().map(({ type, payload }) => [type, (payload as { name: string }).name])
    expect(events).toEqual([
      ['metadata.item.saved', `${name}_crm`],
      ['metadata.item.saved', name],
    ])
    const { body } = await host.get(`/meta/object/${name}/history`)
    expect(body.data.events.map((event: { version: number }) => event.version)).toEqual([1, 2])
  })

  it('applies in ascending priority, then by name', async () => {
    await extend('b', { priority: 300, label: 'Last', fields: { late: { type: 'text' } } })
    await extend('c', { priority: 100, label: 'First', fields: { early: { type: 'text' } } })
    await extend('a', { label: 'Middle', fields: { middle: { type: 'text' } } })
    expect(await fieldsOf()).toEqual(['title', 'early', 'middle', 'late'])
    expect((await host.get(`/meta/object/${name}`)).body.item.label).toBe('Last')
    const { body } = await host.get(`/meta/object/${name}/layers`)
    expect(body.data.base.fields).not.toHaveProperty('early')
    expect(body.data.extensions.map((one: { name: string }) => one.name)).toEqual([
      `${name}_c`,
      `${name}_a`,
      `${name}_b`,
    ])
    expect(Object.keys(body.data.effective.fields)).toEqual(['title', 'early', 'middle', 'late'])
  })

  it('is refused when it defines a field that is there, in the object or in another extension', async () => {
    expectError(await extend('a', { fields: { title: { type: 'text' } } }), 400, 'validation_error', {
      fieldErrors: [{ field: 'fields.title', code: 'duplicate_value' }],
    })
    await extend('a', { fields: { score: { type: 'number' } } })
    expectError(await extend('b', { fields: { score: { type: 'text' } } }), 400, 'validation_error', {
      fieldErrors: [{ field: 'fields.score', code: 'duplicate_value' }],
    })
    expectError(await extend('b', { priority: 1, fields: { score: { type: 'text' } } }), 400, 'validation_error', {
      fieldErrors: [{ field: 'fields.score', code: 'duplicate_value' }],
    })
    expectError(
      await put(item({ fields: { title: { type: 'text' }, score: { type: 'text' } } })),
      400,
      'validation_error',
      { fieldErrors: [{ field: 'fields.score', code: 'not_allowed' }] },
    )
    expect(await fieldsOf()).toEqual(['title', 'score'])
  })

  it('is refused with a field it neither defines nor finds, a wrong priority and no object to extend', async () => {
    expectError(await extend('a', { fields: { other: { label: 'Other' } } }), 400, 'validation_error', {
      fieldErrors: [{ field: 'fields.other', code: 'unknown_field' }],
    })
    expectError(await extend('a', { fields: { title: { required: true } } }), 400, 'validation_error', {
      fieldErrors: [{ field: 'fields.title.required', code: 'not_allowed' }],
    })
    for (const [priority, code] of [
      [-1, 'min_value'],
      [1000, 'max_value'],
      [1.5, 'invalid_number'],
      ['high', 'invalid_number'],
    ] as const) {
      expectError(await extend('a', { priority }), 400, 'validation_error', {
        fieldErrors: [{ field: 'priority', code }],
      })
    }
    expectError(await host.put(`/meta/object/${name}_a`, { extend: 'nothing' }), 400, 'validation_error', {
      fieldErrors: [{ field: 'extend', code: 'invalid_reference' }],
    })
    expectError(await host.put(`/meta/object/${name}_a`, { extend: `${name}_a` }), 400, 'validation_error')
    await extend('a', { fields: { score: { type: 'number' } } })
    expectError(await host.put(`/meta/object/${name}_b`, { extend: `${name}_a` }), 400, 'validation_error', {
      fieldErrors: [{ field: 'extend', code: 'invalid_reference' }],
    })
    expectError(await extend('b', { indexes: [{ fields: ['nothing'] }] }), 400, 'validation_error', {
      fieldErrors: [{ code: 'unknown_field' }],
    })
  })

  it('takes its fields with it, with consent, and brings its index and labels down', async () => {
    await extend('a', { label: 'Named', fields: { score: { type: 'number' } } })
    await host.post(`/data/${name}`, { title: 'two', score: 7 })
    const refused = await host.delete(`/meta/object/${name}_a`)
    expectError(refused, 409, 'destructive_change', {
      plan: [{ change: 'change_object' }, { change: 'delete_field', field: 'score' }],
    })
    const { planHash } = refused.body.error.details
    expect((await host.delete(`/meta/object/${name}_a?confirm=${planHash}`)).body).toMatchObject({ deleted: true })
    expect(await fieldsOf()).toEqual(['title'])
    expect((await host.get(`/meta/object/${name}`)).body.item.label).toBe('Thing')
    expectError(await host.get(`/data/${name}?filter=${encodeURIComponent('{"score":7}')}`), 400, 'invalid_query')
  })

  it('moves nothing into the object when the object is read and saved again', async () => {
    await extend('a', {
      label: 'Named',
      fields: { score: { type: 'number' }, title: { help: 'Short.' } },
      indexes: [{ fields: ['score'] }],
    })
    const { body } = await host.get(`/meta/object/${name}`)
    await put({ ...body.item, description: 'New', fields: { ...body.item.fields, extra: { type: 'text' } } })
    const { base, effective } = (await host.get(`/meta/object/${name}/layers`)).body.data
    expect(Object.keys(base.fields)).toEqual(['title', 'extra'])
    expect(base.fields.title).not.toHaveProperty('help')
    expect(base).toMatchObject({ label: 'Thing', description: 'New' })
    expect(base).not.toHaveProperty('indexes')
    expect(effective).toMatchObject({ label: 'Named', fields: { title: { help: 'Short.' } } })
    expect((await put(item({ description: 'Newer' }), {}, '?confirm=true')).status).toBe(200)
    expect(await fieldsOf()).toEqual(['title', 'score'])
  })

  it('is edited through its fields', async () => {
    await extend('a', { fields: { score: { type: 'number' } } })
    expect((await host.put(`/meta/field/${name}.score`, { type: 'number', label: 'Points' })).status).toBe(200)
    const { item: extension } = (await host.get(`/meta/object/${name}_a`)).body
    expect(extension.fields.score).toMatchObject({ type: 'number', label: 'Points' })
    expect((await host.delete(`/meta/field/${name}.score?confirm=true`)).body).toMatchObject({ deleted: true })
    expect(await fieldsOf()).toEqual(['title'])
  })

  it('has its effect while it is active or deprecated', async () => {
    await extend('a', { fields: { score: { type: 'number' } } }, '?mode=draft')
    expect(await fieldsOf()).toEqual(['title'])
    await host.post(`/meta/object/${name}_a/publish`)
    expect(await fieldsOf()).toEqual(['title', 'score'])
    await host.post(`/meta/object/${name}_a/state`, { state: 'deprecated' })
    expect(await fieldsOf()).toEqual(['title', 'score'])
    await host.post(`/data/${name}`, { title: 'two', score: 7 })
    expectError(await host.post(`/meta/object/${name}_a/state`, { state: 'archived' }), 409, 'destructive_change')
    expect((await host.post(`/meta/object/${name}_a/state?confirm=true`, { state: 'archived' })).status).toBe(200)
    expect(await fieldsOf()).toEqual(['title'])
  })

  it('follows a rename of the object', async () => {
    await extend('a', { fields: { score: { type: 'number' } } })
    const { item: whole } = (await host.get(`/meta/object/${name}`)).body
    const renamed = await host.put(`/meta/object/${name}_new`, { ...whole, name: `${name}_new`, renamedFrom: name })
    expect(renamed.status).toBe(200)
    expect((await host.get(`/meta/object/${name}_a`)).body.item.extend).toBe(`${name}_new`)
    expect((await host.post(`/data/${name}_new`, { title: 'two', score: 7 })).body.record).toMatchObject({ score: 7 })
  })

  it('travels with its object, whatever their names', async () => {
    await host.put(`/meta/object/a_${name}`, { extend: name, fields: { score: { type: 'number' } } })
    await host.put(`/meta/object/${name}/overlay`, { patch: { fields: { score: { label: 'Points' } } } })
    const { content } = (await host.post('/meta/export', { types: ['object'], format: 'json' })).body.data
    const other = await createTestHost()
    const { data } = (await other.post('/meta/import', { data: content, conflictResolution: 'skip' })).body
    expect(data).toMatchObject({ imported: content.items.length + content.overlays.length, failed: 0 })
    const { body } = await other.get(`/meta/object/${name}`)
    expect(body.item.fields).toMatchObject({ title: { type: 'text' }, score: { type: 'number', label: 'Points' } })
    expect((await other.post(`/data/${name}`, { title: 'one', score: 5 })).status).toBe(201)
    await other.stop()
  })

  it('survives a restart', async () => {
    await extend('a', { fields: { score: { type: 'number' } } })
    const { etag } = Object.fromEntries((await host.get(`/meta/object/${name}`)).headers)
    await host.restart()
    const { body, headers } = await host.get(`/meta/object/${name}`)
    expect(Object.keys(body.item.fields)).toEqual(['title', 'score'])
    expect(headers.get('etag')).toBe(etag)
  })
})
