// 120 questions over public data sets (test/questions): the embedded provider answers most of them with what the query of a
// person finds, says so where it is not sure, and is never wrong where it claims to be.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { questions } from '../questions/vega-questions.ts'
import type { ExpectedQuery } from '../questions/vega-questions.ts'
import { seedVega } from '../questions/vega-workspace.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.patch('/settings', { timezone: 'UTC', rateLimits: { heavy: null, read: null, write: null } })
  await seedVega(host)
}, 120_000)
afterAll(async () => host?.stop())

/** Share of questions that are answered right at least. */
const leastRight = 0.85

/** Above this nothing may be wrong (D-291). */
const sure = 0.8

type Query = Record<string, unknown>

/** What a query finds, so that two of them can be compared: values of an order or of groups, else the records. */
async function foundBy({ object, ...query }: Query & { object: string }): Promise<unknown> {
  const isList = query['aggregations'] === undefined
  const sort = query['sort'] as readonly { field: string }[] | undefined
  const body = { ...query, ...(query['isAll'] === true ? { top: 1_000 } : {}), ...(isList ? { count: true } : {}) }
  delete (body as Query)['isAll']
  const answer = await host.post(`/data/${object}/query`, body)
  if (answer.status !== 200) return { object, error: answer.body.error?.code }
  const records = answer.body.records as Query[]
  if (!isList) {
    // Names of values and groups are the provider's own.
    return {
      object,
      groups: records.map((one) => JSON.stringify(Object.values(one).map(rounded).toSorted())).toSorted(),
    }
  }
  const { total } = answer.body
  const [term] = sort ?? []
  if (term !== undefined) return { object, total, order: records.map((one) => one[term.field]) }
  return { object, total, ids: records.map((one) => one['id']).toSorted() }
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? value.toFixed(6) : value === null ? 'null' : value
}

function written({ object, filter = {}, sort, top, value, groupBy }: ExpectedQuery): Query & { object: string } {
  const terms =
    sort === undefined ? [] : [{ field: sort.replace(/^-/, ''), order: sort.startsWith('-') ? 'desc' : 'asc' }]
  if (value === undefined) return { object, filter, sort: terms, ...(top === undefined ? { isAll: true } : { top }) }
  const [fn, field] = value
  return {
    object,
    filter,
    top: 100,
    aggregations: [{ function: fn, ...(field === undefined ? {} : { field }), alias: 'value' }],
    ...(groupBy === undefined ? {} : { groupBy: [groupBy], sort: [{ field: 'value', order: 'desc' }] }),
  }
}

it('answers at least 85 of 100 questions right, and none wrong that it is sure of', async () => {
  expect(questions.length).toBe(120)
  const wrong: string[] = []
  const wrongButSure: string[] = []
  for (const [question, expected] of questions) {
    const { status, body } = await host.post('/ai/nlq', { query: question })
    const made = status === 200 ? body.query : null
    const isAll = expected.top === undefined && expected.value === undefined
    const asked =
      made === null ? null : { ...made, ...(isAll && made.aggregations === undefined ? { isAll: true } : {}) }
    const found = asked === null ? null : await foundBy(asked)
    if (JSON.stringify(found) === JSON.stringify(await foundBy(written(expected)))) continue
    const line = `${question} (${made === null ? body.error?.code : body.confidence}): ${JSON.stringify(made)}`
    wrong.push(line)
    if (made !== null && body.confidence > sure) wrongButSure.push(line)
  }
  expect(wrongButSure).toEqual([])
  expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(Math.floor(questions.length * (1 - leastRight)))
}, 120_000)
