// Templates inside of the filters of flows and triggers: who sends a value chooses what is compared with, and never how
// (D-411).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { rowOf, runFlow, runOf, saveFlow } from '../support/flow-calls.ts'

let host: TestHost
const tokens = ['one', 'two', 'three']

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('lead', { token: { type: 'text' }, amount: { type: 'number' }, about: { type: 'record' } })
})

afterAll(() => host?.stop())

beforeEach(async () => {
  const all = (await host.get('/data/lead?top=100')).body.records as { id: string }[]
  for (const { id } of all) await host.delete(`/data/lead/${id}`)
  for (const [at, token] of tokens.entries()) await host.post('/data/lead', { token, amount: at })
})

const left = async (): Promise<unknown[]> =>
  ((await host.get('/data/lead?sort=amount&top=100')).body.records as { token: unknown }[]).map(({ token }) => token)

let count = 0
const run = async (node: Record<string, unknown>, params: Record<string, unknown>) => {
  count += 1
  await saveFlow(host, `filter_${count}`, rowOf({ id: 'n', ...node }))
  return runFlow(host, `filter_${count}`, { params })
}
const errorOf = ({ error }: Record<string, unknown>): unknown => error

describe('a filter with templates inside', () => {
  it('compares with what an unknown sender sends, and deletes nothing else', async () => {
    const drop = {
      id: 'drop',
      type: 'delete_record',
      config: { object: 'lead', filter: { token: '{{ params.body.token }}' } },
    }
    await saveFlow(host, 'drops', { runAs: 'system', ...rowOf(drop) })
    const receiver = { name: 'drops', path: 'drops', action: 'trigger_flow', target: 'drops' }
    expect((await host.post('/webhook-receivers', receiver)).status).toBe(201)
    for (const token of [{ $ne: '' }, { $field: 'token' }, ['one', 'two'], { $in: tokens }, {}, [null]]) {
      const { status } = await host.anonymous('POST', '/hooks/drops', { token })
      expect([token, status, await left()]).toEqual([token, expect.any(Number), tokens])
      expect(status).toBeGreaterThanOrEqual(400)
    }
    const { runs } = (await host.get('/automation/drops/runs')).body.data as { runs: { id: string }[] }
    expect(errorOf(await runOf(host, 'drops', runs.at(-1)!.id))).toMatchObject({
      code: 'validation_error',
      nodeId: 'drop',
      message: 'config.filter.token: A template brings a map where a single value belongs.',
      fieldErrors: [{ field: 'config.filter.token', code: 'invalid_type' }],
    })
    expect((await host.anonymous('POST', '/hooks/drops', { token: 'two' })).status).toBe(200)
    expect(await left()).toEqual(['one', 'three'])
  })

  it('takes single values and, as operands, lists', async () => {
    const update = (filter: unknown) => ({
      type: 'update_record',
      config: { object: 'lead', filter, data: { about: null } },
    })
    for (const [filter, params, changed] of [
      [{ amount: { $gt: '{{ params.min }}' } }, { min: 0 }, 2],
      [{ token: { $in: '{{ params.all }}' } }, { all: ['one', 'three'] }, 2],
      [{ token: { $nin: '{{ params.all }}' } }, { all: ['one', 'three'] }, 1],
      [['token', 'in', '{{ params.all }}'], { all: ['two'] }, 1],
      [{ amount: { $between: ['{{ params.from }}', '{{ params.to }}'] } }, { from: 1, to: 2 }, 2],
      ['{{ params.filter }}', { filter: { token: { $ne: 'one' } } }, 2],
    ] as const) {
      const { error, steps } = await run(update(filter), params)
      expect([filter, error, steps[1]?.['output']]).toEqual([filter, undefined, { count: changed }])
    }
  })

  it('is refused as text, where a value could go on with it', async () => {
    const get = {
      type: 'get_record',
      config: { object: 'lead', first: false, filter: '{"token": "{{ params.token }}"}' },
    }
    const token = 'x", "$or": [{}], "a": "'
    expect(errorOf(await run(get, { token }))).toMatchObject({ fieldErrors: [{ field: 'config.filter' }] })
  })

  it('is one in a query of analytics, too', async () => {
    const sums = (more: object) => ({
      type: 'analytics_query',
      config: { cube: 'lead', measures: ['lead.count'], ...more },
    })
    const equals = (values: unknown) => [{ member: 'lead.token', operator: 'equals', values }]
    const token = { $field: 'token' }
    for (const more of [
      { where: { token: '{{ params.token }}' } },
      { query: { cube: 'lead', measures: ['lead.count'], where: { token: '{{ params.token }}' } } },
      { filters: equals(['{{ params.token }}']) },
    ]) {
      expect(errorOf(await run(sums(more), { token }))).toMatchObject({ code: 'validation_error', nodeId: 'n' })
      const { error, steps } = await run(sums(more), { token: 'one' })
      expect([error, steps[1]?.['output']]).toEqual([undefined, [{ 'lead.count': 1 }]])
    }
    const { error, steps } = await run(sums({ filters: equals('{{ params.all }}') }), { all: ['one', 'two'] })
    expect([error, steps[1]?.['output']]).toEqual([undefined, [{ 'lead.count': 2 }]])
  })
})

describe('the fields an upsert matches', () => {
  const upsert = (matchFields: string[]) => ({
    type: 'upsert_record',
    config: { object: 'lead', matchFields, data: '{{ params.body }}' },
  })

  it('are compared with single values alone', async () => {
    for (const token of [{ $startsWith: 'tw' }, { $field: 'token' }, ['two']]) {
      const ended = await run(upsert(['token']), { body: { token, amount: 9 } })
      expect(errorOf(ended)).toMatchObject({
        code: 'validation_error',
        fieldErrors: [{ field: 'config.data.token', code: 'invalid_type' }],
      })
    }
    expect(await left()).toEqual(tokens)
    const ended = await run(upsert(['token']), { body: { token: 'two', amount: 9 } })
    expect([errorOf(ended), await left()]).toEqual([undefined, ['one', 'three', 'two']])
  })

  it('may be links to records', async () => {
    const { id } = (await host.get('/data/lead?token=one')).body.records[0]
    const body = { about: { object: 'lead', id }, token: 'linked', amount: 7 }
    for (const _ of [1, 2]) expect(errorOf(await run(upsert(['about']), { body }))).toBeUndefined()
    expect(await left()).toEqual([...tokens, 'linked'])
  })
})

describe('an action of a trigger', () => {
  it('changes what its record names, and not what it describes', async () => {
    await host.defineObject('wish', { name: { type: 'text' }, more: { type: 'json' } })
    const config = { object: 'lead', filter: { token: '{{ record.more }}' }, data: { amount: 50 } }
    const item = { name: 'wish.mark', object: 'wish', events: ['create'], actions: [{ type: 'update_record', config }] }
    const saved = await host.put('/meta/trigger/wish.mark', { type: 'trigger', name: 'wish.mark', item })
    expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    const runs = async (): Promise<{ status: string; error: string | null }[]> =>
      (await host.get('/meta/trigger/wish.mark/runs')).body.runs
    const amounts = async () =>
      ((await host.get('/data/lead?sort=token')).body.records as { amount: number }[]).map(({ amount }) => amount)
    await host.post('/data/wish', { name: 'a', more: { $ne: '' } })
    await expect.poll(async () => (await runs()).length, { timeout: 10_000 }).toBe(1)
    expect((await runs())[0]).toMatchObject({ status: 'failed', error: expect.stringContaining('filter.token') })
    expect(await amounts()).toEqual([0, 2, 1])
    await host.post('/data/wish', { name: 'b', more: 'two' })
    await expect.poll(amounts, { timeout: 10_000 }).toEqual([0, 2, 50])
  })
})
