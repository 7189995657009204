// Where reads run (D-91): what an index serves stays on the main thread, what may run long goes to the reader process.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

/** A little more than may be scanned on the main thread. */
const rows = 51_000
let host: TestHost
let groups: string[]

beforeAll(async () => {
  host = await createTestHost({ validateResponses: false })
  await host.defineObject('group', { name: { type: 'text', index: true } })
  await host.defineObject(
    'entry',
    {
      code: { type: 'number', scale: 0, index: true },
      free: { type: 'number', scale: 0 },
      note: { type: 'text' },
      kind: { type: 'select', options: ['a', 'b'] },
      tags: { type: 'tags' },
      group: { type: 'lookup', reference: 'group', relationshipName: 'entries' },
    },
    { indexes: [{ fields: ['kind', 'code'] }], search: { fields: ['note'] } },
  )
  const made = await host.post('/data/group/createMany', [{ name: 'g0' }, { name: 'g1' }])
  groups = made.body.records.map((record: { id: string }) => record.id)
  for (let from = 0; from < rows; from += 1_000) {
    const records = Array.from({ length: 1_000 }, (_, index) => {
      const n = from + index
      return { code: n, free: n % 7, note: `n${n}`, kind: n % 2 === 0 ? 'a' : 'b', group: groups[n % 2] }
    })
    const { status } = await host.post('/data/entry/createMany', records)
    expect(status).toBe(201)
  }
}, 120_000)
afterAll(() => host.stop())

/** Statements the main thread runs for a query that was asked before. */
async function statementsHere(object: string, words: Record<string, unknown>): Promise<number> {
  const ask = async (): Promise<void> => {
    const { status, body } = await host.post(`/data/${object}/query`, words)
    expect(status, JSON.stringify(body)).toBe(200)
  }
  const count = async (): Promise<number> => {
    const before = host.host.database.statementCount()
    await ask()
    return host.host.database.statementCount() - before
  }
  // The first time a plan is asked for; the sizes of tables are asked for every two seconds.
  await ask()
  return Math.min(await count(), await count())
}

describe('a read of a large table stays on the main thread', () => {
  it.each([
    ['in creation order', {}],
    ['by an index', { filter: { code: 5 } }],
    ['by an index that serves the sort', { filter: { kind: 'a' }, sort: '-code' }],
    ['by an index and a comparison', { filter: { kind: 'a', free: { $gte: 1 } }, sort: 'code' }],
    ['of a search', { search: 'n77' }],
    ['with a relation expanded', { expand: 'group', sort: 'code' }],
    ['page by page', { sort: 'code', top: 5, select: 'code' }],
  ])('%s', async (_name, words) => {
    const here = await statementsHere('entry', words)
    expect(here).toBeGreaterThan(0)
    expect(here).toBeLessThanOrEqual(2)
  })

  it('for the newest children of a few parents', async () => {
    expect(await statementsHere('group', { expand: 'entries' })).toBe(2)
  })
})

describe('a read of a large table that looked dear and was quick', () => {
  it.each([
    ['for a condition without an index', { filter: { free: 3 } }],
    ['for a text inside of another', { filter: { note: { $contains: 'n50' } } }],
  ])('runs on the main thread from then on: %s', async (_name, words) => {
    // On a busy machine a quick read may look slow a few times.
    await vi.waitFor(async () => expect(await statementsHere('entry', words)).toBe(1), { timeout: 15_000 })
  })
})

describe('groups of a large table', () => {
  const words = { groupBy: 'kind', aggregations: [{ function: 'sum', field: 'code' }] }
  const sums = async (): Promise<number[]> => {
    const { body } = await host.post('/data/entry/query', words)
    return body.records.map((record: Record<string, number>) => Object.values(record).find(Number.isFinite)!)
  }

  it('are answered from memory until something is written, and count anew then', async () => {
    const before = await sums()
    expect(await sums()).toEqual(before)
    const { body } = await host.post('/data/entry', { code: 1_000_000, kind: 'a', note: 'late' })
    const after = await sums()
    expect(after.reduce((sum, value) => sum + value)).toBe(before.reduce((sum, value) => sum + value) + 1_000_000)
    await host.delete(`/data/entry/${body.id}?purge=true`)
    await host.delete(`/data/entry/${body.id}?purge=true`)
    expect(await sums()).toEqual(before)
  })
})

describe('a read of a large table goes to the reader process', () => {
  it.each([
    ['for a sort without an index', { sort: 'free' }],
    ['for a condition without an index that nothing meets', { filter: { free: 30 } }],
    ['for a text inside of another that nothing has', { filter: { note: { $contains: 'none' } } }],
    ['for a text beside an index', { filter: { kind: 'a', note: { $endsWith: '7' } }, sort: 'code' }],
    ['for elements of lists', { filter: { kind: 'a', tags: { $any: ['x'] } }, sort: 'code' }],
    ['for a condition over a relation', { filter: { 'group.name': 'g0' } }],
    ['for a sort over a relation', { sort: 'group.name' }],
    ['for groups', { groupBy: 'kind', aggregations: [{ function: 'count' }] }],
    ['for groups of one index range', { filter: { kind: 'a' }, aggregations: [{ function: 'sum', field: 'free' }] }],
    ['for distinct rows', { select: 'kind', distinct: true }],
    ['for a far offset', { skip: 40_000 }],
  ])('%s', async (_name, words) => {
    expect(await statementsHere('entry', words)).toBe(0)
  })

  it('for a count, while the page is read here', async () => {
    expect(await statementsHere('entry', { count: true })).toBe(1)
    const { body } = await host.post('/data/entry/query', { count: true, top: 1 })
    expect(body.total).toBe(rows)
  })

  it('for children that have to be sorted', async () => {
    expect(await statementsHere('group', { expand: { entries: { orderBy: 'free', limit: 2 } } })).toBe(1)
  })

  it('and answers the same', async () => {
    const { body } = await host.post('/data/entry/query', {
      filter: { 'group.name': 'g1', free: 3 },
      sort: '-code',
      top: 3,
    })
    expect(body.records.map((record: { code: number }) => record.code)).toEqual(
      Array.from({ length: rows }, (_, n) => n)
        .filter((n) => n % 2 === 1 && n % 7 === 3)
        .toReversed()
        .slice(0, 3),
    )
  })
})
