// Running reports over HTTP: records, groups, totals, rights (D-112).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError } from '../support/metadata-suite.ts'
import type { PeopledHost, UserCalls } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
/** Sees tickets without their amount, and nothing else. */
let me: UserCalls

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}] })
  await host.patch('/settings', { timezone: 'UTC' })
  await host.defineObject('customer', { name: { type: 'text' } })
  await host.defineObject('ticket', {
    title: { type: 'text' },
    status: { type: 'select', options: ['open', 'done'] },
    due: { type: 'date' },
    amount: { type: 'number' },
    customer: { type: 'lookup', reference: 'customer' },
  })
  await host.defineObject('closed', { name: { type: 'text' } })
  const customer = (await host.post('/data/customer', { name: 'Miller' })).body.id
  for (const [title, status, due, amount] of [
    ['a', 'open', '2026-01-05', 10],
    ['b', 'open', '2026-01-20', 20],
    ['c', 'open', '2026-02-01', 40],
    ['d', 'done', '2026-02-02', 80],
  ] as const) {
    expect((await host.post('/data/ticket', { title, status, due, amount, customer })).status).toBe(201)
  }
  await host.saveItem('report', 'tickets', {
    object: 'ticket',
    columns: ['title', { field: 'customer.name', label: 'Who' }, { field: 'status', hidden: true }],
    sort: '-due',
    filter: { status: 'open' },
  })
  await host.saveItem('report', 'by_month', {
    object: 'ticket',
    type: 'summary',
    groupings: [{ field: 'due', granularity: 'month' }],
    aggregations: [{ field: 'amount', function: 'sum', label: 'Worth' }, 'count'],
    filter: { status: 'open' },
  })
  await host.saveItem('report', 'crossed', {
    object: 'ticket',
    type: 'matrix',
    groupings: ['status', 'customer.name'],
    sort: [{ field: 'status', order: 'desc' }],
  })
  await host.saveItem('report', 'dear', { object: 'ticket', columns: ['title'], filter: { amount: { $gt: 15 } } })
  await host.saveItem('report', 'secrets', { object: 'closed' })
  await host.saveItem('profile', 'clerk', {
    objects: { ticket: { allowRead: true }, customer: { allowRead: true } },
    fields: { 'ticket.amount': { readable: false } },
  })
  await host.assign(0, { profile: 'clerk' })
  me = host.as(0)
})
afterAll(() => host.stop())

const month = (start: string, sum: number, count: number) => ({
  'due.month': `${start}T00:00:00.000Z`,
  'amount.sum': sum,
  count,
})

describe('a tabular report', () => {
  it('answers its records with their columns, and how many there are in all', async () => {
    const { status, body } = await host.post('/reports/tickets/run', { top: 2 })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      report: 'tickets',
      columns: [
        { name: 'title', label: 'Title', type: 'text' },
        { name: 'customer.name', label: 'Who', type: 'text' },
      ],
      records: [
        { title: 'c', customer: { name: 'Miller' } },
        { title: 'b', customer: { name: 'Miller' } },
      ],
      totals: { count: 3 },
    })
    expect((await host.post('/reports/tickets/run')).body.records).toHaveLength(3)
  })

  it('is narrowed by a filter of any form', async () => {
    const { body } = await host.post('/reports/tickets/run', { filter: [['amount', '>', 15]] })
    expect([body.records.map(({ title }: { title: string }) => title), body.totals]).toEqual([['c', 'b'], { count: 2 }])
  })

  it('without columns shows every field', async () => {
    const { body } = await host.post('/reports/secrets/run')
    expect(body).toMatchObject({ columns: [{ name: 'name' }], records: [], totals: { count: 0 } })
  })
})

describe('a report of groups', () => {
  it('answers the groups, and the aggregations over all records', async () => {
    const { body } = await host.post('/reports/by_month/run')
    expect(body).toEqual({
      report: 'by_month',
      columns: [
        { name: 'due.month', label: 'Ticket Due', type: 'time' },
        { name: 'amount.sum', label: 'Worth', type: 'number' },
        { name: 'count', label: 'Ticket Count', type: 'number' },
      ],
      records: [month('2026-01-01', 30, 2), month('2026-02-01', 40, 1)],
      totals: { 'amount.sum': 70, count: 3 },
    })
    const narrow = (await host.post('/reports/by_month/run', { filter: { title: 'a' }, top: 1 })).body
    expect(narrow).toMatchObject({ records: [month('2026-01-01', 10, 1)], totals: { 'amount.sum': 10 } })
  })

  it('counts without aggregations, in the order it names', async () => {
    const { body } = await host.post('/reports/crossed/run')
    expect(body.totals).toEqual({ count: 4 })
    expect(body.records.map((row: Record<string, unknown>) => [row['customer.name'], row['count']])).toEqual(
      expect.arrayContaining([
        ['Miller', 3],
        ['Miller', 1],
      ]),
    )
  })
})

describe('what is refused', () => {
  it('is named by its place', async () => {
    const where = async (body: unknown) => (await host.post('/reports/tickets/run', body)).body.error.details
    expect(await where({ filter: { nothing: 1 } })).toMatchObject({ parameter: 'filter', path: 'nothing' })
    expect(await where({ filter: { title: { $odd: 1 } } })).toMatchObject({ parameter: 'filter', path: 'title.$odd' })
    expectError(await host.post('/reports/tickets/run', { top: 0 }), 400, 'validation_error')
    await host.saveItem('report', 'broken', { object: 'ticket', columns: ['nothing'] })
    expectError(await host.post('/reports/broken/run'), 400, 'invalid_query', { parameter: 'report' })
    expectError(await host.post('/reports/nothing/run'), 404, 'resource_not_found', { resource: 'report' })
  })

  it('follows the rights of the caller', async () => {
    expectError(await me.post('/reports/secrets/run'), 404, 'resource_not_found', { resource: 'report' })
    expectError(await me.post('/reports/dear/run'), 403, 'permission_denied', { report: 'dear' })
    expectError(await me.post('/reports/tickets/run', { filter: { amount: 10 } }), 400, 'invalid_query', {
      parameter: 'filter',
      path: 'amount',
    })
    const { body } = await me.post('/reports/by_month/run')
    expect(Object.keys(body.totals)).toEqual(['count'])
    expect((await host.anonymous('POST', '/reports/tickets/run', {})).status).toBe(401)
  })
})
