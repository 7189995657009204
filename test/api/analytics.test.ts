// Analytics over HTTP: cubes, measures, dimensions, time, filters, order, CSV (D-116 to D-121, D-123).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost

/** Sales by region, day and amount. */
const sales: readonly [region: string, at: string, amount: number | null, tags: string[]][] = [
  ['north', '2026-01-05T10:15:00.000Z', 100, ['a']],
  ['north', '2026-01-20T23:30:00.000Z', 50, ['a', 'b']],
  ['south', '2026-02-01T00:30:00.000Z', 300, []],
  ['south', '2026-04-10T12:00:00.000Z', null, ['b']],
]

beforeAll(async () => {
  host = await createTestHost()
  await host.patch('/settings', { timezone: 'UTC' })
  await host.defineObject('region', { name: { type: 'text' } })
  await host.defineObject(
    'sale',
    {
      title: { type: 'text' },
      region: { type: 'lookup', reference: 'region' },
      at: { type: 'datetime' },
      day: { type: 'date' },
      amount: { type: 'number' },
      paid: { type: 'boolean' },
      tags: { type: 'tags' },
    },
    {
      analytics: {
        measures: {
          big: { type: 'count', filter: { amount: { $gte: 100 } }, title: 'Big sales' },
          gross: { type: 'sum', expression: 'record.amount * 1.5 + (record.paid ? 1 : 0)' },
          broken: { type: 'sum', expression: 'record.title * 2' },
        },
        dimensions: { size: { type: 'string', expression: 'record.amount >= 100 ? "big" : "small"', title: 'Size' } },
      },
    },
  )
  const ids: Record<string, string> = {}
  for (const name of ['north', 'south']) ids[name] = (await host.post('/data/region', { name })).body.id
  for (const [region, at, amount, tags] of sales) {
    const data = {
      title: `=${region}`,
      region: ids[region],
      at,
      day: at.slice(0, 10),
      amount,
      tags,
      paid: amount === 50,
    }
    expect((await host.post('/data/sale', data)).status).toBe(201)
  }
})
afterAll(() => host.stop())

/** Rows of a query on sales. */
async function rows(query: Record<string, unknown>): Promise<Record<string, unknown>[]> {
  const { status, body } = await host.post('/analytics/query', { cube: 'sale', ...query })
  expect([status, body.error?.details]).toEqual([200, undefined])
  return body.data
}

/** Code and details of a refused query. */
async function refusal(query: Record<string, unknown>): Promise<unknown[]> {
  const { status, body } = await host.post('/analytics/query', { cube: 'sale', ...query })
  return [status, body.error?.code, body.error?.details.parameter]
}

describe('measures', () => {
  it('without dimensions are one row, under the names of the request', async () => {
    const measures = [
      'count',
      'amount.sum',
      'amount_avg',
      'amount.min',
      'sale.amount.max',
      'region.count_distinct',
      'big',
    ]
    expect(await rows({ measures })).toEqual([
      {
        count: 4,
        'amount.sum': 450,
        amount_avg: 150,
        'amount.min': 50,
        'sale.amount.max': 300,
        'region.count_distinct': 2,
        big: 2,
      },
    ])
    expect(await rows({ measures: ['count_all', 'amount'] })).toEqual([{ count_all: 4, amount: 450 }])
  })

  it('may be worked out per record by an expression', async () => {
    expect(await rows({ measures: ['gross'] })).toEqual([{ gross: 676 }])
    expect(await rows({ measures: ['count', 'gross'], dimensions: ['size'] })).toEqual([
      { size: 'big', count: 2, gross: 600 },
      { size: 'small', count: 2, gross: 76 },
    ])
    expect(await refusal({ measures: ['broken'] })).toEqual([400, 'invalid_query', 'measures'])
  })

  it('filter too, beside those of fields, whether or not they group (D-118)', async () => {
    const counted = async (filters: unknown[], more: Record<string, unknown> = {}) =>
      (await rows({ measures: ['count'], filters, ...more })).map((row) => row['count'])
    const size = (operator: string, ...values: string[]) => ({ member: 'size', operator, values })
    expect(await counted([size('equals', 'big')])).toEqual([2])
    expect(await counted([size('notEquals', 'big')])).toEqual([2])
    expect(await counted([size('in', 'big', 'small')])).toEqual([4])
    expect(await counted([size('startsWith', 'SM')])).toEqual([2])
    expect(await counted([size('set')])).toEqual([4])
    expect(await counted([{ member: 'sale.size', operator: 'equals', values: ['big'] }])).toEqual([2])
    expect(await counted([size('equals', 'big')], { dimensions: ['size'] })).toEqual([2])
    expect(await counted([size('equals', 'big'), { member: 'amount', operator: 'gt', values: ['100'] }])).toEqual(
      await counted([{ member: 'amount', operator: 'gt', values: ['100'] }]),
    )
    const either = { or: [size('equals', 'big'), { member: 'amount', operator: 'equals', values: ['50'] }] }
    expect(await counted([either])).toEqual([3])
    expect(await counted([size('equals', 'big'), size('equals', 'small')])).toEqual([0])
    const { body } = await host.post('/analytics/explain', {
      cube: 'sale',
      measures: ['count'],
      filters: [size('equals', "b'ig")],
    })
    expect([body.cube, body.params.includes("b'ig")]).toEqual(['sale', true])
    expect(await refusal({ measures: ['count'], filters: [size('gt')] })).toEqual([400, 'invalid_query', 'filters'])
  })

  it('are described in the annotation', async () => {
    const { body } = await host.post('/analytics/query', {
      cube: 'sale',
      measures: ['amount.sum', 'big'],
      dimensions: ['region.name'],
    })
    expect(body.annotation).toMatchObject({
      measures: { 'amount.sum': { title: 'Sale Amount Sum', type: 'number' }, big: { title: 'Big sales' } },
      dimensions: { 'region.name': { type: 'string' } },
      timeDimensions: {},
    })
    expect(body.query).toMatchObject({ cube: 'sale', measures: ['amount.sum', 'big'] })
    expect(Date.parse(body.lastRefreshTime)).not.toBeNaN()
  })

  it('never count deleted records', async () => {
    const { id } = (await host.post('/data/sale', { amount: 1_000 })).body
    expect(await rows({ measures: ['amount.sum'] })).toEqual([{ 'amount.sum': 1450 }])
    await host.delete(`/data/sale/${id}`)
    expect(await rows({ measures: ['amount.sum'] })).toEqual([{ 'amount.sum': 450 }])
  })
})

describe('dimensions', () => {
  it('group, over relations too, the largest first measure first', async () => {
    expect(await rows({ measures: ['amount.sum', 'count'], dimensions: ['region.name'] })).toEqual([
      { 'region.name': 'south', 'amount.sum': 300, count: 2 },
      { 'region.name': 'north', 'amount.sum': 150, count: 2 },
    ])
  })

  it('without measures are distinct tuples in rising order', async () => {
    expect(await rows({ dimensions: ['region.name'] })).toEqual([
      { 'region.name': 'north' },
      { 'region.name': 'south' },
    ])
  })

  it.each([
    ['month', ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'], [150, 300, null]],
    ['quarter', ['2026-01-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'], [450, null]],
    ['year', ['2026-01-01T00:00:00.000Z'], [450]],
  ])('of time are cut into buckets of a %s', async (granularity, starts, sums) => {
    const byName = await rows({ measures: ['amount.sum'], dimensions: [`at.${granularity}`] })
    expect(byName.map((row) => row[`at.${granularity}`])).toEqual(starts)
    expect(byName.map((row) => row['amount.sum'])).toEqual(sums)
    const timed = await rows({ measures: ['amount.sum'], timeDimensions: [{ dimension: 'at', granularity }] })
    expect(timed).toEqual(byName)
  })

  it('of time follow the zone of the query, and its hours', async () => {
    const timeDimensions = [{ dimension: 'at', granularity: 'month' }]
    const zoned = await rows({ measures: ['count'], timeDimensions, timezone: 'Europe/Berlin' })
    expect(zoned.map((row) => row['at.month'])).toEqual([
      '2025-12-31T23:00:00.000Z',
      '2026-01-31T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
    ])
    const hours = await rows({
      measures: ['count'],
      timeDimensions: [{ dimension: 'at', granularity: 'hour' }],
      limit: 1,
    })
    expect(hours).toEqual([{ 'at.hour': '2026-01-05T10:00:00.000Z', count: 1 }])
  })

  it('of time only filter when they have a range and no granularity', async () => {
    const timeDimensions = [{ dimension: 'at', dateRange: ['2026-01-01', '2026-01-31'] }]
    expect(await rows({ measures: ['count'], timeDimensions })).toEqual([{ count: 2 }])
    expect(
      await rows({ measures: ['count'], timeDimensions: [{ dimension: 'day', dateRange: 'last_5_days' }] }),
    ).toEqual([{ count: 0 }])
  })
})

describe('filters', () => {
  const count = async (filters: unknown[], rest: Record<string, unknown> = {}) =>
    (await rows({ measures: ['count'], filters, ...rest }))[0]?.['count']

  it.each([
    ['equals', 'region.name', ['north'], 2],
    ['equals', 'region.name', ['north', 'south'], 4],
    ['notEquals', 'region.name', ['north'], 2],
    ['contains', 'region.name', ['OR', 'zzz'], 2],
    ['notContains', 'region.name', ['or', 'zzz'], 2],
    ['startsWith', 'region.name', ['s'], 2],
    ['endsWith', 'region.name', ['th'], 4],
    ['gt', 'amount', ['50'], 2],
    ['gte', 'amount', ['50'], 3],
    ['lt', 'amount', ['100'], 1],
    ['lte', 'amount', ['100'], 2],
    ['in', 'amount', ['50', '300'], 2],
    ['notIn', 'amount', ['50', '300'], 2],
    ['set', 'amount', undefined, 3],
    ['notSet', 'amount', undefined, 1],
    ['equals', 'paid', ['true'], 1],
    ['equals', 'tags', ['a'], 2],
    ['notEquals', 'tags', ['a'], 2],
    ['inDateRange', 'at', ['2026-01-01', '2026-01-20'], 2],
    ['inDateRange', 'day', ['2026-02-01'], 1],
    ['notInDateRange', 'at', ['2026-01-01', '2026-01-31'], 2],
    ['beforeDate', 'at', ['2026-02-01'], 2],
    ['afterDate', 'at', ['2026-02-01'], 1],
  ])('%s on %s %j leave the right records', async (operator, member, values, expected) => {
    expect(await count([{ member, operator, ...(values === undefined ? {} : { values }) }])).toBe(expected)
  })

  it('nest with or and and, and join where', async () => {
    const or = [
      { member: 'amount', operator: 'equals', values: ['300'] },
      {
        and: [
          { member: 'region.name', operator: 'equals', values: ['north'] },
          { member: 'amount', operator: 'lt', values: ['60'] },
        ],
      },
    ]
    expect(await count([{ or }])).toBe(2)
    expect(await count([{ or }], { where: { amount: 50 } })).toBe(1)
  })

  it('on measures apply to the groups, also to measures that are not shown', async () => {
    const query = { dimensions: ['region.name'], measures: ['count'] }
    expect(await rows({ ...query, filters: [{ member: 'amount.sum', operator: 'gt', values: ['200'] }] })).toEqual([
      { 'region.name': 'south', count: 2 },
    ])
    expect(await rows({ ...query, having: { 'amount.sum': { $lt: 200 } } })).toEqual([
      { 'region.name': 'north', count: 2 },
    ])
  })

  it.each([
    [{ measures: ['nothing'] }, 'measures'],
    [{ dimensions: ['region.nothing'] }, 'dimensions'],
    [{ measures: ['title.sum'] }, 'measures'],
    [{ measures: ['count'], dimensions: ['tags.count'] }, 'dimensions'],
    [{ measures: ['count'], where: { amount: 'x' } }, 'where'],
    [{ measures: ['count'], where: { nothing: 1 } }, 'where'],
    [{ measures: ['count'], where: { $or: 1 } }, 'where'],
    [{ measures: ['count'], having: { count: { $odd: 1 } } }, 'having'],
    [{ measures: ['count'], having: { count: { $gt: 'x' } } }, 'having'],
    [{ measures: ['count'], filters: [{ member: 'title.sum', operator: 'set' }] }, 'filters'],
    [{ measures: ['count'], timeDimensions: [{ dimension: 'at', dateRange: 'some_day' }] }, 'timeDimensions'],
    [{ measures: ['count'], filters: [{ member: 'nothing', operator: 'set' }] }, 'filters'],
    [{ measures: ['count'], filters: [{ member: 'amount', operator: 'regex', values: ['x'] }] }, 'filters'],
    [{ measures: ['count'], filters: [{ member: 'amount', operator: 'equals', values: ['x'] }] }, 'filters'],
    [{ measures: ['count'], filters: [{ member: 'amount', operator: 'gt' }] }, 'filters'],
    [{ measures: ['count'], timeDimensions: [{ dimension: 'at', granularity: 'decade' }] }, 'timeDimensions'],
    [{ measures: ['count'], timeDimensions: [{ dimension: 'title', granularity: 'day' }] }, 'timeDimensions'],
    [{ measures: ['count'], order: { nothing: 'asc' } }, 'order'],
    [{ measures: ['count'], limit: 50_001 }, 'limit'],
    [{ measures: ['count'], timezone: 'Mars/Base' }, 'timezone'],
    [{}, 'measures'],
  ])('that make no sense are invalid_query: %j', async (query, parameter) => {
    expect(await refusal(query)).toEqual([400, 'invalid_query', parameter])
  })
})

describe('conditions', () => {
  const nested = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { $or: [nested(levels - 1, inner)] }
  const listed = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { or: [listed(levels - 1, inner)] }

  it('may be as deep and as many as those of a list, each part for itself', async () => {
    const filter = nested(14, { amount: { $gt: 100 } })
    expect((await host.post('/data/sale/query', { filter })).body.records).toHaveLength(1)
    const filters = [listed(14, { member: 'paid', operator: 'equals', values: ['false'] })]
    const having = nested(14, { count: { $gte: 1 } })
    expect(await rows({ measures: ['count'], where: filter, filters, having })).toEqual([{ count: 1 }])
    expect((await host.post('/data/sale/query', { filter: nested(1, filter) })).status).toBe(400)
    expect(await refusal({ measures: ['count'], where: nested(1, filter) })).toEqual([400, 'invalid_query', 'where'])
    expect(await refusal({ measures: ['count'], having: nested(1, having) })).toEqual([400, 'invalid_query', 'having'])
    expect(await refusal({ measures: ['count'], filters: [listed(1, filters[0])] })).toEqual([
      400,
      'invalid_query',
      'filters',
    ])
    const many = Array.from({ length: 60 }, () => ({ amount: { $gt: 1 } }))
    const more = Array.from({ length: 60 }, () => ({ member: 'amount', operator: 'gt', values: ['1'] }))
    expect(await refusal({ measures: ['count'], where: { $and: many }, filters: more })).toEqual([
      400,
      'invalid_query',
      'where',
    ])
  })

  it('that are refused are named by their place in the request', async () => {
    const pathOf = async (query: Record<string, unknown>) =>
      (await host.post('/analytics/query', { cube: 'sale', measures: ['count'], ...query })).body.error.details.path
    const sound = { member: 'paid', operator: 'set' }
    const odd = { member: 'sale.amount', operator: 'equals', values: ['x'] }
    expect(await pathOf({ where: { $and: [{ amount: { $odd: 1 } }] } })).toBe('$and.0.amount.$odd')
    expect(await pathOf({ where: { amount: 'x' }, filters: [sound] })).toBe('amount')
    expect(await pathOf({ filters: [sound, odd] })).toBe('1')
    expect(await pathOf({ having: { 'amount.sum': { $odd: 1 } } })).toBe('amount.sum.$odd')
    expect(await pathOf({ having: { 'amount.sum': { $gt: 'x' } } })).toBe('amount.sum')
    expect(await pathOf({ measures: ['count', 'sale.title.sum'] })).toBe('sale.title.sum')
    expect(await pathOf({ timeDimensions: [{ dimension: 'day', dateRange: 'some_day' }] })).toBe('0.dateRange')
  })
})

describe('the shape of a request', () => {
  it('may be wrapped, may leave the cube out when every member names it, and may order and page', async () => {
    const wrapped = await host.post('/analytics/query', {
      query: { measures: ['sale.count'], dimensions: ['sale.paid'] },
    })
    expect(wrapped.body.data).toEqual([
      { 'sale.paid': false, 'sale.count': 3 },
      { 'sale.paid': true, 'sale.count': 1 },
    ])
    const query = {
      measures: ['count'],
      dimensions: ['amount'],
      order: { amount: 'asc' },
      limit: 2,
      offset: 1,
      total: true,
    }
    const { body } = await host.post('/analytics/query', { cube: 'sale', ...query })
    expect([body.data.map((row: { amount: number }) => row.amount), body.total]).toEqual([[50, 100], 4])
    expect((await rows({ ...query, order: { 'sale.amount': 'asc' } })).map((row) => row['amount'])).toEqual([50, 100])
    const prefixed = { ...query, dimensions: ['sale.amount'], order: [['amount', 'desc']], offset: 0 }
    expect((await rows(prefixed)).map((row) => row['sale.amount'])).toEqual([300, 100])
    expect((await rows({ ...query, order: [['amount', 'desc']], offset: 0 })).map((row) => row['amount'])).toEqual([
      300, 100,
    ])
  })

  it('answers 404 for a cube nobody has, 400 for none', async () => {
    expect((await host.post('/analytics/query', { cube: 'nothing', measures: ['count'] })).status).toBe(404)
    expect((await host.post('/analytics/query', { measures: ['count'] })).status).toBe(400)
  })

  it('answers CSV whose cells are no formulas', async () => {
    const { body, headers } = await host.post(
      '/analytics/query',
      { cube: 'sale', measures: ['count'], dimensions: ['title'] },
      { accept: 'text/csv' },
    )
    expect(headers.get('content-type')).toContain('text/csv')
    expect(body).toBe('title,count\r\n"\'=north",2\r\n"\'=south",2\r\n')
  })

  it('is explained without being run', async () => {
    const { body } = await host.post('/analytics/explain', { cube: 'sale', measures: ['count'], dimensions: ['paid'] })
    expect(body).toMatchObject({ cube: 'sale', sql: expect.stringMatching(/^SELECT/), params: expect.any(Array) })
    expect(body.plan.length).toBeGreaterThan(0)
    const older = await host.post('/analytics/sql', { cube: 'sale', measures: ['count'] })
    expect(older.body).toMatchObject({ success: true, data: { sql: expect.stringMatching(/^SELECT/) } })
  })
})

describe('cubes', () => {
  it('of an object without an API are not there (D-71)', async () => {
    await host.defineObject('closed', { name: { type: 'text' } }, { enable: { apiEnabled: false } })
    for (const path of ['/analytics/meta/closed', '/analytics/meta?cube=closed']) {
      const { status, body } = await host.get(path)
      expect([path, status, body.error?.details]).toEqual([path, 404, { resource: 'cube', id: 'closed' }])
    }
  })

  it('describe every object with its measures, dimensions and joins', async () => {
    const { body } = await host.get('/analytics/meta')
    expect(body.map((cube: { name: string }) => cube.name)).toEqual(['region', 'sale'])
    const names = (list: { name: string }[]) => list.map(({ name }) => name)
    const sale = body[1]
    expect(sale).toMatchObject({ title: 'Sales', public: true, segments: [] })
    expect(names(sale.measures)).toEqual(
      expect.arrayContaining(['count', 'amount.sum', 'at.min', 'region.count_distinct', 'big']),
    )
    expect(names(sale.dimensions)).toEqual(expect.arrayContaining(['title', 'region', 'amount', 'paid', 'tags']))
    expect(names(sale.timeDimensions)).toEqual(expect.arrayContaining(['at', 'day', 'created_at']))
    expect(sale.joins).toEqual([{ name: 'region', target: 'region', relationship: 'belongs_to' }])
    expect(sale.timeDimensions.find((item: { name: string }) => item.name === 'day').granularities[0]).toBe('day')
  })

  it('answer every member they name', async () => {
    const { body: cube } = await host.get('/analytics/meta/sale')
    const name = ({ name: member }: { name: string }) => member
    for (const measure of cube.measures.map(name).filter((member: string) => member !== 'broken'))
      expect(await rows({ measures: [measure] })).toHaveLength(1)
    for (const dimension of [...cube.dimensions, ...cube.timeDimensions].map(name)) {
      expect((await rows({ dimensions: [dimension] })).length).toBeGreaterThan(0)
    }
  })

  it('answer members of fields that records are not sorted by, in the order asked for and in that of D-119', async () => {
    await host.defineObject('swatch', {
      shade: { type: 'color' },
      kind: { type: 'text', sortable: false },
      size: { type: 'number', sortable: false },
      about: { type: 'record' },
    })
    for (const [shade, kind, size] of [
      ['#00ff00', 'a', 5],
      ['#0000ff', 'b', 1],
      ['#ff0000', 'b', 2],
    ])
      await host.post('/data/swatch', { shade, kind, size })
    const ask = async (query: Record<string, unknown>) => {
      const { status, body } = await host.post('/analytics/query', { cube: 'swatch', ...query })
      return status === 200 ? body.data : body.error
    }
    expect(await ask({ dimensions: ['shade'] })).toEqual([
      { shade: '#0000ff' },
      { shade: '#00ff00' },
      { shade: '#ff0000' },
    ])
    expect(await ask({ dimensions: ['kind'], measures: ['shade.count_distinct'] })).toEqual([
      { kind: 'b', 'shade.count_distinct': 2 },
      { kind: 'a', 'shade.count_distinct': 1 },
    ])
    expect(await ask({ dimensions: ['kind'], measures: ['size.sum'] })).toEqual([
      { kind: 'a', 'size.sum': 5 },
      { kind: 'b', 'size.sum': 3 },
    ])
    expect(await ask({ dimensions: ['about'], measures: ['about.count_distinct'] })).toEqual([
      { about: null, 'about.count_distinct': 0 },
    ])
    expect(await ask({ dimensions: ['kind'], order: { kind: 'desc' } })).toEqual([{ kind: 'b' }, { kind: 'a' }])
  })

  it('are found by path and by parameter, and unknown ones are 404', async () => {
    expect((await host.get('/analytics/meta?cube=sale')).body.name).toBe('sale')
    expect((await host.get('/analytics/meta/nothing')).status).toBe(404)
  })
})

describe('an object with a field called count', () => {
  it('counts its records, and adds that field up as count.sum', async () => {
    await host.defineObject('tally', { title: { type: 'text' }, count: { type: 'number' } })
    await host.post(
      '/data/tally/createMany',
      [3, 10].map((count) => ({ title: 'x', count })),
    )
    expect(await rows({ cube: 'tally', measures: ['count', 'tally.count', 'count.sum'] })).toEqual([
      { count: 2, 'tally.count': 2, 'count.sum': 13 },
    ])
  })
})
