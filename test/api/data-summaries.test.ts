// Summary fields over HTTP (D-94): kept with every write of a child, equal to what the children say at any time.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

const over = (fn: string, field?: string, filter?: unknown) => ({
  type: 'summary',
  summaryOperations: {
    object: 'line',
    function: fn,
    ...(field === undefined ? {} : { field }),
    ...(filter === undefined ? {} : { filter }),
  },
})

const orderFields = {
  name: { type: 'text' },
  customer: { type: 'lookup', reference: 'customer' },
  lines: over('count'),
  total: over('sum', 'amount'),
  weight: over('sum', 'weight'),
  least: over('min', 'weight'),
  most: over('max', 'weight'),
  mean: over('avg', 'weight'),
  paid: over('sum', 'amount', { paid: true }),
  open_lines: over('count', undefined, { $or: [{ paid: false }, { weight: { $gt: 50 } }] }),
  taxed: { type: 'formula', returnType: 'number', expression: 'record.total * 2.0' },
}

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('customer', {
    name: { type: 'text' },
    orders: { type: 'summary', summaryOperations: { object: 'order', function: 'count' } },
    turnover: { type: 'summary', summaryOperations: { object: 'order', function: 'sum', field: 'total' } },
    best: { type: 'summary', summaryOperations: { object: 'order', function: 'max', field: 'total' } },
  })
  await host.defineObject('order', orderFields)
  await host.defineObject('line', {
    order: { type: 'lookup', reference: 'order' },
    amount: { type: 'currency' },
    weight: { type: 'number' },
    paid: { type: 'boolean', required: true },
  })
  // Summaries that name an object or a field made after them begin when those exist.
  await host.defineObject('order', { ...orderFields, note: { type: 'text' } })
  await host.defineObject('customer', {
    name: { type: 'text' },
    note: { type: 'text' },
    orders: { type: 'summary', summaryOperations: { object: 'order', function: 'count' } },
    turnover: { type: 'summary', summaryOperations: { object: 'order', function: 'sum', field: 'total' } },
    best: { type: 'summary', summaryOperations: { object: 'order', function: 'max', field: 'total' } },
  })
})

afterAll(() => host.stop())

const create = async (object: string, data: unknown): Promise<string> => {
  const { status, body } = await host.post(`/data/${object}`, data)
  expect(status).toBe(201)
  return body.id
}

const order = async (id: string) => (await host.get(`/data/order/${id}`)).body.record

describe('a summary field', () => {
  it('begins with 0 for count and sum and with null for the others', async () => {
    const id = await create('order', { name: 'new' })
    expect(await order(id)).toMatchObject({
      lines: 0,
      total: 0,
      paid: 0,
      least: null,
      most: null,
      mean: null,
      taxed: 0,
    })
  })

  it('follows create, update, re-parenting, delete, restore and purge of children', async () => {
    const a = await create('order', { name: 'a' })
    const b = await create('order', { name: 'b' })
    const first = await create('line', { order: a, amount: 0.1, weight: 5, paid: true })
    const second = await create('line', { order: a, amount: 0.2, weight: 7 })
    expect(await order(a)).toMatchObject({ lines: 2, total: 0.3, paid: 0.1, least: 5, most: 7, mean: 6, taxed: 0.6 })
    await host.patch(`/data/line/${second}`, { amount: 1.2, paid: true })
    expect(await order(a)).toMatchObject({ lines: 2, total: 1.3, paid: 1.3 })
    await host.patch(`/data/line/${second}`, { order: b })
    expect(await order(a)).toMatchObject({ lines: 1, total: 0.1, least: 5, most: 5 })
    expect(await order(b)).toMatchObject({ lines: 1, total: 1.2, least: 7, most: 7 })
    await host.delete(`/data/line/${first}`)
    expect(await order(a)).toMatchObject({ lines: 0, total: 0, least: null, most: null, mean: null })
    await host.post(`/data/line/${first}/restore`)
    expect(await order(a)).toMatchObject({ lines: 1, total: 0.1, least: 5 })
    await host.delete(`/data/line/${first}?purge=true`)
    expect(await order(a)).toMatchObject({ lines: 0, total: 0, least: null })
  })

  it('reaches grandparents in the same write', async () => {
    const customer = await create('customer', { name: 'c' })
    const one = await create('order', { customer })
    const two = await create('order', { customer })
    await create('line', { order: one, amount: 10 })
    await create('line', { order: two, amount: 32.5 })
    const { record } = (await host.get(`/data/customer/${customer}`)).body
    expect(record).toMatchObject({ orders: 2, turnover: 42.5, best: 32.5 })
  })

  it('is an update by the system: a higher version and record.updated, with the last editor kept', async () => {
    const id = await create('order', { name: 'v' })
    const before = await order(id)
    host.takeEvents()
    await create('line', { order: id, amount: 3 })
    const after = await order(id)
    expect(after.updated_at > before.updated_at).toBe(true)
    expect(after.updated_by).toBe(before.updated_by)
    const updated = host.takeEvents().filter((event) => event.type === 'record.updated')
    expect(updated.map((event) => [event.object, event.recordId, event.actor.type])).toEqual([['order', id, 'system']])
    const changes = (updated[0]!.payload as { changes: Record<string, unknown> }).changes
    expect(changes).toMatchObject({ lines: { old: 0, new: 1 }, total: { old: 0, new: 3 }, taxed: { old: 0, new: 6 } })
  })

  it('raises no event when its value stays the same', async () => {
    const id = await create('order', {})
    const line = await create('line', { order: id, amount: 3, weight: 2 })
    const { updated_at: version } = await order(id)
    host.takeEvents()
    await host.patch(`/data/line/${line}`, { paid: true, amount: 0 })
    await host.patch(`/data/line/${line}`, { weight: 2 })
    expect((await order(id)).updated_at > version).toBe(true)
    const of = host.takeEvents().filter((event) => event.object === 'order')
    expect(of).toHaveLength(1)
  })

  it('is written once for a batch of children, and the batch that names parent and child answers the settled parent', async () => {
    const id = await create('order', {})
    host.takeEvents()
    const records = Array.from({ length: 50 }, (_, at) => ({ order: id, amount: at, weight: at }))
    expect((await host.post('/data/line/createMany', { records })).status).toBe(201)
    expect(await order(id)).toMatchObject({ lines: 50, total: 1225, least: 0, most: 49 })
    expect(host.takeEvents().filter((event) => event.object === 'order')).toHaveLength(1)
    const { body } = await host.post('/batch', {
      operations: [
        { object: 'order', action: 'create', data: { name: 'both' } },
        { object: 'line', action: 'create', data: { order: { $ref: 0 }, amount: 12 } },
      ],
      options: { returnRecords: true },
    })
    expect(body.results[0].record).toMatchObject({ lines: 1, total: 12 })
    expect(body.results[0].record).toEqual(await order(body.results[0].id))
  })

  it('follows an import', async () => {
    const id = await create('order', {})
    const rows = [
      { order: id, amount: 1.25 },
      { order: id, amount: 2.5 },
      { order: id, amount: 'x' },
    ]
    expect((await host.post('/data/line/import', { rows })).body).toMatchObject({ created: 2, failed: 1 })
    expect(await order(id)).toMatchObject({ lines: 2, total: 3.75 })
  })

  it('leaves nothing behind of a batch that is rolled back', async () => {
    const id = await create('order', {})
    const before = await order(id)
    const records = [{ data: { order: id, amount: 5 } }, { data: { order: id, amount: 'five' } }]
    const { body } = await host.post('/data/line/batch', { operation: 'create', records })
    expect(body.success).toBe(false)
    expect(await order(id)).toEqual(before)
    const partly = await host.post('/data/line/batch', {
      operation: 'create',
      records: [...records, { data: { order: id, amount: 7 } }],
      options: { atomic: false, continueOnError: true },
    })
    expect(partly.body.succeeded).toBe(2)
    expect(await order(id)).toMatchObject({ lines: 2, total: 12 })
  })

  it('is right again after its record came back from the trash', async () => {
    const id = await create('order', {})
    const line = await create('line', { order: id, amount: 5 })
    await host.delete(`/data/order/${id}`)
    await host.patch(`/data/line/${line}`, { amount: 9 })
    const restored = await host.post(`/data/order/${id}/restore`)
    expect(restored.body.record).toMatchObject({ lines: 1, total: 9 })
    expect(restored.body.record).toEqual(await order(id))
  })

  it('counts once what came back before its record in one batch', async () => {
    const id = await create('order', {})
    const line = await create('line', { order: id, amount: 5 })
    await host.delete(`/data/line/${line}`)
    await host.delete(`/data/order/${id}`)
    const operations = [
      { object: 'line', action: 'upsert', id: line, data: { amount: 7 } },
      { object: 'order', action: 'upsert', id, data: { name: 'back' } },
    ]
    expect((await host.post('/batch', { operations })).body).toMatchObject({ succeeded: 2 })
    expect(await order(id)).toMatchObject({ lines: 1, total: 7 })
  })

  it('cannot be written; the value in a body is dropped', async () => {
    const id = await create('order', { total: 99 })
    expect((await host.patch(`/data/order/${id}`, { total: 77, name: 'x' })).body.record).toMatchObject({ total: 0 })
  })
})

describe('a definition of a summary', () => {
  const save = (name: string, fields: Record<string, unknown>) =>
    host.put(`/meta/object/${name}`, { type: 'object', name, item: { name, fields } })
  const summary = (operations: Record<string, unknown>) => ({ type: 'summary', summaryOperations: operations })

  it('is refused when it cannot be kept: text, no relation, other objects in the filter, unknown fields, itself', async () => {
    await host.defineObject('leaf', {
      name: { type: 'text' },
      points: { type: 'number' },
      tree: { type: 'lookup', reference: 'tree' },
      customer: { type: 'lookup', reference: 'customer' },
    })
    await host.defineObject('tree', { name: { type: 'text' } })
    const refused = async (operations: Record<string, unknown>): Promise<unknown> => {
      const { status, body } = await save('tree', {
        name: { type: 'text' },
        s: summary({ object: 'leaf', ...operations }),
      })
      return [status, body.error?.details.fieldErrors.map((entry: { field: string }) => entry.field)]
    }
    expect(await refused({ function: 'sum', field: 'name' })).toEqual([400, ['fields.s.summaryOperations.field']])
    for (const relationField of ['points', 'customer'])
      expect(await refused({ function: 'count', relationField })).toEqual([
        400,
        ['fields.s.summaryOperations.relationField'],
      ])
    for (const filter of [{ nope: 1 }, { 'customer.name': 'x' }, { $search: 'x' }, { points: { $nope: 1 } }])
      expect(await refused({ function: 'count', filter })).toEqual([400, ['fields.s.summaryOperations.filter']])
    await host.defineObject('ring_a', { v: { type: 'number' }, b: { type: 'lookup', reference: 'ring_b' } })
    await host.defineObject('ring_b', {
      a: { type: 'lookup', reference: 'ring_a' },
      sum: summary({ object: 'ring_a', function: 'sum', field: 'v' }),
    })
    const ring = await save('ring_a', {
      b: { type: 'lookup', reference: 'ring_b' },
      v: summary({ object: 'ring_b', function: 'sum', field: 'sum' }),
    })
    expect([ring.status, ring.body.error.details.fieldErrors?.[0].field]).toEqual([
      400,
      'fields.v.summaryOperations.field',
    ])
  })

  it('fills the records there are when it is added or changed, without a new version', async () => {
    await host.defineObject('bag', { name: { type: 'text' } })
    await host.defineObject('stone', { grams: { type: 'number', scale: 1 }, bag: { type: 'lookup', reference: 'bag' } })
    const bag = (await host.post('/data/bag', { name: 'b' })).body.record
    const empty = (await host.post('/data/bag', { name: 'e' })).body.record
    await host.post('/data/stone/createMany', { records: [1.1, 2.2, 30].map((grams) => ({ grams, bag: bag.id })) })
    const read = async (id: string) => (await host.get(`/data/bag/${id}`)).body.record
    const define = (operations: Record<string, unknown>) =>
      host.defineObject('bag', {
        name: { type: 'text' },
        s: summary({ object: 'stone', ...operations }),
        double: { type: 'formula', returnType: 'number', expression: 'record.s * 2.0' },
      })
    await define({ function: 'sum', field: 'grams' })
    expect(await read(bag.id)).toMatchObject({ s: 33.3, double: 66.6, updated_at: bag.updated_at })
    expect(await read(empty.id)).toMatchObject({ s: 0, double: 0 })
    await define({ function: 'count', filter: { grams: { $gt: 2 } } })
    expect(await read(bag.id)).toMatchObject({ s: 2, double: 4 })
    expect((await host.get('/data/bag?filter={"double":4}')).body.records).toHaveLength(1)
    await host.post('/data/stone', { grams: 5, bag: bag.id })
    expect(await read(bag.id)).toMatchObject({ s: 3, double: 6 })
  })
})

describe('summaries over a tree', () => {
  it('are filled to the root when they are added to records that are there', async () => {
    const plain = {
      own: { type: 'number', scale: 0 },
      parent: { type: 'tree' },
      site: { type: 'lookup', reference: 'site' },
    }
    await host.defineObject('site', { name: { type: 'text' } })
    await host.defineObject('branch', plain)
    await host.defineObject('site', {
      name: { type: 'text' },
      all: { type: 'summary', summaryOperations: { object: 'branch', function: 'max', field: 'own' } },
    })
    const site = await create('site', {})
    const ids: string[] = []
    for (let level = 0; level < 6; level += 1)
      ids.push(await create('branch', { own: 2, site, ...(level === 0 ? {} : { parent: ids[level - 1] }) }))
    const full = (expression: string) => ({
      ...plain,
      below: { type: 'summary', summaryOperations: { object: 'branch', function: 'sum', field: 'total' } },
      total: { type: 'formula', returnType: 'number', expression },
    })
    await host.defineObject('branch', full('record.own + record.below'))
    await host.defineObject('site', {
      name: { type: 'text' },
      all: { type: 'summary', summaryOperations: { object: 'branch', function: 'max', field: 'total' } },
    })
    const read = async (object: string, id: string) => (await host.get(`/data/${object}/${id}`)).body.record
    expect([(await read('branch', ids[0]!)).total, (await read('site', site)).all]).toEqual([12, 12])
    // The formula alone changes; what other objects make of it follows.
    await host.defineObject('branch', full('10.0 * record.own + record.below'))
    expect([(await read('branch', ids[0]!)).total, (await read('site', site)).all]).toEqual([120, 120])
  })

  it('roll up from the leaves to the root, also after a branch has moved', async () => {
    await host.defineObject('node', {
      own: { type: 'number', scale: 0 },
      parent: { type: 'tree' },
      below: { type: 'summary', summaryOperations: { object: 'node', function: 'sum', field: 'total' } },
      total: { type: 'formula', returnType: 'number', expression: 'record.own + record.below' },
    })
    const ids: string[] = []
    for (let level = 0; level < 15; level += 1)
      ids.push(await create('node', { own: 1, ...(level === 0 ? {} : { parent: ids[level - 1] }) }))
    const total = async (id: string): Promise<number> => (await host.get(`/data/node/${id}`)).body.record.total
    expect([await total(ids[0]!), await total(ids[14]!)]).toEqual([15, 1])
    const other = await create('node', { own: 100 })
    await host.patch(`/data/node/${ids[10]}`, { parent: other })
    expect([await total(ids[0]!), await total(other)]).toEqual([10, 105])
    await host.patch(`/data/node/${ids[14]}`, { own: 6 })
    expect(await total(other)).toBe(110)
    await host.delete(`/data/node/${ids[9]}`)
    expect(await total(ids[0]!)).toBe(9)
  })

  it('refuse a write whose figures would follow from each other without end', async () => {
    await host.defineObject('loop', {
      own: { type: 'number', scale: 0 },
      next: { type: 'lookup', reference: 'loop' },
      below: { type: 'summary', summaryOperations: { object: 'loop', function: 'sum', field: 'total' } },
      total: { type: 'formula', returnType: 'number', expression: 'record.own + record.below' },
    })
    const a = await create('loop', { own: 1 })
    const b = await create('loop', { own: 1, next: a })
    const refused = await host.patch(`/data/loop/${a}`, { next: b })
    expect([refused.status, refused.body.error.details.reason]).toEqual([400, 'summaries_do_not_settle'])
    expect((await host.get(`/data/loop/${a}`)).body.record).toMatchObject({ next: null, total: 2 })
  })
})

describe('random histories of children', () => {
  const lines = fc.record({
    action: fc.constantFrom('create', 'create', 'update', 'move', 'delete', 'restore', 'purge'),
    target: fc.nat({ max: 9 }),
    parent: fc.nat({ max: 2 }),
    amount: fc.oneof(
      fc.constant(null),
      fc.integer({ min: -5000, max: 5000 }).map((n) => n / 100),
    ),
    weight: fc.oneof(
      fc.constant(null),
      fc.double({ min: -100, max: 100, noNaN: true }).map((n) => (n === 0 ? 0 : n)),
    ),
    paid: fc.boolean(),
  })

  it('leave every summary equal to one worked out from the children', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lines, { minLength: 1, maxLength: 25 }), fc.boolean(), async (history, inBatches) => {
        const parents = [await create('order', {}), await create('order', {}), null]
        const known: string[] = []
        for (const step of history) {
          const data = { order: parents[step.parent], amount: step.amount, weight: step.weight, paid: step.paid }
          const id = known[step.target % Math.max(1, known.length)]
          if (step.action === 'create' && inBatches) {
            const { body } = await host.post('/data/line/createMany', {
              records: [data, { ...data, paid: !step.paid }],
            })
            known.push(...body.records.map((record: { id: string }) => record.id))
          } else if (step.action === 'create') known.push(await create('line', data))
          else if (id === undefined) continue
          else if (inBatches && step.action === 'update')
            await host.post('/data/line/updateMany', { records: [{ id, data }] })
          else if (inBatches && step.action === 'delete') await host.post('/data/line/deleteMany', { ids: [id] })
          else if (step.action === 'update')
            await host.patch(`/data/line/${id}`, { amount: step.amount, weight: step.weight, paid: step.paid })
          else if (step.action === 'move') await host.patch(`/data/line/${id}`, { order: parents[step.parent] })
          else if (step.action === 'delete') await host.delete(`/data/line/${id}`)
          else if (step.action === 'restore') await host.post(`/data/line/${id}/restore`)
          else await host.delete(`/data/line/${id}?purge=true`)
        }
        for (const parent of parents.slice(0, 2)) {
          const { body } = await host.get(`/data/line?order=${parent}&top=1000`)
          expect(pick(await order(parent!))).toEqual(expected(body.records))
        }
      }),
      { numRuns: 25, endOnFailure: true },
    )
  }, 120_000)
})

interface Line {
  amount: number | null
  weight: number | null
  paid: boolean
}

function pick(record: Record<string, unknown>): Record<string, unknown> {
  const names = ['lines', 'total', 'weight', 'least', 'most', 'mean', 'paid', 'open_lines']
  return Object.fromEntries(
    names.map((name) => [
      name,
      near.has(name) && record[name] !== null ? expect.closeTo(record[name] as number, 6) : record[name],
    ]),
  )
}

/** Sums of numbers without a fixed number of digits depend on the order of adding in the last bits. */
const near = new Set(['weight', 'mean'])

function expected(children: readonly Line[]): Record<string, unknown> {
  const numbers = (values: (number | null)[]): number[] => values.filter((value) => value !== null)
  const amounts = numbers(children.map((line) => line.amount))
  const weights = numbers(children.map((line) => line.weight))
  const cents = (values: number[]): number => values.reduce((sum, value) => sum + Math.round(value * 100), 0) / 100
  const sum = weights.reduce((all, value) => all + value, 0)
  return {
    lines: children.length,
    total: cents(amounts) + 0,
    weight: sum,
    least: weights.length === 0 ? null : Math.min(...weights),
    most: weights.length === 0 ? null : Math.max(...weights),
    mean: weights.length === 0 ? null : sum / weights.length,
    paid: cents(numbers(children.filter((line) => line.paid).map((line) => line.amount))) + 0,
    open_lines: children.filter((line) => !line.paid || (line.weight ?? 0) > 50).length,
  }
}
