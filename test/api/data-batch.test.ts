// Bulk writes: specification "Batch response", D-63 to D-65.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('item', {
    name: { type: 'text', required: true },
    sku: { type: 'text', externalId: true },
    slug: { type: 'text', unique: true },
    number: { type: 'autonumber', autonumberFormat: '{0}' },
  })
})

afterAll(() => host.stop())
beforeEach(() => {
  host.takeEvents()
})

const total = async () => (await host.get('/data/item?count=true&top=1')).body.total as number
const create = async (data: Record<string, unknown>) => (await host.post('/data/item', data)).body
const batch = (operation: string, records: unknown, options?: unknown) =>
  host.post('/data/item/batch', { operation, records, ...(options === undefined ? {} : { options }) })

describe('POST /data/:object/batch', () => {
  it('answers 200 with one result per record in request order', async () => {
    const { status, body } = await batch('create', [{ data: { name: 'a' } }, { data: { name: 'b' } }])
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, operation: 'create', total: 2, succeeded: 2, failed: 0 })
    expect(body.results.map((r: { index: number }) => r.index)).toEqual([0, 1])
    expect(body.results.every((r: { id?: string; operation: string }) => r.id && r.operation === 'create')).toBe(true)
    expect(body.results[0]).not.toHaveProperty('record')
    expect(body).not.toHaveProperty('error')
  })

  it('carries records with returnRecords', async () => {
    const { body } = await batch('create', [{ data: { name: 'r' } }], { returnRecords: true })
    expect(body.results[0].record).toMatchObject({ id: body.results[0].id, name: 'r' })
  })

  it('rolls everything back when one record of an atomic batch fails, and no event leaves', async () => {
    const before = await total()
    const { status, body } = await batch('create', [{ data: { name: 'ok' } }, { data: {} }, { data: { name: 'late' } }])
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: false, total: 3, succeeded: 0, failed: 3 })
    expect(body.results[0]).toMatchObject({ success: false, rolledBack: true })
    expect(body.results[0]).not.toHaveProperty('errors')
    expect(body.results[1].errors[0]).toMatchObject({
      code: 'validation_error',
      httpStatus: 400,
      category: 'validation',
      retryable: false,
    })
    expect(body.results[2]).toMatchObject({ success: false, skipped: true })
    expect(body.error).toMatchObject({ code: 'validation_error', details: { index: 1 } })
    expect(await total()).toBe(before)
    expect(host.takeEvents()).toEqual([])
  })

  it('still checks the rest of an atomic batch with continueOnError', async () => {
    const before = await total()
    const { body } = await batch('create', [{ data: {} }, { data: { name: 'fine' } }, { data: { name: 7 } }], {
      continueOnError: true,
    })
    expect(body).toMatchObject({ succeeded: 0, failed: 3 })
    expect(body.results[1]).toMatchObject({ rolledBack: true })
    expect(body.results[2].errors[0].details.fieldErrors).toMatchObject([{ field: 'name', code: 'invalid_type' }])
    expect(await total()).toBe(before)
  })

  it('keeps what worked before the first failure when not atomic, and skips the rest', async () => {
    const before = await total()
    const { body } = await batch('create', [{ data: { name: 'kept' } }, { data: {} }, { data: { name: 'never' } }], {
      atomic: false,
    })
    expect(body).toMatchObject({ success: false, total: 3, succeeded: 1 })
    expect(body.results[0].success).toBe(true)
    expect(body.results[2]).toMatchObject({ skipped: true })
    expect(await total()).toBe(before + 1)
  })

  it('goes on after failures when not atomic with continueOnError', async () => {
    const before = await total()
    const { body } = await batch('create', [{ data: {} }, { data: { name: 'x' } }], {
      atomic: false,
      continueOnError: true,
    })
    expect(body).toMatchObject({ success: false, succeeded: 1, failed: 1 })
    expect(await total()).toBe(before + 1)
  })

  it('writes nothing with validateOnly: no record, no id, no number, no event', async () => {
    const before = await total()
    const numberBefore = Number((await create({ name: 'n' })).record.number)
    host.takeEvents()
    const { body } = await batch('create', [{ data: { name: 'v' } }, { data: {} }], {
      validateOnly: true,
      continueOnError: true,
      atomic: false,
    })
    expect(body).toMatchObject({ success: false, succeeded: 1, failed: 1, meta: { validateOnly: true } })
    expect(body.results[0]).not.toHaveProperty('id')
    expect(host.takeEvents()).toEqual([])
    expect(await total()).toBe(before + 1)
    expect(Number((await create({ name: 'n' })).record.number)).toBe(numberBefore + 1)
  })

  it('sees unique values inside the request', async () => {
    const { body } = await batch('create', [{ data: { name: 'a', slug: 's' } }, { data: { name: 'b', slug: 's' } }])
    expect(body.success).toBe(false)
    expect(body.results[1].errors[0]).toMatchObject({ code: 'conflict' })
  })

  it('updates and deletes by id with expectedVersion', async () => {
    const one = await create({ name: 'one' })
    const updated = await batch(
      'update',
      [{ id: one.id, data: { name: 'uno' }, expectedVersion: one.record.updated_at }],
      { returnRecords: true },
    )
    expect(updated.body.results[0]).toMatchObject({ success: true, operation: 'update', record: { name: 'uno' } })
    const stale = await batch('delete', [{ id: one.id, expectedVersion: one.record.updated_at }])
    expect(stale.body.results[0].errors[0].code).toBe('CONCURRENT_UPDATE')
    const deleted = await batch('delete', [{ id: one.id }])
    expect(deleted.body.results[0]).toMatchObject({ success: true, operation: 'delete', id: one.id })
    expect((await host.get(`/data/item/${one.id}`)).status).toBe(404)
  })

  it('reports an unknown id as resource_not_found of that record', async () => {
    const { body } = await batch('update', [{ id: '01900000-0000-7000-8000-000000000000', data: { name: 'x' } }])
    expect(body.results[0].errors[0].code).toBe('resource_not_found')
  })

  it('upserts by id, by external id and by a named unique field', async () => {
    const made = await batch('upsert', [{ externalId: 'A-1', data: { name: 'first' } }], { returnRecords: true })
    expect(made.body.results[0]).toMatchObject({ operation: 'create', record: { sku: 'A-1', name: 'first' } })
    const again = await batch('upsert', [{ externalId: 'A-1', data: { name: 'second' } }], { returnRecords: true })
    expect(again.body.results[0]).toMatchObject({
      operation: 'update',
      id: made.body.results[0].id,
      record: { name: 'second' },
    })
    const bySlug = await batch('upsert', [{ externalId: { field: 'slug', value: 'z' }, data: { name: 'slug' } }], {
      returnRecords: true,
    })
    expect(bySlug.body.results[0]).toMatchObject({ operation: 'create', record: { slug: 'z' } })
    const id = '0190bbbb-0000-7000-8000-000000000001'
    expect((await batch('upsert', [{ id, data: { name: 'own id' } }])).body.results[0]).toMatchObject({
      operation: 'create',
      id,
    })
    expect((await batch('upsert', [{ id, data: { name: 'own id 2' } }])).body.results[0]).toMatchObject({
      operation: 'update',
      id,
    })
  })

  it('restores and updates a deleted match of an upsert', async () => {
    const made = (await batch('upsert', [{ externalId: 'DEL', data: { name: 'x' } }])).body.results[0]
    await host.delete(`/data/item/${made.id}`)
    const back = (await batch('upsert', [{ externalId: 'DEL', data: { name: 'y' } }], { returnRecords: true })).body
      .results[0]
    expect(back).toMatchObject({ id: made.id, operation: 'update', record: { name: 'y' } })
    expect((await host.get(`/data/item/${made.id}`)).status).toBe(200)
  })

  it('refuses malformed requests with validation_error', async () => {
    expect((await batch('create', [])).body.error.details.fieldErrors).toMatchObject([{ code: 'min_items' }])
    const many = await batch(
      'create',
      Array.from({ length: 1001 }, () => ({ data: { name: 'x' } })),
    )
    expect(many.status).toBe(400)
    expect(many.body.error.details).toMatchObject({ limit: 1000, received: 1001, fieldErrors: [{ code: 'max_items' }] })
    expect((await host.post('/data/item/batch', { records: [{ data: {} }] })).status).toBe(400)
    expect((await batch('replace', [{ data: {} }])).status).toBe(400)
    const one = await create({ name: 'twice' })
    expect((await batch('delete', [{ id: one.id }, { id: one.id }])).status).toBe(400)
  })

  it('takes 1,000 records', async () => {
    const { body } = await batch(
      'create',
      Array.from({ length: 1000 }, (_, i) => ({ data: { name: `n${i}` } })),
    )
    expect(body).toMatchObject({ success: true, succeeded: 1000 })
  })
})

describe('POST /data/:object/createMany', () => {
  it('answers 201 with records and count; a bare array is accepted', async () => {
    const answer = await host.post('/data/item/createMany', { records: [{ name: 'a' }, { name: 'b' }] })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ object: 'item', count: 2, records: [{ name: 'a' }, { name: 'b' }] })
    expect((await host.post('/data/item/createMany', [{ name: 'c' }])).body.count).toBe(1)
  })

  it('creates all or nothing and names every failing record (D-65)', async () => {
    const before = await total()
    const answer = await host.post('/data/item/createMany', { records: [{ name: 'a' }, {}, { name: 5 }] })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({
      code: 'validation_error',
      details: { index: 1, fieldErrors: [{ field: 'name', code: 'required' }] },
    })
    expect(answer.body.error.details.failures.map((f: { index: number }) => f.index)).toEqual([1, 2])
    expect(await total()).toBe(before)
  })

  it('refuses more than 1,000 records', async () => {
    const answer = await host.post('/data/item/createMany', {
      records: Array.from({ length: 1001 }, () => ({ name: 'x' })),
    })
    expect(answer.body.error.details).toMatchObject({ limit: 1000, received: 1001 })
  })
})

describe('POST /data/:object/updateMany and deleteMany', () => {
  it('change many records with the batch response', async () => {
    const made = (await host.post('/data/item/createMany', [{ name: 'a' }, { name: 'b' }])).body.records as {
      id: string
    }[]
    const updated = await host.post('/data/item/updateMany', {
      records: made.map(({ id }) => ({ id, data: { name: 'z' } })),
    })
    expect(updated.body).toMatchObject({ success: true, operation: 'update', succeeded: 2 })
    const deleted = await host.post('/data/item/deleteMany', { ids: made.map(({ id }) => id) })
    expect(deleted.body).toMatchObject({ success: true, operation: 'delete', succeeded: 2 })
  })

  it('are atomic by default and honour the options', async () => {
    const made = await create({ name: 'stay' })
    const missing = '01900000-0000-7000-8000-000000000000'
    const rolled = await host.post('/data/item/deleteMany', { ids: [made.id, missing] })
    expect(rolled.body).toMatchObject({ success: false, succeeded: 0, failed: 2 })
    expect((await host.get(`/data/item/${made.id}`)).status).toBe(200)
    const partial = await host.post('/data/item/deleteMany', { ids: [made.id, missing], options: { atomic: false } })
    expect(partial.body).toMatchObject({ succeeded: 1 })
  })

  it('answer deleted records as they were with returnRecords (D-63)', async () => {
    const [first, second, third] = await Promise.all(['a', 'b', 'c'].map((name) => create({ name })))
    const options = { returnRecords: true }
    const many = await host.post('/data/item/deleteMany', { ids: [first!.id, second!.id], options })
    const shown = (answer: { body: { results: { record?: { id: string; name: string } }[] } }) =>
      answer.body.results.map(({ record }) => [record?.id, record?.name])
    expect(shown(many)).toEqual([
      [first!.id, 'a'],
      [second!.id, 'b'],
    ])
    expect(many.body.results[0].record).not.toHaveProperty('deleted_at')
    const tried = { operation: 'delete', records: [{ id: third!.id }], options: { ...options, validateOnly: true } }
    expect(shown(await host.post('/data/item/batch', tried))).toEqual([[third!.id, 'c']])
  })

  it('refuse ids named twice and empty lists', async () => {
    const made = await create({ name: 'x' })
    expect((await host.post('/data/item/deleteMany', { ids: [made.id, made.id] })).status).toBe(400)
    const id = '01900000-0000-7000-8000-0000000000f1'
    const created = await host.post('/data/item/batch', {
      operation: 'create',
      records: [{ id, data: { name: 'a' } }, { data: { id: id.toUpperCase(), name: 'b' } }],
    })
    expect([created.status, created.body.error.details.fieldErrors[0].code]).toEqual([400, 'duplicate_value'])
    const none = await host.post('/data/item/deleteMany', { ids: [] })
    expect(none.body.error.details.fieldErrors).toMatchObject([{ field: 'ids', code: 'min_items' }])
    const many = await host.post('/data/item/deleteMany', { ids: Array.from({ length: 1_001 }, () => made.id) })
    expect(many.body.error.details).toMatchObject({
      limit: 1_000,
      received: 1_001,
      fieldErrors: [{ field: 'ids', code: 'max_items' }],
    })
    const twice = await host.post('/data/item/deleteMany', { ids: [made.id, made.id] })
    expect(twice.body.error.details.fieldErrors).toMatchObject([{ field: 'ids.1', code: 'duplicate_value' }])
    expect(
      (
        await host.post('/data/item/updateMany', {
          records: [
            { id: made.id, data: {} },
            { id: made.id, data: {} },
          ],
        })
      ).status,
    ).toBe(400)
  })
})

describe('the option maxBatchRecords', () => {
  it('lowers the bound of every bulk operation', async () => {
    await host.patch('/settings', { maxBatchRecords: 2 })
    const answer = await host.post('/data/item/createMany', [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    expect(answer.body.error.details).toMatchObject({ limit: 2, received: 3 })
    await host.patch('/settings', { maxBatchRecords: 1000 })
  })
})
