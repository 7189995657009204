// Flows over HTTP: their items, checks, states and the catalogue of actions (D-146 to D-149, D-162).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { bodyOf, rowOf, saveFlow } from '../support/flow-calls.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text' }, done: { type: 'boolean' } })
})

afterAll(() => host.stop())

/** What a refused save says: status, code and the codes of its findings. */
async function refusal(body: Record<string, unknown>): Promise<unknown[]> {
  const answer = await host.post('/automation', body)
  const { code, details } = answer.body.error ?? {}
  const findings = details?.errors ?? details?.fieldErrors ?? []
  return [answer.status, code, findings.map((one: { code: string }) => one.code)]
}

describe('POST /automation', () => {
  it('fills in the defaults', async () => {
    const { status, body } = await host.post('/automation', { name: 'bare_one' })
    expect([status, body.success]).toEqual([201, true])
    expect(body.data).toEqual({
      name: 'bare_one',
      label: 'Bare one',
      version: 1,
      status: 'draft',
      template: false,
      type: 'autolaunched',
      nodes: [],
      edges: [],
      active: false,
      enabled: true,
      runAs: 'user',
    })
    expect((await host.get('/meta/flow/bare_one')).body.item).toMatchObject({ name: 'bare_one', status: 'draft' })
  })

  it('is served below the prefix too, and the other way round', async () => {
    expect((await host.get('/api/automation/bare_one')).body.data.name).toBe('bare_one')
    expect((await host.get('/api/automation/actions')).body.total).toBeGreaterThan(20)
  })

  it.each([
    [{}, [400, 'validation_error', ['required']]],
    [{ name: 'Wrong Name' }, [400, 'validation_error', ['invalid_format']]],
    [{ name: 'signals' }, [400, 'validation_error', ['not_allowed']]],
    [{ name: 'bare_one' }, [409, 'flow_already_exists', []]],
    [{ name: 'x', status: 'invalid' }, [400, 'validation_error', ['not_allowed']]],
    [{ name: 'x', active: 'yes' }, [400, 'validation_error', ['invalid_boolean']]],
    [{ name: 'x', nodes: 'none' }, [400, 'validation_error', ['invalid_type']]],
  ])('refuses %j', async (body, expected) => {
    expect(await refusal(body)).toEqual(expected)
  })

  it('reads active, the older word for a status, and says so', async () => {
    const { body, headers } = await host.post('/automation', { name: 'older', active: true, ...rowOf() })
    expect([body.data.status, body.data.active, headers.get('cairn-deprecated')]).toEqual([
      'active',
      true,
      'active; use=status',
    ])
  })

  const start = { id: 'start', type: 'start' }
  const edge = (id: string, source: string, target: string, rest = {}) => ({ id, source, target, ...rest })
  const log = (id: string, message = 'x') => ({ id, type: 'log', config: { message } })

  it.each([
    ['no start', { nodes: [log('a')] }, ['start']],
    ['an edge to nowhere', { nodes: [start], edges: [edge('e', 'start', 'gone')] }, ['invalid_reference']],
    ['two nodes of one id', { nodes: [start, start] }, ['duplicate_value', 'start']],
    [
      'a circle',
      {
        nodes: [start, log('a'), log('b')],
        edges: [edge('1', 'start', 'a'), edge('2', 'a', 'b'), edge('3', 'b', 'a')],
      },
      ['cycle'],
    ],
    ['a node nothing leads to', { nodes: [start, log('a')], edges: [] }, ['unreachable']],
    ['an unknown type', rowOf({ id: 'a', type: 'teleport' }), ['unknown_node_type']],
    [
      'a configuration that does not fit',
      rowOf({ id: 'a', type: 'create_record', config: { object: 7 } }),
      ['invalid_type', 'invalid_type'],
    ],
    [
      'an unknown object',
      rowOf({ id: 'a', type: 'create_record', config: { object: 'nothing', data: {} } }),
      ['unknown_object'],
    ],
    [
      'an unknown field',
      rowOf({ id: 'a', type: 'create_record', config: { object: 'task', data: { colour: 'red' } } }),
      ['unknown_field'],
    ],
    ['CEL that does not compile', rowOf(log('a', '{{ record. }}')), ['expression_error']],
    ['a name nobody knows', rowOf(log('a', '{{ colour }}')), ['expression_error']],
    [
      'a variable nobody declared',
      rowOf({ id: 'a', type: 'assignment', config: { assignments: [{ variable: 'x', value: 1 }] } }),
      ['unknown_variable'],
    ],
    [
      'a fault inside of a body',
      rowOf({ id: 'a', type: 'loop', config: { collection: [], body: bodyOf(log('b', '{{ nope }}')) } }),
      ['expression_error'],
    ],
    [
      'two ways on without a condition',
      { nodes: [start, log('a'), log('b')], edges: [edge('1', 'start', 'a'), edge('2', 'start', 'b')] },
      ['ambiguous'],
    ],
    [
      'a conditional edge without a condition',
      { nodes: [start, log('a')], edges: [edge('1', 'start', 'a', { type: 'conditional' })] },
      ['required'],
    ],
    ['a change of records of no object', { type: 'record_change', ...rowOf() }, ['required', 'required']],
    ['a schedule without a time', { type: 'schedule', ...rowOf() }, ['required']],
    [
      'an address inside',
      rowOf({ id: 'a', type: 'http_request', config: { url: 'http://127.0.0.1/' } }),
      ['not_allowed'],
    ],
    ['a subflow that is not there', rowOf({ id: 'a', type: 'subflow', config: { flow: 'nope' } }), ['unknown_flow']],
  ])('refuses to make a flow active with %s', async (_what, flow, codes) => {
    const body = { name: 'unfit', status: 'active', ...flow }
    expect(await refusal(body)).toEqual([400, 'flow_validation_failed', codes])
    expect((await host.get('/automation/unfit')).status).toBe(404)
  })

  it('stores drafts that are not fit, but for faults of the graph', async () => {
    expect((await host.post('/automation', { name: 'half', ...rowOf({ id: 'a', type: 'teleport' }) })).status).toBe(201)
    expect(await refusal({ name: 'torn', nodes: [start], edges: [edge('e', 'start', 'gone')] })).toEqual([
      400,
      'flow_validation_failed',
      ['invalid_reference'],
    ])
  })

  it('accepts names that bodies bring along, and values that templates make', async () => {
    await saveFlow(host, 'name_scopes', {
      variables: [{ name: 'ids', type: 'array' }],
      ...rowOf(
        {
          id: 'all',
          type: 'get_record',
          outputVariable: 'found',
          config: { object: 'task', first: false, top: '{{ params.top }}' },
        },
        {
          id: 'each',
          type: 'loop',
          config: {
            collection: '{{ found }}',
            itemVariable: 'one',
            body: bodyOf(log('b', '{{ one.id }} {{ index }}')),
          },
        },
        {
          id: 'safe',
          type: 'try_catch',
          config: { errorVariable: 'trouble', try: bodyOf(log('c')), catch: bodyOf(log('d', '{{ trouble.code }}')) },
        },
        log('last', '{{ steps["all"].output }} {{ run.id }} {{ object }} {{ user.id }}'),
      ),
    })
    expect((await host.get('/automation/name_scopes')).body.data).toMatchObject({ status: 'active' })
  })

  it('rewrites gateways and boundary events', async () => {
    const nodes = [
      start,
      { id: 'fork', type: 'parallel_gateway' },
      log('a'),
      log('b'),
      { id: 'join', type: 'join_gateway' },
      {
        id: 'late',
        type: 'boundary_event',
        config: { attachedToNodeId: 'fetch', eventType: 'timer', durationSeconds: 2 },
      },
      { id: 'fetch', type: 'http', config: { url: 'https://example.org/' } },
      log('plan_b'),
      { id: 'end', type: 'end' },
    ]
    const edges = [
      edge('1', 'start', 'fork'),
      edge('2', 'fork', 'a'),
      edge('3', 'fork', 'b'),
      edge('4', 'a', 'join'),
      edge('5', 'b', 'join'),
      edge('6', 'join', 'fetch'),
      edge('7', 'fetch', 'end'),
      edge('8', 'late', 'plan_b'),
    ]
    const { status, body } = await host.post('/automation', { name: 'older_words', status: 'active', nodes, edges })
    expect([status, body.error]).toEqual([201, undefined])
    const types = body.data.nodes.map((node: { id: string; type: string }) => `${node.id} ${node.type}`)
    expect(types).toEqual(['start start', 'fork parallel', 'fetch http', 'plan_b log', 'end end'])
    expect(body.data.nodes[2].timeoutMs).toBe(2000)
    expect(body.data.edges).toMatchObject([
      { source: 'start', target: 'fork' },
      { source: 'fork', target: 'fetch' },
      { source: 'fetch', target: 'end' },
      { source: 'fetch', target: 'plan_b', type: 'fault', condition: 'error.code == "execution_timeout"' },
    ])
  })
})

describe('PUT /automation/:name', () => {
  it('replaces the keys that are sent and raises the version', async () => {
    await host.post('/automation', { name: 'growing', description: 'one', ...rowOf() })
    const wrapped = await host.put('/automation/growing', { definition: { description: 'two' } })
    expect(wrapped.body.data).toMatchObject({ version: 2, description: 'two', status: 'draft' })
    expect(wrapped.body.data.nodes).toHaveLength(2)
    const plain = await host.put('/automation/growing', { label: 'Grown' })
    expect(plain.body.data).toMatchObject({ version: 3, label: 'Grown', description: 'two' })
    expect((await host.get('/meta/flow/growing')).body.item).toMatchObject({ label: 'Grown', description: 'two' })
  })

  it('keeps to the states an author may choose', async () => {
    await host.post('/automation', { name: 'states', ...rowOf() })
    const to = async (status: string) => {
      const answer = await host.put('/automation/states', { status })
      return answer.body.error?.code ?? answer.body.data.status
    }
    expect([
      await to('obsolete'),
      await to('draft'),
      await to('active'),
      await to('draft'),
      await to('active'),
    ]).toEqual(['obsolete', 'invalid_state_transition', 'active', 'draft', 'active'])
  })

  it('answers flow_not_found, and CONCURRENT_UPDATE for another version', async () => {
    expect((await host.put('/automation/nobody', {})).body.error.code).toBe('flow_not_found')
    const late = await host.put('/automation/growing', { label: 'Late' }, { 'if-match': '1' })
    expect([late.status, late.body.error.code]).toEqual([409, 'CONCURRENT_UPDATE'])
    expect((await host.put('/automation/growing', { definition: 7 })).body.error.code).toBe('validation_error')
  })

  it('makes the same check as an item of metadata', async () => {
    const item = { name: 'by_meta', status: 'active', nodes: [{ id: 'a', type: 'log', config: { message: 'x' } }] }
    const refused = await host.put('/meta/flow/by_meta', { type: 'flow', name: 'by_meta', item })
    expect([refused.status, refused.body.error.code, refused.body.error.details.fieldErrors]).toMatchObject([
      400,
      'validation_error',
      [{ field: 'nodes', code: 'rule_violation' }],
    ])
    const fit = await host.put('/meta/flow/by_meta', {
      type: 'flow',
      name: 'by_meta',
      item: { ...rowOf(), status: 'active' },
    })
    expect(fit.status).toBe(200)
    expect((await host.get('/automation/by_meta')).body.data).toMatchObject({
      status: 'active',
      active: true,
      version: 1,
    })
  })
})

describe('a flow whose object goes', () => {
  it('is invalid and says why, until it fits again', async () => {
    await host.defineObject('passing', { title: { type: 'text' } })
    await saveFlow(
      host,
      'orphan',
      rowOf({ id: 'make', type: 'create_record', config: { object: 'passing', data: {} } }),
    )
    expect((await host.delete('/meta/object/passing?force=true&confirm=true')).status).toBe(200)
    const { data } = (await host.get('/automation/orphan')).body
    expect(data).toMatchObject({
      status: 'invalid',
      active: false,
      errors: [{ nodeId: 'make', code: 'unknown_object' }],
    })
    const started = await host.post('/automation/orphan/trigger')
    expect([started.status, started.body.error.code]).toEqual([409, 'flow_disabled'])
    await host.defineObject('passing', { title: { type: 'text' } })
    expect((await host.get('/automation/orphan')).body.data.status).toBe('active')
  })
})

describe('GET /automation', () => {
  it('lists summaries by name, page by page', async () => {
    const first = (await host.get('/automation?limit=2')).body.data
    expect(first.flows).toHaveLength(2)
    expect(first).toMatchObject({ hasMore: true, total: expect.any(Number) as number })
    const names: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: { flows: { name: string }[]; nextCursor?: string } = (await host.get(`/automation?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)).body.data
      names.push(...page.flows.map((flow) => flow.name))
      cursor = page.nextCursor
    }
    expect(names).toEqual(names.toSorted())
    expect(names).toHaveLength(first.total)
  })

  it('narrows by status and type', async () => {
    const { flows } = (await host.get('/automation?status=active&type=autolaunched')).body.data
    expect(flows.length).toBeGreaterThan(1)
    expect(new Set(flows.map((flow: { status: string }) => flow.status))).toEqual(new Set(['active']))
    expect((await host.get('/automation?type=schedule')).body.data).toMatchObject({
      flows: [],
      total: 0,
      hasMore: false,
    })
  })

  it.each(['limit=0', 'limit=101', 'status=sleeping', 'cursor=nonsense', 'limit=x'])('refuses %s', async (query) => {
    const { status, body } = await host.get(`/automation?${query}`)
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
  })
})

describe('POST /automation/:name/toggle', () => {
  it('switches without a new version', async () => {
    await saveFlow(host, 'switched', rowOf())
    const off = await host.post('/automation/switched/toggle', { enabled: false })
    expect(off.body.data).toEqual({ name: 'switched', enabled: false, status: 'active' })
    expect((await host.get('/automation/switched')).body.data).toMatchObject({
      version: 1,
      active: false,
      enabled: false,
    })
    expect((await host.post('/automation/switched/trigger')).body.error).toMatchObject({
      code: 'flow_disabled',
      httpStatus: 409,
    })
    await host.restart()
    expect((await host.get('/automation/switched')).body.data.enabled).toBe(false)
    await host.post('/automation/switched/toggle', { enabled: true })
    expect((await host.post('/automation/switched/trigger')).status).toBe(200)
  })

  it('needs a boolean, and a flow', async () => {
    expect((await host.post('/automation/switched/toggle', {})).status).toBe(400)
    expect((await host.post('/automation/nobody/toggle', { enabled: true })).body.error.code).toBe('flow_not_found')
  })
})

describe('DELETE /automation/:name', () => {
  it('deletes the flow and cancels what it was doing', async () => {
    await saveFlow(host, 'leaving', rowOf({ id: 'w', type: 'wait', config: { signal: 'never' } }))
    const { runId } = (await host.post('/automation/leaving/trigger')).body.data
    host.takeEvents()
    expect((await host.delete('/automation/leaving')).body.data).toEqual({ name: 'leaving', deleted: true })
    expect((await host.get('/automation/leaving')).body.error.code).toBe('flow_not_found')
    expect((await host.delete('/automation/leaving')).body.error.code).toBe('flow_not_found')
    let seen: unknown[] = []
    for (let tries = 0; tries < 100 && seen.length === 0; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      seen = host.takeEvents().filter(({ type }) => type === 'flow.run.cancelled')
    }
    expect(seen).toMatchObject([{ payload: { flow: 'leaving', runId, status: 'cancelled' } }])
    await saveFlow(host, 'leaving', rowOf())
    expect((await host.get('/automation/leaving/runs')).body.data).toMatchObject({ runs: [], total: 0 })
  })
})

describe('GET /automation/actions', () => {
  it('describes every node type of D-151 with a schema', async () => {
    const { actions, total } = (await host.get('/automation/actions')).body
    expect(actions.map((action: { type: string }) => action.type)).toEqual(
      'ai_prompt analytics_query approval assignment create_record decision delete_record end get_record http_request log loop notify parallel screen script send_email start subflow transform transition try_catch update_record upsert_record wait webhook'.split(
        ' ',
      ),
    )
    expect(total).toBe(actions.length)
    for (const action of actions) {
      expect(action).toMatchObject({ paradigms: ['flow'], source: 'builtin', deprecated: false })
      expect(action.configSchema.type).toBe('object')
    }
  })

  it('narrows, and knows no connectors', async () => {
    const only = async (query: string) => (await host.get(`/automation/actions?${query}`)).body.total
    expect(await only('category=human')).toBe(2)
    expect(await only('source=plugin')).toBe(0)
    expect(await only('paradigm=agent')).toBe(0)
    expect((await host.get('/automation/connectors')).body).toEqual({ connectors: [], total: 0 })
  })
})

describe('credentials', () => {
  it('are sealed when a flow is saved, and refused in clear elsewhere', async () => {
    const secret = 'wet-paint-4711'
    const call = {
      id: 'call',
      type: 'http_request',
      config: { url: 'https://example.org/', auth: { type: 'bearer', credentials: { token: secret } } },
    }
    const inside = rowOf({ id: 'each', type: 'loop', config: { collection: [], body: bodyOf(call) } })
    const { body } = await host.post('/automation', { name: 'sealed', ...inside })
    expect(JSON.stringify(body)).not.toContain(secret)
    const exported = await host.post('/meta/export', { types: ['flow'] })
    expect(JSON.stringify(exported.body)).not.toContain(secret)
    // What was read is sent back as it is.
    expect((await host.put('/automation/sealed', { nodes: body.data.nodes })).status).toBe(200)
    const item = { ...rowOf(call), name: 'clear' }
    const refused = await host.put('/meta/flow/clear', { type: 'flow', name: 'clear', item })
    expect(refused.body.error.details.fieldErrors).toMatchObject([
      { field: 'nodes.1.config.auth.credentials.token', code: 'not_allowed' },
    ])
  })
})
