// Runs that wait and go on: screens, signals, times, conditions, over restarts; and how many go on at a time
// (D-151, D-154, D-159).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { areOver, bodyOf, rowOf, runFlow, runOf, runsWhen, saveFlow } from '../support/flow-calls.ts'

const clock = createManualClock(Date.UTC(2026, 0, 5, 12))
let host: TestHost

beforeAll(async () => {
  host = await createTestHost({ clock })
  await host.defineObject('task', { title: { type: 'text' }, done: { type: 'boolean' } })
})

afterAll(() => host.stop())

/** Lets the timer see that the clock was moved. */
async function advance(seconds: number): Promise<void> {
  clock.advance(seconds * 1000)
  await saveFlow(host, `poke_${clock.now()}`, rowOf())
  await host.post(`/automation/poke_${clock.now()}/toggle`, { enabled: false })
}

const last = async (name: string) => (await runsWhen(host, name, areOver))[0]!
const resume = (name: string, id: unknown, body: unknown) =>
  host.post(`/automation/${name}/runs/${String(id)}/resume`, body)

describe('screens', () => {
  const screen = {
    id: 'ask',
    type: 'screen',
    outputVariable: 'answers',
    config: {
      title: 'For {{ params.who }}',
      submitLabel: 'Go',
      fields: [
        { name: 'age', label: 'Age', type: 'number', required: true },
        { name: 'size', type: 'select', options: ['s', { value: 'm', label: 'Medium' }] },
        { name: 'note', type: 'text', defaultValue: 'none' },
      ],
    },
  }
  const shown = { title: 'For Ada', submitLabel: 'Go', fields: [{ name: 'age' }, { name: 'size' }, { name: 'note' }] }

  it('are answered by the trigger and by GET …/screen, and go on with their inputs', async () => {
    await saveFlow(host, 'form', {
      type: 'screen',
      ...rowOf(screen, { id: 'use', type: 'transform', config: { expression: 'answers.age + 1' } }),
    })
    const started = await host.post('/automation/form/trigger', { who: 'Ada' })
    expect([started.status, started.body.data]).toMatchObject([200, { status: 'paused', success: true, screen: shown }])
    const { runId } = started.body.data
    const asked = await host.get(`/automation/form/runs/${runId}/screen`)
    expect(asked.body.data).toMatchObject({ runId, nodeId: 'ask', screen: shown })
    const refused = await resume('form', runId, { inputs: { age: 'old', size: 'xl' } })
    expect(
      refused.body.error.details.fieldErrors.map((one: { field: string; code: string }) => `${one.field} ${one.code}`),
    ).toEqual(['inputs.age invalid_type', 'inputs.size invalid_option'])
    expect((await resume('form', runId, { inputs: {} })).body.error.details.fieldErrors).toMatchObject([
      { field: 'inputs.age', code: 'required' },
    ])
    await host.restart()
    expect((await resume('form', runId, { inputs: { age: 41, size: 'm' } })).status).toBe(200)
    await last('form')
    const run = await runOf(host, 'form', runId)
    expect(run).toMatchObject({ status: 'completed', trigger: { type: 'screen' } })
    expect(run.steps[1]).toMatchObject({ status: 'success', output: { age: 41, size: 'm', note: 'none' } })
    expect(run.steps[2]).toMatchObject({ output: 42 })
    expect((await resume('form', runId, {})).body.error).toMatchObject({ code: 'run_not_resumable', httpStatus: 409 })
    expect((await host.get(`/automation/form/runs/${runId}/screen`)).body.error.code).toBe('run_not_resumable')
  })
})

describe('waits', () => {
  it('for a time end when it has come, also after a restart', async () => {
    await saveFlow(host, 'nap', rowOf({ id: 'w', type: 'wait', config: { durationSeconds: 3600 } }))
    const run = await runFlow(host, 'nap')
    expect(run).toMatchObject({
      status: 'paused',
      resumeAt: new Date(clock.now() + 3_600_000).toISOString(),
      waitingFor: { type: 'time' },
    })
    await advance(1800)
    expect((await runOf(host, 'nap', String(run['id'])))['status']).toBe('paused')
    clock.advance(1_800_000)
    await host.restart()
    expect(await runsWhen(host, 'nap', (runs) => runs[0]!['status'] === 'completed')).toHaveLength(1)
  })

  it('until a time, written or worked out', async () => {
    await saveFlow(host, 'until', rowOf({ id: 'w', type: 'wait', config: { until: '{{ params.at }}' } }))
    const run = await runFlow(host, 'until', { at: new Date(clock.now() + 60_000).toISOString() })
    expect(run['status']).toBe('paused')
    await advance(61)
    await runsWhen(host, 'until', (runs) => runs[0]!['status'] === 'completed')
    expect(await runFlow(host, 'until', { at: 'soon' })).toMatchObject({
      status: 'failed',
      error: { code: 'validation_error' },
    })
  })

  it('until a time without an offset, on the clock of the workspace', async () => {
    await host.patch('/settings', { timezone: 'America/New_York' })
    await saveFlow(host, 'walled', rowOf({ id: 'w', type: 'wait', config: { until: '{{ params.at }}' } }))
    const until = async (at: string) => (await runFlow(host, 'walled', { at }))['resumeAt']
    expect(await until('2031-07-01T08:00')).toBe('2031-07-01T12:00:00.000Z')
    expect(await until('2031-07-01')).toBe('2031-07-01T04:00:00.000Z')
    expect(await runFlow(host, 'walled', { at: '+012031-07-01T08:00:00Z' })).toMatchObject({
      status: 'failed',
      error: { code: 'validation_error', fieldErrors: [{ code: 'invalid_datetime' }] },
    })
    await host.patch('/settings', { timezone: 'UTC' })
  })

  it('for a signal take its payload', async () => {
    const { id } = (await host.post('/data/task', { title: 'signalled' })).body
    await saveFlow(host, 'listens', rowOf({ id: 'w', type: 'wait', config: { signal: 'paid' } }))
    const one = await runFlow(host, 'listens', { object: 'task', recordId: id })
    const two = await runFlow(host, 'listens')
    expect((await host.post('/automation/signals/other')).body.data).toEqual({ resumed: 0 })
    expect((await host.post('/automation/signals/paid', { recordId: id, payload: { sum: 5 } })).body.data).toEqual({
      resumed: 1,
    })
    expect((await resume('listens', two['id'], { signal: 'other' })).body.error.code).toBe('run_not_resumable')
    expect((await resume('listens', two['id'], { signal: 'paid', output: 7 })).status).toBe(200)
    await runsWhen(host, 'listens', (runs) => runs.every(({ status }) => status === 'completed'))
    const output = async (run: Record<string, unknown>) =>
      (await runOf(host, 'listens', String(run['id']))).steps[1]!['output']
    expect([await output(one), await output(two)]).toEqual([{ sum: 5 }, 7])
  })

  it('for a condition go on when the record fits', async () => {
    const { id } = (await host.post('/data/task', { title: 'watched', done: false })).body
    const condition = { object: 'task', recordId: '{{ params.id }}', expression: 'record.done == true' }
    await saveFlow(host, 'watches', rowOf({ id: 'w', type: 'wait', config: { condition } }))
    const run = await runFlow(host, 'watches', { params: { id } })
    expect(run).toMatchObject({ status: 'paused', waitingFor: { type: 'condition', recordId: id } })
    await host.patch(`/data/task/${id}`, { title: 'still' })
    await host.patch(`/data/task/${id}`, { done: true })
    await runsWhen(host, 'watches', (runs) => runs[0]!['status'] === 'completed')
    expect((await runFlow(host, 'watches', { params: { id } }))['status']).toBe('completed')
  })

  it('that last too long fail as timed out, or go on', async () => {
    const wait = (onTimeout: string) => ({
      id: 'w',
      type: 'wait',
      config: { signal: 'never', timeoutSeconds: 60, onTimeout },
    })
    await saveFlow(host, 'gives_up', rowOf(wait('fail')))
    await saveFlow(host, 'shrugs', rowOf(wait('continue')))
    await runFlow(host, 'gives_up')
    await runFlow(host, 'shrugs')
    await advance(61)
    expect(await runsWhen(host, 'gives_up', (runs) => runs[0]!['status'] === 'timed_out')).toMatchObject([
      { error: { code: 'execution_timeout', nodeId: 'w' } },
    ])
    await runsWhen(host, 'shrugs', (runs) => runs[0]!['status'] === 'completed')
  })

  it('in branches go on one by one', async () => {
    const branch = (name: string) => ({ name, ...bodyOf({ id: 'w', type: 'wait', config: { signal: name } }) })
    await saveFlow(
      host,
      'two_waits',
      rowOf({ id: 'both', type: 'parallel', config: { branches: [branch('left'), branch('right')] } }),
    )
    const run = await runFlow(host, 'two_waits')
    expect((await host.post('/automation/signals/left', { payload: 'l' })).body.data.resumed).toBe(1)
    await runsWhen(host, 'two_waits', (runs) => runs[0]!['status'] === 'paused')
    expect((await host.post('/automation/signals/right', { payload: 'r' })).body.data.resumed).toBe(1)
    await runsWhen(host, 'two_waits', (runs) => runs[0]!['status'] === 'completed')
    expect(
      (await runOf(host, 'two_waits', String(run['id']))).steps.find(({ nodeId }) => nodeId === 'both')?.['output'],
    ).toEqual({ left: 'l', right: 'r' })
  })

  it('in a subflow hold the flow around it, and let it go on', async () => {
    await saveFlow(host, 'inner', {
      ...rowOf({ id: 'w', type: 'wait', outputVariable: 'got', config: { signal: 'inner' } }),
      variables: [{ name: 'got', type: 'string', isOutput: true }],
    })
    await saveFlow(host, 'outer', rowOf({ id: 'sub', type: 'subflow', config: { flow: 'inner' } }))
    const run = await runFlow(host, 'outer')
    expect(run).toMatchObject({ status: 'paused', waitingFor: { type: 'subflow' } })
    expect((await resume('outer', run['id'], {})).body.error.details.reason).toBe('waits_for_subflow')
    await host.post('/automation/signals/inner', { payload: 'yes' })
    await runsWhen(host, 'outer', (runs) => runs[0]!['status'] === 'completed')
    expect((await runOf(host, 'outer', String(run['id']))).steps[1]).toMatchObject({ output: { got: 'yes' } })
  })
})

describe('POST …/cancel', () => {
  it('ends a run and what it started, once', async () => {
    const run = await runFlow(host, 'outer')
    host.takeEvents()
    const cancelled = await host.post(`/automation/outer/runs/${String(run['id'])}/cancel`, { reason: 'Enough.' })
    expect(cancelled.body.data).toMatchObject({ status: 'cancelled', error: { code: 'cancelled', message: 'Enough.' } })
    expect(cancelled.body.data.steps.at(-1)).toMatchObject({ status: 'skipped' })
    expect((await host.get('/automation/inner/runs?limit=1')).body.data.runs[0].status).toBe('cancelled')
    expect(host.takeEvents().map(({ type }) => type)).toEqual(['flow.run.cancelled', 'flow.run.cancelled'])
    const again = await host.post(`/automation/outer/runs/${String(run['id'])}/cancel`)
    expect([again.status, again.body.error.code]).toEqual([409, 'invalid_state_transition'])
    expect((await host.post('/automation/outer/runs/none/cancel')).body.error.code).toBe('execution_not_found')
  })
})

describe('concurrency (D-154)', () => {
  const slow = { id: 'slow', type: 'script', config: { source: 'for (let at = 0; at < 1e6; at += 1) {} return 1' } }
  const start = (name: string) => host.post(`/automation/${name}/trigger?async=true`)

  it('refuses what is too much, and says when to come again', async () => {
    await saveFlow(host, 'one_at_a_time', { ...rowOf(slow), concurrency: { maxConcurrent: 1 } })
    expect((await start('one_at_a_time')).status).toBe(202)
    const second = await start('one_at_a_time')
    expect([second.status, second.body.error.code, second.headers.get('retry-after')]).toEqual([
      429,
      'concurrent_execution_limit',
      '1',
    ])
    await last('one_at_a_time')
    expect((await start('one_at_a_time')).status).toBe(202)
    await last('one_at_a_time')
  })

  it('queues, or ends the run before, where the flow says so', async () => {
    await saveFlow(host, 'queues', { ...rowOf(slow), concurrency: { maxConcurrent: 1, onConflict: 'queue' } })
    for (let at = 0; at < 3; at += 1) expect((await start('queues')).status).toBe(202)
    expect((await runsWhen(host, 'queues', areOver)).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ])
    await saveFlow(host, 'replaces', {
      ...rowOf(slow),
      concurrency: { maxConcurrent: 1, onConflict: 'cancel_existing' },
    })
    await start('replaces')
    await start('replaces')
    expect((await runsWhen(host, 'replaces', areOver)).map(({ status }) => status)).toEqual(['completed', 'cancelled'])
  })

  it('lets what waited too long fail', async () => {
    await saveFlow(host, 'impatient', {
      ...rowOf(slow),
      concurrency: { maxConcurrent: 1, onConflict: 'queue', queueTimeoutMs: 1000 },
    })
    await Promise.all([start('impatient'), start('impatient')])
    await advance(10)
    const runs = await runsWhen(host, 'impatient', areOver)
    expect(runs.map(({ status }) => status)).toContain('failed')
    expect(runs.find(({ status }) => status === 'failed')?.['error']).toMatchObject({
      code: 'concurrent_execution_limit',
    })
  })
})

describe('GET …/runs', () => {
  it('pages newest first, and narrows by status', async () => {
    const first = (await host.get('/automation/queues/runs?limit=2')).body.data
    expect(first).toMatchObject({ total: 3, hasMore: true })
    const second = (await host.get(`/automation/queues/runs?limit=2&cursor=${first.nextCursor}`)).body.data
    expect([second.runs.length, second.hasMore]).toEqual([1, false])
    const ids = [...first.runs, ...second.runs].map((run: { id: string }) => run.id)
    expect(ids).toEqual(ids.toSorted().reverse())
    for (const run of first.runs) expect([run.steps, run.variables]).toEqual([undefined, undefined])
    expect((await host.get('/automation/replaces/runs?status=cancelled')).body.data.total).toBe(1)
    expect((await host.get(`/automation/replaces/runs?cursor=${first.nextCursor}`)).body.error.code).toBe(
      'validation_error',
    )
    expect((await host.get('/automation/nobody/runs')).body.error.code).toBe('flow_not_found')
    expect((await host.get('/automation/queues/runs/none')).body.error.code).toBe('execution_not_found')
  })
})
