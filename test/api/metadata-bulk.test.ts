// Registering and unregistering many items in one write: D-108, D-101, D-106.
import { describe, expect, it } from 'vitest'
import { expectError, host, name, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const register = async (items: unknown[], more: Record<string, unknown> = {}, query = '') => {
  const { status, body } = await host.post(`/meta/bulk/register${query}`, { items, ...more })
  expect({ status, error: body.error }).toEqual({ status: 200 })
  return body.data
}
const unregister = async (items: unknown[], more: Record<string, unknown> = {}, query = '') => {
  const { status, body } = await host.post(`/meta/bulk/unregister${query}`, { items, ...more })
  expect({ status, error: body.error }).toEqual({ status: 200 })
  return body.data
}
const page = (key: string) => ({ type: 'page', name: `${name}_${key}`, data: { label: key } })
const exists = async (type: string, key: string) => (await host.get(`/meta/${type}/${key}/exists`)).body.data.exists

describe('bulk register', () => {
  it('stores objects and what refers to them, in any order, in one write', async () => {
    const other = `${name}_other`
    host.takeEvents()
    const result = await register([
      { type: 'view', name: `${name}.all`, data: { object: name, viewKind: 'list' } },
      {
        type: 'object',
        name,
        data: { fields: { title: { type: 'text' }, other: { type: 'lookup', reference: other } } },
        namespace: 'crm',
      },
      { type: 'field', name: `${name}.due`, data: { type: 'date' } },
      { type: 'objects', name: other, data: { fields: { back: { type: 'lookup', reference: name } } } },
    ])
    expect(result).toEqual({ total: 4, succeeded: 4, failed: 0 })
    const saved = host.takeEvents().filter((event) => event.type === 'metadata.item.saved')
    expect(saved.map((event) => (event.payload as { name: string }).name)).toEqual([name, other, name, `${name}.all`])
    const { body: created } = await host.post(`/data/${other}`, {})
    expect((await host.post(`/data/${name}`, { due: '2026-01-31', other: created.id })).status).toBe(201)
    expect((await host.get(`/meta/object/${name}`)).body.item.fields).toHaveProperty('due')
  })

  it('judges rules by the objects of the same request', async () => {
    await host.put(`/meta/object/${name}`, { fields: { title: { type: 'text' } } })
    const rule = (field: string) => ({
      type: 'validation',
      name: `${name}.rule`,
      data: { object: name, type: 'script', condition: `record.${field} == null`, message: 'No.' },
    })
    const field = { type: 'field', name: `${name}.due`, data: { type: 'date' } }
    expect((await register([rule('nothing'), field])).errors).toMatchObject([{ index: 0, code: 'validation_error' }])
    expect(await register([rule('due'), field])).toEqual({ total: 2, succeeded: 2, failed: 0 })
  })

  it.each([
    ['parents first', 1],
    ['children first', -1],
  ])('stores summaries, formulas and details of each other, %s, and they count at once', async (_order, direction) => {
    const child = `${name}_line`
    const summary = { type: 'summary', summaryOperations: { object: child, function: 'sum', field: 'price' } }
    const twice = { type: 'formula', expression: 'record.total * 2', returnType: 'number' }
    const items = [
      { type: 'object', name, data: { fields: { total: summary, twice } } },
      {
        type: 'object',
        name: child,
        data: { fields: { price: { type: 'number' }, of: { type: 'master_detail', reference: name } } },
      },
      {
        type: 'validation',
        name: `${child}.positive`,
        data: { object: child, type: 'script', condition: 'record.price < 0', message: 'Never.' },
      },
    ]
    expect(await register(direction > 0 ? items : items.toReversed())).toMatchObject({ succeeded: 3, failed: 0 })
    const parent = (await host.post(`/data/${name}`, {})).body.id
    expect((await host.post(`/data/${child}`, { price: 4, of: parent })).status).toBe(201)
    expect((await host.post(`/data/${child}`, { price: -4, of: parent })).status).toBe(400)
    expect((await host.get(`/data/${name}/${parent}`)).body.record).toMatchObject({ total: 4, twice: 8 })
  })

  it('stores nothing when one fails, and names every failure with its place', async () => {
    await host.put(`/meta/page/${name}_b`, {})
    const result = await register([page('a'), page('b'), { type: 'thing', name: 'x', data: {} }, page('c')])
    expect(result).toMatchObject({
      total: 4,
      succeeded: 0,
      failed: 4,
      errors: [{ index: 2, type: 'thing', name: 'x', code: 'validation_error', error: expect.any(String) as string }],
    })
    expect(await exists('page', `${name}_a`)).toBe(false)
    const again = await register([page('a'), page('b'), { type: 'object', name, data: { fields: 1 } }])
    expect(again.errors).toMatchObject([
      { index: 1, name: `${name}_b`, code: 'conflict' },
      { index: 2, name, code: 'validation_error', details: { fieldErrors: [{ field: 'fields' }] } },
    ])
    expect(await exists('page', `${name}_a`)).toBe(false)
    expect(await exists('object', name)).toBe(false)
  })

  it('stores the others with continueOnError', async () => {
    await host.put(`/meta/page/${name}_b`, { label: 'before' })
    const items = [page('a'), page('b'), { type: 'thing', name: 'x', data: {} }, page('c'), page('c')]
    const result = await register(items, { continueOnError: true })
    expect(result).toMatchObject({
      total: 5,
      succeeded: 2,
      failed: 3,
      errors: [
        { index: 1, code: 'conflict' },
        { index: 2, code: 'validation_error' },
        { index: 4, code: 'conflict' },
      ],
    })
    expect(await exists('page', `${name}_a`)).toBe(true)
    expect((await host.get(`/meta/page/${name}_b`)).body.item.label).toBe('before')
  })

  it('leaves neither table nor row behind when it fails, so that the next try succeeds', async () => {
    const object = { type: 'object', name, data: { fields: { title: { type: 'text' } } } }
    await register([object, { type: 'view', name: `${name}.all`, data: {} }])
    expect((await host.get(`/data/${name}`)).status).toBe(404)
    expect(await register([object])).toEqual({ total: 1, succeeded: 1, failed: 0 })
  })

  it.each([
    [{ items: [] }, 'items', 'min_items'],
    [{ items: Array.from({ length: 501 }, () => ({ type: 'page', name: 'a', data: {} })) }, 'items', 'max_items'],
    [{ items: [{ type: 'page', name: 'a' }] }, 'items.0.data', 'required'],
    [{ items: [{ type: 'page', name: 'a', data: {} }], continueOnError: 'yes' }, 'continueOnError', 'invalid_boolean'],
  ])('refuses a request that is wrong in %s', async (body, field, code) => {
    expectError(await host.post('/meta/bulk/register', body), 400, 'validation_error', {
      fieldErrors: [{ field, code }],
    })
  })
})

describe('bulk unregister', () => {
  const lookup = (reference: string) => ({ fields: { other: { type: 'lookup', reference } } })

  it('removes objects that refer to each other together, with their records', async () => {
    const other = `${name}_other`
    await host.put(`/meta/object/${name}`, lookup(other))
    await host.put(`/meta/object/${other}`, lookup(name))
    await host.put(`/meta/view/${name}.all`, { object: name, viewKind: 'list' })
    for (const one of [name, other]) await host.post(`/data/${one}`, {})
    const items = [name, other].map((one) => ({ type: 'object', name: one }))
    const refused = await unregister(items)
    expect(refused).toMatchObject({
      succeeded: 0,
      failed: 2,
      errors: [{ code: 'destructive_change' }, { code: 'destructive_change' }],
    })
    expect(await exists('object', other)).toBe(true)
    expect(await unregister(items, {}, '?confirm=true')).toEqual({ total: 2, succeeded: 2, failed: 0 })
    expect(await exists('object', name)).toBe(false)
    expect(await exists('view', `${name}.all`)).toBe(false)
    expect((await host.get(`/data/${name}`)).status).toBe(404)
  })

  it('keeps what something else needs unless force says so', async () => {
    await host.put(`/meta/object/${name}`, lookup('any'))
    await host.put(`/meta/object/${name}_other`, lookup(name))
    const items = [{ type: 'object', name }]
    expect((await unregister(items, {}, '?confirm=true')).errors).toMatchObject([
      { index: 0, code: 'delete_restricted' },
    ])
    expect(await unregister(items, {}, '?confirm=true&force=true')).toMatchObject({ succeeded: 1, failed: 0 })
  })

  it('removes nothing when one is not there, the others with continueOnError', async () => {
    await host.put(`/meta/page/${name}`, {})
    const items = [
      { type: 'page', name },
      { type: 'page', name: 'nowhere' },
    ]
    expect(await unregister(items)).toMatchObject({
      total: 2,
      succeeded: 0,
      failed: 2,
      errors: [{ index: 1, type: 'page', name: 'nowhere', code: 'resource_not_found' }],
    })
    expect(await exists('page', name)).toBe(true)
    expect(await unregister(items, { continueOnError: true })).toMatchObject({ succeeded: 1, failed: 1 })
    expect(await exists('page', name)).toBe(false)
  })
})
