// Flows that run as the system and triggers keep to one organization: their rights are all rights, over its records (D-41).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/create-test-host.ts'
import { areOver, rowOf, runsWhen, saveFlow } from '../support/flow-calls.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
const users = ['org-1', 'org-2'].map((organizationId) => ({
  organizationId,
  memberships: [{ organizationId, role: 'member', teams: [] }],
}))
type Body = Record<string, unknown>

beforeAll(async () => {
  host = await createPeopledHost({ users, organizations: true })
  await host.defineObject('task', { title: { type: 'text' }, note: { type: 'text' }, amount: { type: 'number' } })
  await host.defineObject('link', { task: { type: 'lookup', reference: 'task' } })
  for (const number of [0, 1]) await host.assign(number, { profile: 'administrator' })
  await host.as(0).post('/data/task', { title: 'one', amount: 1 })
  await host.as(1).post('/data/task', { title: 'two', amount: 2 })
})
afterAll(() => host.stop())

const titles = async (number: number): Promise<string[]> => {
  const { records } = (await host.as(number).get('/data/task?sort=created_at')).body as { records: { title: string }[] }
  return records.map(({ title }) => title)
}

/** Saves a flow of the system as the first user, with its nodes in a row. */
const system = (name: string, output: Body, ...nodes: Body[]): Promise<void> => {
  const { nodes: all, edges } = rowOf(...nodes)
  const end = { id: 'end', type: 'end', config: { output } }
  return saveFlow(host.as(0), name, { runAs: 'system', nodes: all.with(-1, end), edges })
}

const outputFor = async (number: number, name: string, body: Body = {}): Promise<Answer['body']> => {
  const answer = await host.as(number).post(`/automation/${name}/trigger`, body)
  return answer.body.data?.output ?? answer.body.error
}

describe('a flow that runs as the system', () => {
  it('reads, counts and lists the records of who started it', async () => {
    const found = { object: 'task', filter: {}, first: false, select: ['title'], top: 50 }
    await system(
      'reads',
      { found: '{{ found }}', sum: '{{ sum }}', listed: '{{ listed }}' },
      { id: 'g', type: 'get_record', outputVariable: 'found', config: found },
      {
        id: 'a',
        type: 'analytics_query',
        outputVariable: 'sum',
        config: { cube: 'task', measures: ['count', 'amount.sum'] },
      },
      {
        id: 's',
        type: 'script',
        outputVariable: 'listed',
        config: { source: 'const r = await records.list("task", {}); return (r.records ?? r).map((one) => one.title)' },
      },
    )
    for (const [number, title, amount] of [
      [0, 'one', 1],
      [1, 'two', 2],
      [0, 'one', 1],
    ] as const) {
      const output = await outputFor(number, 'reads')
      expect(output.found).toMatchObject([{ title }])
      expect(output.found).toHaveLength(1)
      expect(output.sum).toEqual([{ count: 1, 'amount.sum': amount }])
      expect(output.listed).toEqual([title])
    }
  })

  it('changes, deletes and refers to nothing of another one', async () => {
    const { records } = (await host.as(0).get('/data/task')).body as { records: { id: string }[] }
    const change = { object: 'task', filter: { title: '{{ params.title }}' } }
    await system(
      'changes',
      { o: '{{ o }}' },
      {
        id: 'c',
        type: 'update_record',
        outputVariable: 'o',
        config: { ...change, data: { note: 'changed' } },
      },
    )
    await system('deletes', { o: '{{ o }}' }, { id: 'd', type: 'delete_record', outputVariable: 'o', config: change })
    await system(
      'by_id',
      { o: '{{ o }}' },
      {
        id: 'g',
        type: 'get_record',
        outputVariable: 'o',
        config: { object: 'task', id: '{{ params.id }}' },
      },
    )
    await system(
      'links',
      {},
      {
        id: 'l',
        type: 'create_record',
        config: { object: 'link', data: { task: '{{ params.id }}' } },
      },
    )
    const params = { title: 'one', id: records[0]!.id }
    expect(await outputFor(1, 'changes', { params })).toEqual({ o: { count: 0 } })
    expect(await outputFor(1, 'deletes', { params })).toEqual({ o: { count: 0 } })
    expect(await outputFor(1, 'by_id', { params })).toEqual({ o: null })
    expect((await outputFor(1, 'links', { params })).details.cause.code).toBe('validation_error')
    expect(await titles(0)).toEqual(['one'])
    expect(await outputFor(0, 'changes', { params })).toEqual({ o: { count: 1 } })
  })

  it('makes records of the organization it runs in, and works on those of a record that started it', async () => {
    await system(
      'makes',
      { of: '{{ o.organization_id }}' },
      {
        id: 'c',
        type: 'create_record',
        outputVariable: 'o',
        config: { object: 'task', data: { title: 'made' } },
      },
    )
    expect(await outputFor(1, 'makes')).toEqual({ of: 'org-2' })
    const { nodes, edges } = rowOf(
      {
        id: 'g',
        type: 'get_record',
        outputVariable: 'o',
        config: { object: 'task', filter: {}, first: false, top: 50 },
      },
      {
        id: 'u',
        type: 'update_record',
        config: { object: 'task', id: '{{ record.id }}', data: { note: 'of {{ o.size() }}' } },
      },
    )
    const start = { object: 'task', events: ['create'], condition: 'record.title == "counted"' }
    await saveFlow(host.as(0), 'counts', {
      type: 'record_change',
      runAs: 'system',
      nodes: nodes.with(0, { id: 'start', type: 'start', config: start }),
      edges,
    })
    const { id } = (await host.as(1).post('/data/task', { title: 'counted' })).body
    await runsWhen(host.as(1), 'counts', (runs) => runs.length === 1 && areOver(runs))
    expect((await host.as(1).get(`/data/task/${id}`)).body.record.note).toBe('of 3')
  })

  it('has its runs seen, stopped and signalled in the organization they belong to alone', async () => {
    await system('waits', {}, { id: 'w', type: 'wait', config: { signal: 'go' } })
    const { runId } = (await host.as(0).post('/automation/waits/trigger')).body.data
    const runs = async (number: number) => (await host.as(number).get('/automation/waits/runs')).body.data
    expect([(await runs(0)).total, await runs(1)]).toEqual([1, { runs: [], total: 0, hasMore: false }])
    const other = host.as(1)
    for (const answer of [
      await other.get(`/automation/waits/runs/${runId}`),
      await other.post(`/automation/waits/runs/${runId}/cancel`),
      await other.post(`/automation/waits/runs/${runId}/resume`),
    ])
      expect(answer.body.error).toMatchObject({ code: 'execution_not_found', httpStatus: 404 })
    await host.as(0).post('/automation/waits/trigger')
    const { nextCursor } = (await host.as(0).get('/automation/waits/runs?limit=1')).body.data
    const foreign = await other.get(`/automation/waits/runs?limit=1&cursor=${encodeURIComponent(nextCursor)}`)
    expect([foreign.status, foreign.body.error?.details.fieldErrors]).toMatchObject([400, [{ field: 'cursor' }]])
    expect((await other.post('/automation/signals/go')).body.data).toEqual({ resumed: 0 })
    expect((await host.as(0).post('/automation/signals/go')).body.data).toEqual({ resumed: 2 })
    await runsWhen(host.as(0), 'waits', areOver)
  })

  it('tells members of its organization alone', async () => {
    await system(
      'tells',
      { told: '{{ o.count }}' },
      { id: 'n', type: 'notify', outputVariable: 'o', config: { to: '{{ params.to }}', title: 'Told' } },
    )
    const [own, other] = [host.as(0), host.as(1)]
    expect(await outputFor(0, 'tells', { params: { to: own.id } })).toEqual({ told: 1 })
    const refused = await outputFor(0, 'tells', { params: { to: [own.id, other.id] } })
    expect(refused.details.cause.fieldErrors).toMatchObject([
      { field: 'config.to', code: 'invalid_reference', value: other.id },
    ])
    const counts = await Promise.all(
      [own, other].map(async (one) => (await one.get('/notifications')).body.unreadCount),
    )
    expect(counts).toEqual([1, 0])
  })

  it('on a schedule works where its last saver does', async () => {
    const { nodes, edges } = rowOf({
      id: 'c',
      type: 'create_record',
      config: { object: 'task', data: { title: 'ticked' } },
    })
    const start = { id: 'start', type: 'start', config: { everySeconds: 1 } }
    await saveFlow(host.as(1), 'ticks', { type: 'schedule', runAs: 'system', nodes: nodes.with(0, start), edges })
    await runsWhen(host.as(1), 'ticks', (runs) => runs.some(({ status }) => status === 'completed'))
    await host.as(1).delete('/automation/ticks')
    expect(await titles(1)).toContain('ticked')
    expect(await titles(0)).not.toContain('ticked')
  })

  it('is closed to who works in none', async () => {
    // The host itself, here without an organization.
    const answer = await host.post('/automation/reads/trigger', {})
    expect(answer.body.error?.details.cause ?? answer.body.error?.details).toMatchObject({ reason: 'no_organization' })
  })
})

describe('a trigger', () => {
  it('changes records of the organization of its record', async () => {
    const actions = [
      { type: 'update_record', config: { object: 'task', filter: {}, data: { note: 'by trigger' } } },
      { type: 'create_record', config: { object: 'task', data: { title: 'followed' } } },
    ]
    const item = { object: 'task', events: ['create'], condition: 'record.title == "pulled"', actions }
    await host.saveItem('trigger', 'task.pulls', item)
    await host.as(1).post('/data/task', { title: 'pulled' })
    for (let tries = 0; tries < 200 && !(await titles(1)).includes('followed'); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 25))
    const notes = async (number: number) =>
      new Set(
        ((await host.as(number).get('/data/task')).body.records as { note: string | null; title: string }[])
          .filter(({ title }) => title !== 'followed')
          .map(({ note }) => note),
      )
    expect([...(await notes(1))]).toEqual(['by trigger'])
    expect([...(await notes(0))]).not.toContain('by trigger')
    expect(await titles(0)).not.toContain('followed')
    const told = async (number: number) => (await host.as(number).get('/meta/trigger/task.pulls/runs')).body.runs.length
    expect([await told(0), await told(1)]).toEqual([0, 2])
  })
})

describe('a receiver', () => {
  it('works on the records of the organization it was made in', async () => {
    await host.saveItem('function', 'lists', {
      source: 'return (await records.list("task", {})).records.map((one) => one.title)',
    })
    await host.as(0).post('/webhook-receivers', { name: 'looks', path: 'looks', action: 'script', target: 'lists' })
    const { body } = await host.post('/hooks/looks', {})
    expect(body.result, JSON.stringify(body)).toEqual(await titles(0))
    const upsert = { name: 'puts', path: 'puts', action: 'upsert_record', target: 'task' }
    await host.as(1).post('/webhook-receivers', upsert)
    await host.post('/hooks/puts', { title: 'received' })
    expect([await titles(0), await titles(1)].map((all) => all.includes('received'))).toEqual([false, true])
  })
})
