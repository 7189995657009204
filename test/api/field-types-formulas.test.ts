// Formulas in queries: a computed value is filtered, sorted, grouped and measured as the type it answers (D-94).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
const ids: string[] = []

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('sale', {
    name: { type: 'text' },
    amount: { type: 'number' },
    day: { type: 'date' },
    at: { type: 'datetime' },
    word: { type: 'formula', expression: 'upper(record.name)' },
    double: { type: 'formula', expression: 'record.amount * 2.0' },
    large: { type: 'formula', expression: 'record.amount > 5.0' },
    due: { type: 'formula', expression: 'addDays(record.day, 1)', returnType: 'date' },
    moment: { type: 'formula', expression: 'record.at', returnType: 'datetime' },
    age: { type: 'formula', expression: 'days(record.day, today())' },
  })
  const records = [
    { name: 'ada', amount: 1, day: '2026-01-31', at: '2026-01-31T08:00:00Z' },
    { name: 'bob', amount: 10, day: '2026-02-01', at: '2026-02-01T08:00:00Z' },
    {},
  ]
  for (const record of records) {
    const created = await host.post('/data/sale', record)
    if (created.status !== 201) throw new Error(JSON.stringify(created.body))
    ids.push(created.body.id)
  }
})

afterAll(() => host.stop())

const query = (body: Record<string, unknown>) => host.post('/data/sale/query', body)
const found = async (filter: unknown) => {
  const { status, body } = await query({ filter })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.records.map((record: { id: string }) => ids.indexOf(record.id))
}

describe('a formula', () => {
  it('is answered as what it computes', async () => {
    const { record } = (await host.get(`/data/sale/${ids[0]}`)).body
    expect(record).toMatchObject({
      word: 'ADA',
      double: 2,
      large: false,
      due: '2026-02-01',
      moment: '2026-01-31T08:00:00.000Z',
    })
    expect(record.age).toBeGreaterThan(0)
    const empty = (await host.get(`/data/sale/${ids[2]}`)).body.record
    expect(empty).toMatchObject({ double: null, due: null, moment: null, age: null })
  })

  it.each([
    [{ word: 'ADA' }, [0]],
    [{ word: { $contains: 'o' } }, [1]],
    [{ double: { $gt: 2 } }, [1]],
    [{ large: true }, [1]],
    [{ due: '2026-02-01' }, [0]],
    [{ due: { $between: ['2026-02-02', '2026-12-31'] } }, [1]],
    [{ moment: { $lt: '2026-02-01' } }, [0]],
    [{ moment: '2026-02-01' }, [1]],
    [{ due: { $gt: { $field: 'day' } } }, [0, 1]],
    [{ due: { $during: 'last_1_days' } }, []],
    [{ moment: { $during: 'last_1_days' } }, []],
  ])('is found by %j', async (filter, expected) => {
    expect(await found(filter)).toEqual(expected)
  })

  it('is sorted, grouped and measured', async () => {
    const sorted = async (sort: string) =>
      (await query({ sort })).body.records.map((record: { id: string }) => ids.indexOf(record.id))
    expect(await sorted('-double')).toEqual([1, 0, 2])
    expect(await sorted('due')).toEqual([2, 0, 1])
    const count = [{ function: 'count', alias: 'n' }]
    const months = await query({
      groupBy: [{ field: 'due', dateGranularity: 'month', alias: 'm' }],
      aggregations: count,
    })
    expect({ status: months.status, records: months.body.records }).toEqual({
      status: 200,
      records: expect.arrayContaining([
        { m: '2026-02-01', n: 2 },
        { m: null, n: 1 },
      ]),
    })
    const days = await query({
      groupBy: [{ field: 'moment', dateGranularity: 'day', alias: 'd' }],
      aggregations: count,
    })
    expect(days.body.records).toHaveLength(3)
    const flags = await query({ groupBy: ['large'], aggregations: count })
    expect(flags.body.records).toEqual(expect.arrayContaining([{ large: true, n: 1 }]))
    const figures = await query({
      aggregations: [
        { function: 'sum', field: 'double', alias: 's' },
        { function: 'max', field: 'due', alias: 'd' },
        { function: 'max', field: 'moment', alias: 'm' },
      ],
    })
    expect(figures.body.records[0]).toEqual({ s: 22, d: '2026-02-02', m: '2026-02-01T08:00:00.000Z' })
  })

  it('of the present moment is listed, but neither filtered, sorted nor grouped', async () => {
    const listed = (await query({ sort: '-double', select: ['age'] })).body.records
    expect(listed.map((record: { age: unknown }) => typeof record.age)).toEqual(['number', 'number', 'object'])
    const attempts = [
      { filter: { age: { $gt: 1 } } },
      { filter: { age: null } },
      { filter: { age: { $field: 'double' } } },
      { filter: { double: { $field: 'age' } } },
      { select: ['age'], distinct: true },
      { aggregations: [{ function: 'count', field: 'age' }] },
      { sort: 'age' },
      { groupBy: ['age'], aggregations: [{ function: 'count' }] },
      { aggregations: [{ function: 'sum', field: 'age' }] },
    ]
    for (const attempt of attempts) {
      const { status, body } = await query(attempt)
      expect({ attempt, status, code: body.error?.code }).toEqual({ attempt, status: 400, code: 'invalid_query' })
    }
  })
})
