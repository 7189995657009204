// Runs of flows over HTTP: what starts them, what they leave, and what people do with them (D-150 to D-159).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { areOver, bodyOf, rowOf, runFlow, runsWhen, saveFlow } from '../support/flow-calls.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text', required: true }, points: { type: 'number' } })
})

afterAll(() => host.stop())

describe('POST /automation/:name/trigger', () => {
  it('runs a flow and answers its output', async () => {
    await saveFlow(host, 'sum', {
      variables: [
        { name: 'left', type: 'number', isInput: true, required: true },
        { name: 'total', type: 'number', isOutput: true },
      ],
      ...rowOf({
        id: 'add',
        type: 'assignment',
        config: { assignments: [{ variable: 'total', value: '{{ left + 2 }}' }] },
      }),
    })
    const answer = await host.post('/automation/sum/trigger', { params: { left: 40 } })
    expect([answer.status, answer.body.data]).toMatchObject([
      200,
      { status: 'completed', success: true, output: { total: 42 } },
    ])
    const run = await runFlow(host, 'sum', { left: 1 })
    expect(run).toMatchObject({
      flowName: 'sum',
      flowVersion: 1,
      status: 'completed',
      params: { left: 1 },
      variables: { left: 1, total: 3 },
      output: { total: 3 },
      attempt: 1,
      trigger: { type: 'manual', event: 'manual' },
    })
    expect(run.steps.map((step) => [step['nodeId'], step['status']])).toEqual([
      ['start', 'success'],
      ['add', 'success'],
      ['end', 'success'],
    ])
  })

  it('loops over a list', async () => {
    await saveFlow(host, 'many', {
      ...rowOf({
        id: 'each',
        type: 'loop',
        config: {
          collection: '{{ params.titles }}',
          body: bodyOf({
            id: 'make',
            type: 'create_record',
            config: { object: 'task', data: { title: '{{ item }} {{ index }}' } },
          }),
        },
      }),
    })
    const run = await runFlow(host, 'many', { titles: ['a', 'b'] })
    expect(run['status']).toBe('completed')
    const { body } = await host.get('/data/task?sort=title&select=title')
    expect(body.records.map((record: { title: string }) => record.title)).toEqual(['a 0', 'b 1'])
  })
})

describe('nodes', () => {
  /** Runs nodes in a row and answers the run. */
  let count = 0
  const runRow = async (
    nodes: Record<string, unknown>[],
    rest: Record<string, unknown> = {},
    body: Record<string, unknown> = {},
  ) => {
    count += 1
    await saveFlow(host, `row_${count}`, { ...rowOf(...nodes), ...rest })
    return runFlow(host, `row_${count}`, body)
  }
  const outputs = (run: { steps: Record<string, unknown>[] }): unknown[] =>
    run.steps.slice(1, -1).map((step) => step['output'])

  it('create, read, change and delete records', async () => {
    const run = await runRow([
      {
        id: 'make',
        type: 'create_record',
        outputVariable: 'made',
        config: { object: 'task', data: { title: 'T', points: 3 } },
      },
      { id: 'get', type: 'get_record', config: { object: 'task', id: '{{ made.id }}', select: ['title'] } },
      { id: 'none', type: 'get_record', config: { object: 'task', id: '0198c1a2-0000-7000-8000-000000000000' } },
      {
        id: 'set',
        type: 'update_record',
        config: { object: 'task', id: '{{ made.id }}', data: { points: '{{ made.points + 1 }}' } },
      },
      { id: 'sets', type: 'update_record', config: { object: 'task', filter: { title: 'T' }, data: { points: 9 } } },
      {
        id: 'list',
        type: 'get_record',
        config: { object: 'task', filter: { title: 'T' }, first: false, select: 'points' },
      },
      {
        id: 'up',
        type: 'upsert_record',
        config: { object: 'task', matchFields: ['title'], data: { title: 'T', points: 10 } },
      },
      {
        id: 'new',
        type: 'upsert_record',
        config: { object: 'task', matchFields: ['title'], data: { title: 'U', points: 1 } },
      },
      { id: 'drop', type: 'delete_record', config: { object: 'task', filter: { title: { $in: ['T', 'U'] } } } },
      { id: 'drops', type: 'delete_record', config: { object: 'task', filter: { title: 'T' } } },
    ])
    expect(run['error']).toBeUndefined()
    expect(outputs(run)).toMatchObject([
      { title: 'T', points: 3 },
      { title: 'T' },
      undefined,
      { points: 4 },
      { count: 1 },
      [{ points: 9 }],
      { title: 'T', points: 10 },
      { title: 'U', points: 1 },
      { count: 2 },
      { count: 0 },
    ])
  })

  it('refuse what a write refuses, and leave nothing behind', async () => {
    const run = await runRow([{ id: 'make', type: 'create_record', config: { object: 'task', data: { points: 1 } } }])
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'validation_error', nodeId: 'make', fieldErrors: [{ field: 'title', code: 'required' }] },
    })
    expect(run.steps.map(({ nodeId, status }) => [nodeId, status])).toEqual([
      ['start', 'success'],
      ['make', 'failure'],
    ])
  })

  it('decide by conditions, labels and defaults', async () => {
    const nodes = ['start:start', 'which:decision', 'low:log', 'high:log', 'other:log'].map((text) => {
      const [id, type] = text.split(':')
      return { id, type, config: type === 'log' ? { message: id } : {} }
    })
    const edges = [
      { id: '0', source: 'start', target: 'which' },
      { id: '1', source: 'which', target: 'low', type: 'conditional', condition: 'params.n < 10' },
      { id: '2', source: 'which', target: 'high', type: 'conditional', condition: 'params.n < 100' },
      { id: '3', source: 'which', target: 'other', isDefault: true },
    ]
    await saveFlow(host, 'decide', { nodes, edges })
    const last = async (flow: string, params: Record<string, unknown>) =>
      (await runFlow(host, flow, { params })).steps.at(-1)?.['nodeId']
    expect([await last('decide', { n: 5 }), await last('decide', { n: 50 }), await last('decide', { n: 500 })]).toEqual(
      ['low', 'high', 'other'],
    )
    const byLabel = nodes.map((node) =>
      node.id === 'which' ? { ...node, config: { expression: 'params.word' } } : node,
    )
    const labels = [
      edges[0],
      { id: '1', source: 'which', target: 'low', label: 'a' },
      { id: '2', source: 'which', target: 'high', label: 'b' },
    ]
    await saveFlow(host, 'labels', { nodes: byLabel.filter(({ id }) => id !== 'other'), edges: labels })
    expect([await last('labels', { word: 'b' }), await last('labels', { word: 'c' })]).toEqual(['high', 'which'])
  })

  it('assign with every operator, and keep types', async () => {
    const assignments = [
      { variable: 'n', value: 5 },
      { variable: 'n', operator: 'add', value: '{{ 2 }}' },
      { variable: 'n', operator: 'subtract', value: 3 },
      { variable: 'l', operator: 'append', value: '{{ n }}' },
      { variable: 't', operator: 'clear' },
    ]
    const variables = [
      { name: 'n', type: 'number', isOutput: true },
      { name: 'l', type: 'array', isOutput: true },
      { name: 't', type: 'string', defaultValue: 'x', isOutput: true },
    ]
    const run = await runRow([{ id: 'a', type: 'assignment', config: { assignments } }], { variables })
    expect(run['output']).toEqual({ n: 4, l: [null], t: null })
  })

  it('work in parallel and wait for all', async () => {
    const branch = (name: string, value: number) => ({
      name,
      ...bodyOf({ id: 'v', type: 'transform', config: { expression: `${value} + 1` } }),
    })
    const run = await runRow([
      { id: 'both', type: 'parallel', config: { branches: [branch('left', 1), branch('right', 2)] } },
    ])
    expect(run.steps.find(({ nodeId }) => nodeId === 'both')?.['output']).toEqual({ left: 2, right: 3 })
  })

  it('catch what fails inside', async () => {
    const run = await runRow([
      {
        id: 'safe',
        type: 'try_catch',
        config: {
          errorVariable: 'trouble',
          try: bodyOf({ id: 'bad', type: 'end', config: { status: 'failed', message: 'No luck.' } }),
          catch: bodyOf({ id: 'note', type: 'transform', config: { expression: 'trouble.message' } }),
        },
      },
      { id: 'after', type: 'transform', config: { expression: 'steps["safe"].output' } },
    ])
    expect(run['status']).toBe('completed')
    expect(run.steps.find(({ nodeId }) => nodeId === 'after')?.['output']).toBe('No luck.')
  })

  it('end as a failure, with words of their own', async () => {
    await saveFlow(host, 'sorry', {
      nodes: [
        { id: 's', type: 'start' },
        { id: 'e', type: 'end', config: { status: 'failed', message: 'Sorry, {{ params.who }}.' } },
      ],
      edges: [{ id: '1', source: 's', target: 'e' }],
    })
    const answer = await host.post('/automation/sorry/trigger', { who: 'Ada' })
    expect([answer.status, answer.body.error]).toMatchObject([
      422,
      {
        code: 'execution_failed',
        details: { nodeId: 'e', cause: { code: 'execution_failed', message: 'Sorry, Ada.' } },
      },
    ])
  })

  it('give back what the end says', async () => {
    await saveFlow(host, 'gives', {
      nodes: [
        { id: 's', type: 'start' },
        { id: 'e', type: 'end', config: { output: { sum: '{{ params.a + params.b }}' } } },
      ],
      edges: [{ id: '1', source: 's', target: 'e' }],
    })
    expect((await host.post('/automation/gives/trigger', { a: 1, b: 2 })).body.data.output).toEqual({ sum: 3 })
  })

  it('run scripts and functions in isolation', async () => {
    await host.put('/meta/function/double', { type: 'function', name: 'double', item: { source: 'return input * 2' } })
    const run = await runRow(
      [
        {
          id: 's',
          type: 'script',
          config: { source: 'return { twice: input.n * 2 }', input: { n: '{{ params.n }}' } },
        },
        { id: 'f', type: 'script', config: { function: 'double', input: '{{ params.n }}' } },
      ],
      {},
      { n: 21 },
    )
    expect(outputs(run)).toEqual([{ twice: 42 }, 42])
    const late = await runRow([{ id: 's', type: 'script', config: { source: 'for (;;) {}' } }])
    expect(late).toMatchObject({ status: 'failed', error: { code: 'execution_timeout', nodeId: 's' } })
  })

  it('ask analytics', async () => {
    await host.post('/data/task', { title: 'counted', points: 5 })
    const run = await runRow([
      { id: 'q', type: 'analytics_query', config: { cube: 'task', measures: ['task.count'], filters: [] } },
    ])
    expect(run['error']).toBeUndefined()
    expect(Object.values((outputs(run)[0] as Record<string, unknown>[])[0]!)[0]).toBeGreaterThan(0)
  })

  it('notify users, once', async () => {
    const me = '00000000-0000-7000-8000-000000000001'
    const run = await runRow(
      [{ id: 'n', type: 'notify', config: { to: [me, '{{ user.id }}'], title: 'Hello {{ params.name }}', body: 'b' } }],
      {},
      { name: 'you' },
    )
    expect(outputs(run)).toEqual([{ count: 1 }])
    const { notifications } = (await host.get('/notifications')).body
    expect(notifications.filter((one: { title: string }) => one.title === 'Hello you')).toMatchObject([
      { type: 'flow', data: { runId: run['id'] } },
    ])
    const nobody = await runRow([{ id: 'n', type: 'notify', config: { to: 'nobody', title: 't' } }])
    expect(nobody['error']).toMatchObject({ code: 'validation_error' })
  })

  it.each([['send_email', { to: 'a@example.org', subject: 's', body: 'b' }]])(
    '%s fails with a sentence where its service is absent',
    async (type, config) => {
      const run = await runRow([{ id: 'x', type, config }])
      expect(run).toMatchObject({
        status: 'failed',
        error: {
          code: 'service_unavailable',
          reason: 'not_installed',
          message: expect.stringContaining('is not installed') as string,
        },
      })
    },
  )

  it('an unknown type fails a trial of the draft with node_executor_not_found', async () => {
    await host.post('/automation', { name: 'trial', ...rowOf({ id: 'x', type: 'teleport' }) })
    const answer = await host.post('/automation/trial/trigger')
    expect([answer.status, answer.body.error.code]).toEqual([501, 'node_executor_not_found'])
  })

  it('subflows give back their outputs, and stop at depth 5', async () => {
    await saveFlow(host, 'inner', {
      template: true,
      variables: [{ name: 'n', type: 'number', isInput: true }],
      nodes: [
        { id: 's', type: 'start' },
        { id: 'e', type: 'end', config: { output: { twice: '{{ n * 2 }}' } } },
      ],
      edges: [{ id: '1', source: 's', target: 'e' }],
    })
    const run = await runRow([{ id: 'sub', type: 'subflow', config: { flow: 'inner', inputs: { n: 4 } } }])
    expect(outputs(run)).toEqual([{ twice: 8 }])
    const { runs } = (await host.get('/automation/inner/runs')).body.data
    expect(runs).toMatchObject([{ status: 'completed', parentRunId: run['id'], trigger: { type: 'subflow' } }])
    expect((await host.post('/automation/inner/trigger')).body.error.code).toBe('flow_disabled')
    const quick = await runRow([
      { id: 'sub', type: 'subflow', config: { flow: 'inner', inputs: { n: 1 }, wait: false } },
    ])
    expect(outputs(quick)).toMatchObject([{ runId: expect.any(String) as string }])
    await saveFlow(host, 'endless', rowOf())
    await host.put('/automation/endless', rowOf({ id: 'again', type: 'subflow', config: { flow: 'endless' } }))
    expect(await runFlow(host, 'endless')).toMatchObject({ status: 'failed' })
    const all = (await host.get('/automation/endless/runs')).body.data.runs
    expect(all).toHaveLength(4)
    expect(all[0].error).toMatchObject({ reason: 'recursion' })
  })
})

describe('failures', () => {
  const bad = (id: string, rest: Record<string, unknown> = {}) => ({
    id,
    type: 'transform',
    config: { expression: '1 + "a"' },
    ...rest,
  })
  const statuses = (run: { steps: Record<string, unknown>[] }) =>
    run.steps.map(({ nodeId, status, retryAttempt }) => `${String(nodeId)} ${String(status)} ${String(retryAttempt)}`)

  it('are retried as the node says, then fail the run', async () => {
    await saveFlow(host, 'retries', rowOf(bad('b', { retry: { strategy: 'retry', maxRetries: 2, retryDelayMs: 1 } })))
    const run = await runFlow(host, 'retries')
    expect(run).toMatchObject({ status: 'failed', error: { code: 'expression_error', nodeId: 'b' } })
    expect(statuses(run)).toEqual(['start success 0', 'b failure 0', 'b failure 1', 'b failure 2'])
  })

  it('go along a fault edge, which sees the error', async () => {
    await saveFlow(host, 'faulty', {
      nodes: [
        { id: 's', type: 'start' },
        bad('b'),
        { id: 'well', type: 'log', config: { message: 'no' } },
        { id: 'mend', type: 'transform', config: { expression: 'error.code' } },
      ],
      edges: [
        { id: '1', source: 's', target: 'b' },
        { id: '2', source: 'b', target: 'well' },
        { id: '3', source: 'b', target: 'mend', type: 'fault' },
      ],
    })
    const run = await runFlow(host, 'faulty')
    expect([run['status'], run.steps.at(-1)]).toMatchObject([
      'completed',
      { nodeId: 'mend', output: 'expression_error' },
    ])
  })

  it('are passed over or lead to a fallback where the flow says so', async () => {
    await saveFlow(host, 'goes_on', {
      ...rowOf(bad('b'), { id: 'c', type: 'log', config: { message: 'c' } }),
      errorHandling: { strategy: 'continue' },
    })
    expect(statuses(await runFlow(host, 'goes_on'))).toEqual([
      'start success 0',
      'b failure 0',
      'c success 0',
      'end success 0',
    ])
    await saveFlow(host, 'falls_back', {
      ...rowOf(
        bad('b'),
        { id: 'c', type: 'log', config: { message: 'c' } },
        { id: 'd', type: 'log', config: { message: 'd' } },
      ),
      errorHandling: { fallbackNodeId: 'd' },
    })
    expect(statuses(await runFlow(host, 'falls_back'))).toEqual([
      'start success 0',
      'b failure 0',
      'd success 0',
      'end success 0',
    ])
  })

  it('a node is stopped at its time limit, a run at its own', async () => {
    const slow = { id: 'slow', type: 'script', timeoutMs: 200, config: { source: 'for (;;) {}' } }
    await saveFlow(host, 'slow_node', rowOf(slow))
    expect(await runFlow(host, 'slow_node')).toMatchObject({
      status: 'failed',
      error: { code: 'execution_timeout', reason: 'node_timeout' },
    })
    await saveFlow(host, 'slow_run', { ...rowOf({ ...slow, timeoutMs: 60_000 }), timeoutMs: 300 })
    const answer = await host.post('/automation/slow_run/trigger')
    expect([answer.status, answer.body.error.code]).toEqual([504, 'execution_timeout'])
    const { runs } = (await host.get('/automation/slow_run/runs?status=timed_out')).body.data
    expect(runs).toHaveLength(1)
  })

  it('are retried by POST …/retry, from the failed node or an earlier one', async () => {
    await saveFlow(
      host,
      'mended',
      rowOf(
        { id: 'make', type: 'create_record', config: { object: 'task', data: { title: 'mended' } } },
        {
          id: 'find',
          type: 'get_record',
          outputVariable: 'found',
          config: { object: 'task', filter: { title: 'the missing one' } },
        },
        { id: 'use', type: 'update_record', config: { object: 'task', id: '{{ found.id }}', data: { points: 1 } } },
      ),
    )
    const failed = await runFlow(host, 'mended')
    expect(failed).toMatchObject({ status: 'failed', error: { nodeId: 'use' } })
    const retry = async (body: Record<string, unknown>) => {
      const answer = await host.post(`/automation/mended/runs/${String(failed['id'])}/retry`, body)
      if (answer.status !== 200) return answer.body.error
      return (await runsWhen(host, 'mended', areOver))[0]!
    }
    expect(await retry({})).toMatchObject({ status: 'failed', attempt: 2 })
    expect(await retry({ fromNodeId: 'end' })).toMatchObject({ code: 'validation_error' })
    await host.post('/data/task', { title: 'the missing one' })
    expect(await retry({ fromNodeId: 'find' })).toMatchObject({ status: 'completed', attempt: 3 })
    expect(await retry({})).toMatchObject({ code: 'run_not_resumable', httpStatus: 409 })
    expect((await host.get('/data/task?title=mended')).body.records).toHaveLength(1)
  })

  it('of a subflow are retried with another run of it', async () => {
    const find = { id: 'find', type: 'get_record', outputVariable: 'found' }
    const wanted = { object: 'task', filter: { title: 'wanted by a subflow' } }
    const use = {
      id: 'use',
      type: 'update_record',
      config: { object: 'task', id: '{{ found.id }}', data: { points: 1 } },
    }
    await saveFlow(host, 'below', rowOf({ ...find, config: wanted }, use))
    await saveFlow(host, 'above', rowOf({ id: 'sub', type: 'subflow', config: { flow: 'below' } }))
    const failed = await runFlow(host, 'above')
    expect(failed).toMatchObject({ status: 'failed', error: { nodeId: 'sub' } })
    await host.post('/data/task', { title: 'wanted by a subflow' })
    const retry = async (body: Record<string, unknown>) => {
      await host.post(`/automation/above/runs/${String(failed['id'])}/retry`, body)
      return (await runsWhen(host, 'above', areOver))[0]!
    }
    expect(await retry({})).toMatchObject({ status: 'completed', attempt: 2 })
    const { runs } = (await host.get('/automation/below/runs')).body.data
    expect(runs).toMatchObject(['completed', 'failed'].map((status) => ({ status, parentRunId: failed['id'] })))
  })
})

describe('inputs (D-156)', () => {
  beforeAll(async () => {
    await saveFlow(host, 'inputs', {
      variables: [{ name: 'n', type: 'number', isInput: true, required: true }],
      nodes: [
        { id: 's', type: 'start' },
        {
          id: 'e',
          type: 'end',
          config: {
            output: { record: '{{ record }}', params: '{{ params }}', event: '{{ event }}', object: '{{ object }}' },
          },
        },
      ],
      edges: [{ id: '1', source: 's', target: 'e' }],
    })
  })
  const output = async (body: Record<string, unknown>) => {
    const answer = await host.post('/automation/inputs/trigger', body)
    return answer.body.data?.output ?? answer.body.error
  }

  it('other keys are params when there are none', async () => {
    expect(await output({ n: 1, extra: 'x', event: 'now' })).toMatchObject({
      params: { n: 1, extra: 'x' },
      event: { type: 'now' },
    })
    expect(await output({ params: { n: 1 }, extra: 'x' })).toMatchObject({ params: { n: 1 } })
  })

  it('a record is a map, or found', async () => {
    const { id } = (await host.post('/data/task', { title: 'found' })).body
    expect(await output({ n: 1, object: 'task', recordId: id })).toMatchObject({
      record: { id, title: 'found' },
      object: 'task',
    })
    expect(await output({ n: 1, object: 'task', record: { id, title: 'given' } })).toMatchObject({
      record: { title: 'given' },
    })
    expect(await output({ n: 1, object: 'task', recordId: '0198c1a2-0000-7000-8000-000000000000' })).toMatchObject({
      code: 'resource_not_found',
    })
  })

  it('are refused when they are missing or of another type', async () => {
    expect(await output({})).toMatchObject({
      code: 'validation_error',
      details: { fieldErrors: [{ field: 'params.n', code: 'required' }] },
    })
    expect(await output({ n: 'one' })).toMatchObject({
      code: 'validation_error',
      details: { fieldErrors: [{ field: 'params.n', code: 'invalid_type' }] },
    })
    const variables = ['date', 'datetime'].map((type) => ({ name: type, type, isInput: true }))
    await saveFlow(host, 'days', { variables, ...rowOf() })
    const refused = await host.post('/automation/days/trigger', { date: '2026-02-30', datetime: '3' })
    expect(refused.body.error.details.fieldErrors).toMatchObject([
      { field: 'params.date', code: 'invalid_type' },
      { field: 'params.datetime', code: 'invalid_type' },
    ])
    const taken = await host.post('/automation/days/trigger', {
      date: '2026-02-28',
      datetime: '2026-02-28T10:00+01:00',
    })
    expect(taken.body.data).toMatchObject({ status: 'completed' })
    expect(await output({ n: 1, userId: 'nobody' })).toMatchObject({
      code: 'validation_error',
      details: { fieldErrors: [{ field: 'userId' }] },
    })
  })

  it('secrets in them are shown to nobody, long values are cut', async () => {
    const run = await runFlow(host, 'inputs', {
      params: { n: 1, password: 'hush', nested: { apiKey: 'hush' }, long: 'x'.repeat(20_000) },
    })
    const shown = JSON.stringify(run)
    expect(shown).not.toContain('hush')
    expect(run.steps.at(-1)?.['output']).toMatchObject({ cut: true })
  })
})

describe('POST /automation/trigger', () => {
  it('starts a flow by name, or every flow of an event', async () => {
    const flow = (event: string, value: string) => ({
      type: 'api',
      nodes: [
        { id: 's', type: 'start', config: { event } },
        { id: 'e', type: 'end', config: { output: { value: `${value} {{ params.x }}` } } },
      ],
      edges: [{ id: '1', source: 's', target: 'e' }],
    })
    await saveFlow(host, 'api_one', flow('order.paid', 'one'))
    await saveFlow(host, 'api_two', flow('order.paid', 'two'))
    const all = await host.post('/automation/trigger', { trigger: 'order.paid', payload: { x: 1 } })
    expect([all.status, all.body]).toMatchObject([
      200,
      {
        success: true,
        jobId: expect.any(String) as string,
        result: { api_one: { value: 'one 1' }, api_two: { value: 'two 1' } },
      },
    ])
    const one = await host.post('/automation/trigger/api_one', { params: { x: 2 } })
    expect(one.body).toMatchObject({ success: true, result: { value: 'one 2' } })
    expect((await host.post('/api/automation/trigger', { trigger: 'nothing' })).body.error.code).toBe('flow_not_found')
    const failed = await host.post('/automation/trigger', { trigger: 'sorry', payload: { who: 'you' } })
    expect([failed.status, failed.body]).toMatchObject([
      200,
      { success: false, result: { error: { message: 'Sorry, you.' } } },
    ])
  })
})
