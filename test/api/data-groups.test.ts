// Groups, aggregations, distinct rows and the order of search results over HTTP: D-78, D-89, D-90.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject(
    'task',
    {
      title: { type: 'text', required: true },
      notes: { type: 'textarea' },
      status: { type: 'select', options: ['open', 'doing', 'done'] },
      hours: { type: 'number' },
      seen: { type: 'datetime' },
    },
    { search: { fields: ['title', 'notes'] } },
  )
  await host.patch('/settings', { timezone: 'Europe/Berlin' })
  await host.post('/data/task/createMany', [
    { title: 'one', status: 'open', hours: 1, seen: '2026-03-31T22:30:00Z' },
    { title: 'two', status: 'open', hours: 2, seen: '2026-03-31T21:30:00Z' },
    { title: 'three', status: 'done', hours: 4 },
  ])
})
afterAll(() => host.stop())

const query = (words: Record<string, unknown>) => host.post('/data/task/query', words)

describe('groups', () => {
  it('are the records of the answer, without a cursor', async () => {
    const { status, body } = await query({
      groupBy: ['status'],
      aggregations: [{ function: 'count' }, { function: 'avg', field: 'hours' }],
      count: true,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      object: 'task',
      records: [
        { status: 'open', count: 2, avg_hours: 1.5 },
        { status: 'done', count: 1, avg_hours: 4 },
      ],
      total: 2,
      hasMore: false,
    })
  })

  it('are asked for in a query string too', async () => {
    const words = new URLSearchParams({
      groupBy: 'status',
      aggregations: JSON.stringify([{ function: 'sum', field: 'hours', alias: 'sum' }]),
      having: JSON.stringify({ sum: { $gt: 3 } }),
      filter: JSON.stringify({ title: { $ne: 'two' } }),
    })
    const { body } = await host.get(`/data/task?${words}`)
    expect(body.records).toEqual([{ status: 'done', sum: 4 }])
  })

  it('of periods follow the time zone of the workspace', async () => {
    const { body } = await query({
      groupBy: [{ field: 'seen', dateGranularity: 'month' }],
      aggregations: [{ function: 'count' }],
      filter: { seen: { $null: false } },
    })
    expect(body.records).toEqual([
      { seen: '2026-03-01', count: 1 },
      { seen: '2026-04-01', count: 1 },
    ])
  })

  it.each([
    [{ groupBy: 'status', cursor: 'x' }, 'cursor'],
    [{ groupBy: 'status', expand: 'status' }, 'expand'],
    [{ groupBy: 'status', distinct: true }, 'distinct'],
    [{ groupBy: 'nope' }, 'groupBy'],
    [{ aggregations: 'count' }, 'aggregations'],
    [{ having: { count: 1 } }, 'having'],
    [{ groupBy: 'status', top: 10_001 }, 'top'],
  ])('refuse %j', async (words, parameter) => {
    const { status, body } = await query(words)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'invalid_query', details: { parameter } })
  })
})

describe('distinct rows and groups of fields that records are not sorted by', () => {
  it('are in the order of their values', async () => {
    await host.defineObject('swatch', { shade: { type: 'color' }, size: { type: 'number', sortable: false } })
    await host.post('/data/swatch/createMany', [
      { shade: '#0f0000', size: 2 },
      { shade: '#00000f', size: 3 },
    ])
    const shades = [{ shade: '#00000f' }, { shade: '#0f0000' }]
    expect((await host.get('/data/swatch?distinct=true&select=shade')).body.records).toEqual(shades)
    expect((await host.get('/data/swatch?groupBy=shade&sort=shade')).body.records).toEqual(shades)
    const sums = { groupBy: ['shade'], aggregations: [{ function: 'sum', field: 'size', alias: 'all' }], sort: '-all' }
    const { body } = await host.post('/data/swatch/query', sums)
    expect(body.records).toEqual([
      { shade: '#00000f', all: 3 },
      { shade: '#0f0000', all: 2 },
    ])
    // Lists stay refused (D-78).
    expect((await host.get('/data/swatch?sort=shade')).status).toBe(400)
  })
})

describe('distinct rows', () => {
  it('are tuples of exactly the selected fields', async () => {
    const { body } = await host.get('/data/task?select=status&distinct=true&count=true')
    expect(body).toEqual({
      object: 'task',
      records: [{ status: 'open' }, { status: 'done' }],
      total: 2,
      hasMore: false,
    })
  })
})

describe('a search without a sort', () => {
  it('answers the best match first and goes on by cursor without repeating one', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => ({
      title: i === 7 ? 'zebra zebra' : `animal ${i}`,
      notes: `${'filler '.repeat(i)} zebra`,
    }))
    await host.post('/data/task/createMany', rows)
    const all = (await host.get('/data/task?search=zebra&top=50')).body.records as { id: string; title: string }[]
    expect(all).toHaveLength(12)
    expect(all[0]!.title).toBe('zebra zebra')

    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await host.get(`/data/task?search=zebra&top=5${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.body.records.map((record: { id: string }) => record.id))
      cursor = page.body.nextCursor
      expect(page.body.hasMore).toBe(cursor !== undefined)
    } while (cursor !== undefined)
    expect(seen).toEqual(all.map((record) => record.id))
  })

  it('settles equally good matches by id, however many there are', async () => {
    await host.defineObject('twin', { title: { type: 'text' } })
    const rows = Array.from({ length: 150 }, () => ({ title: 'same words' }))
    await host.post('/data/twin/createMany', [{ title: 'same same' }, ...rows])
    const all = (await host.get('/data/twin?search=same&top=1000')).body.records as { id: string }[]
    const twins = all.slice(1).map((record) => record.id)
    expect(twins).toEqual(twins.toSorted())
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await host.get(`/data/twin?search=same${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.body.records.map((record: { id: string }) => record.id))
      cursor = page.body.nextCursor
    } while (cursor !== undefined)
    expect(seen).toEqual(all.map((record) => record.id))
  })

  it('is in creation order when the search is blank, and sorted when a sort is given', async () => {
    const titles = async (path: string) =>
      (await host.get(`/data/task?${path}&top=50`)).body.records.map((record: { title: string }) => record.title)
    expect((await titles('search=%20')).slice(0, 3)).toEqual(['one', 'two', 'three'])
    expect((await titles('search=zebra&sort=-title'))[0]).toBe('zebra zebra')
    expect((await titles('search=zebra&sort=title'))[0]).toBe('animal 0')
  })
})
