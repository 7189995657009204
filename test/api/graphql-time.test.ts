// A document that takes longer than its five seconds: it is answered then, and nothing of it is run afterwards (D-182).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { graphqlTimeoutMs } from '#shared/contracts/graphql.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost

/** What one record costs: its hook never ends by itself. */
const hookMs = 1_000

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('slow', { name: { type: 'text' } })
  await host.put('/meta/hook/slow.endless', {
    name: 'slow.endless',
    object: 'slow',
    events: ['beforeInsert'],
    body: 'for (;;) {}',
    timeoutMs: hookMs,
    onError: 'log',
  })
}, 60_000)

afterAll(async () => host?.stop())

it('ends a document after five seconds with 504, and what had not begun never happens', async () => {
  const count = 15
  const writes = Array.from({ length: count }, (_, i) => `a${i}: createSlow(data: {name: "${i}"}) { id }`)
  const startedAt = performance.now()
  const answer = await host.post('/graphql', { query: `mutation { ${writes.join(' ')} }` })
  const took = performance.now() - startedAt
  expect([answer.status, answer.body.error?.code]).toEqual([504, 'timeout'])
  expect(answer.body.error.details).toMatchObject({ limitMs: graphqlTimeoutMs })
  expect(took).toBeGreaterThan(graphqlTimeoutMs - 100)
  expect(took).toBeLessThan(graphqlTimeoutMs + 3_000)

  await new Promise((resolve) => setTimeout(resolve, 2 * hookMs))
  const left = (await host.get('/data/slow?count=true&top=1')).body.total
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(count - 5)
  await new Promise((resolve) => setTimeout(resolve, 2 * hookMs))
  expect((await host.get('/data/slow?count=true&top=1')).body.total).toBe(left)
}, 60_000)
