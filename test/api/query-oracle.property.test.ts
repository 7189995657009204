// Random filters, sorts, pages and groups over random records, asked over HTTP, against a plain reading of D-72 to D-90.
// A long run asks 2,500 lists and as many groups.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import type { Meant } from '../support/query-oracle/conditions.ts'
import { filters } from '../support/query-oracle/conditions.ts'
import type { Rec, World } from '../support/query-oracle/dataset.ts'
import { clear, datasets, defineObjects, presentMs, store, zone } from '../support/query-oracle/dataset.ts'
import { groupings, orders, select } from '../support/query-oracle/groups.ts'
import { sized } from '../support/test-size.ts'

/** Sets of records; each is asked `asked` times. */
const runs = sized(3, 8, 50)
const asked = 50
const timeout = sized(120_000, 1_200_000)

let host: TestHost
beforeAll(async () => {
  host = await createTestHost({ clock: createManualClock(presentMs), validateResponses: false })
  await host.patch('/settings', { timezone: zone })
  await defineObjects(host, '_q')
})
afterAll(() => host.stop())

const withWorld = async (data: Parameters<typeof store>[2], check: (world: World) => Promise<void>): Promise<void> => {
  const world = await store(host, '_q', data)
  try {
    await check(world)
  } finally {
    await clear(host, '_q', world)
  }
}

const post = async (words: Record<string, unknown>) => {
  const { status, body } = await host.post('/data/task_q/query', words)
  expect(status, `${JSON.stringify(words)} ${JSON.stringify(body)}`).toBe(200)
  return body as { records: Rec[]; total?: number; nextCursor?: string; hasMore: boolean }
}
const ids = (records: readonly Rec[]): string[] => records.map((record) => record.id)

/** All pages of a list, by cursor. */
async function walk(words: Record<string, unknown>, top: number): Promise<Rec[]> {
  const found: Rec[] = []
  let cursor: string | undefined
  do {
    const page = await post({ ...words, top, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.records)
    cursor = page.nextCursor
    expect(page.hasMore).toBe(cursor !== undefined)
  } while (cursor !== undefined && found.length < 1_000)
  return found
}

async function checkList(
  world: World,
  filter: Meant,
  order: Parameters<typeof select>[2],
  top: number,
): Promise<number> {
  const expected = select(world, filter, order)
  const words = { filter: filter.object, ...(order.written === '' ? {} : { sort: order.written }) }
  const told = JSON.stringify(words)
  const all = await post({ ...words, top: 100, count: true })
  expect(ids(all.records), told).toEqual(ids(expected))
  expect(all.total, told).toBe(expected.length)
  // The same without a count goes out as text from the engine: not one character may differ.
  expect((await post({ ...words, top: 100 })).records, told).toEqual(all.records)
  expect(ids(await walk(words, top)), told).toEqual(ids(expected))
  if (filter.array !== null) {
    const parameters = new URLSearchParams({ filter: JSON.stringify(filter.array), top: '100' })
    if (order.written !== '') parameters.set('sort', order.written)
    const { status, body } = await host.get(`/data/task_q?${parameters}`)
    expect(status, `${parameters} ${JSON.stringify(body)}`).toBe(200)
    expect(ids(body.records), String(parameters)).toEqual(ids(expected))
  }
  return expected.length
}

describe('random queries', () => {
  it(
    'answer what a plain reading of the language answers, in every form and page by page',
    async () => {
      let telling = 0
      await fc.assert(
        fc.asyncProperty(
          datasets,
          fc.array(fc.tuple(filters, orders, fc.integer({ min: 1, max: 9 })), { minLength: asked, maxLength: asked }),
          (data, queries) =>
            withWorld(data, async (world) => {
              for (const [filter, order, top] of queries) {
                const found = await checkList(world, filter, order, top)
                if (found > 0 && found < world.task.size) telling += 1
              }
            }),
        ),
        { numRuns: runs, endOnFailure: true },
      )
      expect(telling).toBeGreaterThan((runs * asked) / 4)
    },
    timeout,
  )

  it(
    'group and aggregate as a plain reading does',
    async () => {
      let telling = 0
      await fc.assert(
        fc.asyncProperty(
          datasets,
          fc.array(fc.tuple(filters, groupings), { minLength: asked, maxLength: asked }),
          (data, queries) =>
            withWorld(data, async (world) => {
              for (const [filter, grouping] of queries) {
                const members = [...world.task.values()].filter((record) => filter.test(record, world))
                const expected = grouping.groups(members, world)
                const words = { ...grouping.words, filter: filter.object }
                const found = await post({ ...words, count: true })
                expect(found.total, JSON.stringify(words)).toBe(expected.length)
                expect(rounded(found.records), JSON.stringify(words)).toEqual(rounded(expected))
                if (expected.length > 1) telling += 1
              }
            }),
        ),
        { numRuns: runs, endOnFailure: true },
      )
      expect(telling).toBeGreaterThan((runs * asked) / 5)
    },
    timeout,
  )
})

/** Groups in an order of their own, sums of doubles without the digits that depend on the order of adding. */
function rounded(groups: readonly Record<string, unknown>[]): string[] {
  return groups
    .map((group) =>
      JSON.stringify(
        Object.entries(group)
          .map(([key, value]) => [key, typeof value === 'number' ? Number(value.toPrecision(12)) : value])
          .toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
      ),
    )
    .toSorted()
}
