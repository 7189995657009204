// Scripts that call the host more than they wait for: where they end, and what is left of them (D-99).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  for (const name of ['note', 'chain']) await host.defineObject(name, { text: { type: 'text' } })
})
afterAll(() => host.stop())

async function runFunction(source: string): Promise<Answer> {
  expect((await host.put('/meta/function/probe', { name: 'probe', source })).status).toBe(200)
  return host.post('/functions/probe/run')
}

const count = async (object: string): Promise<number> =>
  (await host.get(`/data/${object}?top=1&count=true`)).body.total as number

describe('calls of a script', () => {
  it.each([
    ['in a loop', 'for (let n = 0; n < 100_000; n++) records.create("note", { text: "x" })', /await some/],
    [
      'in a loop that catches',
      'for (;;) { try { records.list("note").catch(() => undefined) } catch {} }',
      /await some|computing time/,
    ],
    ['of many bytes', 'for (let n = 0; n < 30; n++) records.create("note", { text: "x".repeat(1e6) })', /await some/],
  ])('that wait without end are refused %s, and those that wait are dropped', async (_how, source, reason) => {
    const { status, body } = await runFunction(source)
    expect([422, 504]).toContain(status)
    expect(body.error.details.reason).toMatch(reason)
    expect(await count('note')).toBeLessThan(1_000)
  })

  it('may be some hundreds at once', async () => {
    const source = `
      const made = await Promise.all(Array.from({ length: 300 }, () => records.create('note', { text: 'all' })))
      const read = await Promise.all(made.map(({ id }) => records.get('note', id)))
      return read.length
    `
    expect((await runFunction(source)).body.result).toBe(300)
  })

  it('of a hook that writes to its own object end soon, and others go on', async () => {
    const body = 'for (let n = 0; n < 100_000; n++) records.create("chain", { text: "x" })'
    const hook = { name: 'chain.flood', object: 'chain', events: ['beforeInsert'], body }
    expect((await host.put('/meta/hook/chain.flood', hook)).status).toBe(200)
    const [first, second] = await Promise.all([
      host.post('/data/chain', { text: 'a' }),
      host.post('/data/chain', { text: 'b' }),
    ])
    expect([first!.status, second!.status]).toEqual([400, 400])
    expect((await host.get('/data/note?top=1')).status).toBe(200)
    expect(await count('chain')).toBe(0)
  })
})
