// What starts flows by itself: changes of records and schedules (D-154, D-160, D-205).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { areOver, runOf, runsWhen, saveFlow } from '../support/flow-calls.ts'

const clock = createManualClock(Date.UTC(2026, 0, 5, 12))
let host: TestHost

beforeAll(async () => {
  host = await createTestHost({ clock })
  await host.patch('/settings', { timezone: 'Europe/Berlin' })
  await host.defineObject('task', { title: { type: 'text' }, points: { type: 'number' } })
  await host.defineObject('note', { of: { type: 'text' }, text: { type: 'text' } })
  await host.defineObject('ping', { n: { type: 'number' } })
})

afterAll(() => host.stop())

const onChange = (object: string, events: string[], rest: Record<string, unknown> = {}) => ({
  id: 'start',
  type: 'start',
  config: { object, events, ...rest },
})
const flowOf = (start: Record<string, unknown>, ...nodes: Record<string, unknown>[]) => {
  const all = [start, ...nodes]
  return { nodes: all, edges: nodes.map((node, at) => ({ id: `${at}`, source: all[at]!['id'], target: node['id'] })) }
}
const outbox = () =>
  (host.host.database.read.get({ sql: 'SELECT count(*) AS n FROM _outbox', parameters: [] }) as { n: number }).n

/** Waits until nothing is under way. */
async function quiet(): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const open = host.host.database.read.get<{ n: number }>({
      sql: "SELECT count(*) AS n FROM automation_run WHERE status IN ('pending','running','retrying')",
      parameters: [],
    })!.n
    if (open === 0 && outbox() === 0) return
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  throw new Error('Runs do not come to an end.')
}

describe('record_change', () => {
  it('starts for the changes it names, with record, previous and event', async () => {
    const text = {
      id: 'say',
      type: 'create_record',
      config: {
        object: 'note',
        data: { of: '{{ record.id }}', text: '{{ event.type }} {{ previous.title }} {{ record.title }}' },
      },
    }
    await saveFlow(host, 'follows', {
      type: 'record_change',
      ...flowOf(onChange('task', ['create', 'update', 'delete', 'undelete']), text),
    })
    const { id } = (await host.post('/data/task', { title: 'a' })).body
    await host.patch(`/data/task/${id}`, { title: 'b' })
    await host.delete(`/data/task/${id}`)
    await host.post(`/data/task/${id}/restore`)
    await quiet()
    const { records } = (await host.get(`/data/note?of=${id}&sort=created_at&select=text`)).body
    expect(records.map((record: { text: string }) => record.text)).toEqual([
      'create  a',
      'update a b',
      'delete b b',
      'undelete b b',
    ])
    const { runs } = (await host.get('/automation/follows/runs')).body.data
    expect(runs.at(-1)).toMatchObject({
      status: 'completed',
      trigger: { type: 'record_change', object: 'task', recordId: id, event: 'create' },
    })
    await host.post('/automation/follows/toggle', { enabled: false })
  })

  it('keeps to its condition and fields', async () => {
    await saveFlow(host, 'picky', {
      type: 'record_change',
      ...flowOf(onChange('task', ['update'], { fields: ['points'], condition: 'record.points > 5' })),
    })
    const { id } = (await host.post('/data/task', { title: 'p', points: 1 })).body
    await host.patch(`/data/task/${id}`, { title: 'q' })
    await host.patch(`/data/task/${id}`, { points: 5 })
    await host.patch(`/data/task/${id}`, { points: 6 })
    await host.patch(`/data/task/${id}`, { title: 'r' })
    await quiet()
    expect((await host.get('/automation/picky/runs')).body.data.total).toBe(1)
    await host.delete('/automation/picky')
  })

  it('tells a condition that cannot be judged', async () => {
    await saveFlow(host, 'unsure', {
      type: 'record_change',
      ...flowOf(onChange('task', ['create'], { condition: 'record.points + "x" == 1' })),
    })
    await host.post('/data/task', { title: 'p', points: 1 })
    const [run] = await runsWhen(host, 'unsure', (runs) => runs.length === 1 && areOver(runs))
    expect(run).toMatchObject({ status: 'failed', error: { code: 'expression_error' } })
    await host.delete('/automation/unsure')
  })

  it('costs no row of the outbox where nobody listens', async () => {
    const seen: number[] = []
    const stop = host.host.bus.onCommitted('record.created', () => seen.push(outbox()))
    await host.post('/data/task', { title: 'unheard' })
    await saveFlow(host, 'hears', { type: 'record_change', ...flowOf(onChange('task', ['create'])) })
    await host.post('/data/task', { title: 'heard' })
    await host.post('/data/note', { text: 'of another object' })
    await host.post('/automation/hears/toggle', { enabled: false })
    await host.post('/data/task', { title: 'switched off' })
    stop()
    expect(seen).toEqual([0, 1, expect.any(Number) as number, expect.any(Number) as number])
    await quiet()
    expect((await host.get('/automation/hears/runs')).body.data.total).toBe(1)
  })

  it('starts once for an event, also when it is handed over again', async () => {
    await saveFlow(host, 'once', { type: 'record_change', ...flowOf(onChange('task', ['create'])) })
    await host.post('/data/task', { title: 'once' })
    await quiet()
    // The cursor as it is when the process ends before it is stored.
    await host.host.database.write('test.cursor', (tx) => {
      tx.run({ sql: "UPDATE _outbox_cursor SET seq = 0 WHERE consumer = 'flows'", parameters: [] })
      const event = host.takeEvents().findLast(({ type }) => type === 'record.created')
      tx.run({
        sql: 'INSERT INTO _outbox (consumers, event) VALUES (?, ?)',
        parameters: ['["flows"]', JSON.stringify(event)],
      })
    })
    await host.restart()
    await quiet()
    expect((await host.get('/automation/once/runs')).body.data.total).toBe(1)
    await host.delete('/automation/once')
  })

  it('ends a chain of flows that start each other at depth 5', async () => {
    await saveFlow(host, 'pings', {
      type: 'record_change',
      ...flowOf(onChange('ping', ['create']), {
        id: 'more',
        type: 'create_record',
        config: { object: 'ping', data: { n: '{{ record.n + 1 }}' } },
      }),
    })
    await host.post('/data/ping', { n: 0 })
    const runs = await runsWhen(host, 'pings', (all) => all.length === 5 && areOver(all))
    expect(runs.map(({ status }) => status)).toEqual(['failed', 'completed', 'completed', 'completed', 'completed'])
    expect(runs[0]).toMatchObject({ error: { code: 'execution_failed', reason: 'recursion' } })
    expect((await host.get('/data/ping?count=true')).body.total).toBe(5)
    await host.delete('/automation/pings')
  })

  it('does not start for imports that ask for quiet', async () => {
    await saveFlow(host, 'loud', { type: 'record_change', ...flowOf(onChange('task', ['create'])) })
    await host.post('/data/task/import', { rows: [{ title: 'quiet' }], runAutomations: false })
    await host.post('/data/task/import', { rows: [{ title: 'loud' }] })
    await quiet()
    expect((await host.get('/automation/loud/runs')).body.data.total).toBe(1)
    await host.delete('/automation/loud')
  })

  it('leaves nothing of a record that is purged in its runs', async () => {
    await saveFlow(host, 'remembers', {
      type: 'record_change',
      ...flowOf(onChange('task', ['create']), {
        id: 'see',
        type: 'get_record',
        config: { object: 'task', id: '{{ record.id }}' },
      }),
    })
    const { id } = (await host.post('/data/task', { title: 'quite forgettable' })).body
    await quiet()
    const [run] = await runsWhen(host, 'remembers', areOver)
    const stored = () =>
      JSON.stringify(
        ['automation_run', 'automation_step'].map((table) =>
          host.host.database.read.all({ sql: `SELECT * FROM ${table}`, parameters: [] }),
        ),
      )
    expect(JSON.stringify(await runOf(host, 'remembers', String(run!['id'])))).toContain('quite forgettable')
    await host.delete(`/data/task/${id}?purge=true`)
    expect(stored()).not.toContain('quite forgettable')
    expect((await runOf(host, 'remembers', String(run!['id']))).steps).toMatchObject([
      { status: 'success' },
      { status: 'success' },
    ])
    await host.delete('/automation/remembers')
  })
})

describe('schedules', () => {
  const nightly = (start: Record<string, unknown>, ...nodes: Record<string, unknown>[]) => ({
    type: 'schedule',
    ...flowOf({ id: 'start', type: 'start', config: start }, ...nodes),
  })
  const schedule = async (name: string) =>
    (await host.get('/automation/schedules')).body.data.schedules.find(
      (one: { flowName: string }) => one.flowName === name,
    )
  const ring = async () => {
    await host.post('/automation/follows/toggle', { enabled: false })
  }

  it('are listed with their next time, and run when it has come', async () => {
    await saveFlow(host, 'morning', nightly({ cron: '0 9 * * *' }))
    expect(await schedule('morning')).toEqual({
      flowName: 'morning',
      cron: '0 9 * * *',
      timezone: 'Europe/Berlin',
      status: 'active',
      nextRunAt: '2026-01-06T08:00:00.000Z',
      lastRunAt: null,
      totalRuns: 0,
      consecutiveFailures: 0,
    })
    clock.set(Date.parse('2026-01-06T08:00:01Z'))
    await ring()
    expect(await runsWhen(host, 'morning', (runs) => runs.length === 1 && areOver(runs))).toMatchObject([
      { status: 'completed', trigger: { type: 'schedule' } },
    ])
    expect(await schedule('morning')).toMatchObject({
      nextRunAt: '2026-01-07T08:00:00.000Z',
      lastRunAt: '2026-01-06T08:00:01.000Z',
      totalRuns: 1,
    })
  })

  it('catch up once what was missed while the host was off, or skip it', async () => {
    await saveFlow(host, 'skips', nightly({ everySeconds: 3600, timezone: 'UTC', catchUp: 'skip' }))
    clock.set(Date.parse('2026-01-12T12:00:00Z'))
    await host.restart()
    const runs = await runsWhen(host, 'morning', (all) => all.length === 2 && areOver(all))
    expect(runs).toHaveLength(2)
    expect(await schedule('morning')).toMatchObject({ nextRunAt: '2026-01-13T08:00:00.000Z', totalRuns: 2 })
    expect((await host.get('/automation/skips/runs')).body.data.total).toBe(0)
    expect(await schedule('skips')).toMatchObject({ cron: 'every 3600 s', nextRunAt: '2026-01-12T12:00:01.000Z' })
  })

  it('pause and go on', async () => {
    const paused = await host.post('/automation/schedules/morning/pause')
    expect(paused.body.data).toMatchObject({ status: 'paused', nextRunAt: null })
    clock.set(Date.parse('2026-01-13T12:00:00Z'))
    await ring()
    expect((await host.get('/automation/morning/runs')).body.data.total).toBe(2)
    const resumed = await host.post('/automation/schedules/morning/resume')
    expect(resumed.body.data).toMatchObject({ status: 'active', nextRunAt: '2026-01-14T08:00:00.000Z' })
    expect((await host.post('/automation/schedules/once/pause')).body.error.code).toBe('flow_not_found')
    expect((await host.post('/automation/schedules/hears/pause')).body.error.code).toBe('flow_not_found')
  })

  it('follow the flow: another time, switched off, gone', async () => {
    await host.put('/automation/morning', nightly({ cron: '0 10 * * *', timezone: 'UTC' }))
    await host.post('/automation/morning/toggle', { enabled: true })
    expect(await schedule('morning')).toMatchObject({
      cron: '0 10 * * *',
      timezone: 'UTC',
      nextRunAt: '2026-01-14T10:00:00.000Z',
    })
    await host.post('/automation/morning/toggle', { enabled: false })
    expect(await schedule('morning')).toBeUndefined()
    clock.set(Date.parse('2026-01-15T12:00:00Z'))
    await host.post('/automation/morning/toggle', { enabled: true })
    expect(await schedule('morning')).toMatchObject({ nextRunAt: '2026-01-16T10:00:00.000Z', totalRuns: 2 })
    await host.delete('/automation/morning')
    expect(await schedule('morning')).toBeUndefined()
  })

  it('that fail 20 times in a row pause and tell their owner', async () => {
    await saveFlow(
      host,
      'hopeless',
      nightly({ everySeconds: 60 }, { id: 'e', type: 'end', config: { status: 'failed' } }),
    )
    for (let at = 1; at <= 20; at += 1) {
      clock.advance(60_000)
      await ring()
      await runsWhen(host, 'hopeless', (runs) => runs.length === at && areOver(runs))
    }
    expect(await schedule('hopeless')).toMatchObject({ status: 'paused', consecutiveFailures: 20, totalRuns: 20 })
    const { notifications } = (await host.get('/notifications')).body
    expect(notifications.filter((one: { title: string }) => one.title.includes('hopeless'))).toMatchObject([
      { type: 'flow' },
    ])
    clock.advance(120_000)
    await ring()
    expect((await host.get('/automation/hopeless/runs')).body.data.total).toBe(20)
  })

  it('come at their time again once a clock that was years ahead is set right', async () => {
    const now = clock.now()
    clock.set(Date.UTC(2036, 0, 1))
    await saveFlow(host, 'ahead', nightly({ cron: '0 3 * * *', timezone: 'UTC' }))
    clock.set(now)
    await host.restart()
    const next = Date.parse((await schedule('ahead')).nextRunAt)
    expect(next - now).toBeLessThanOrEqual(86_400_000)
  })
})
