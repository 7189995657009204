// Who may do what with flows, and what a run may do for whom (D-48, D-113, D-158, D-161).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { areOver, rowOf, runsWhen, saveFlow } from '../support/flow-calls.ts'

let host: AuthHost
const tokens: Record<string, string> = {}
const ids: Record<string, string> = {}
let secretId = ''

const profile = (name: string, systemPermissions: string[], objects: Record<string, unknown>, fields = {}) =>
  host.put(`/meta/profile/${name}`, {
    type: 'profile',
    name,
    item: { name, systemPermissions, objects, fields, rowLevelSecurity: [] },
  })

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('deal', { title: { type: 'text' }, price: { type: 'number' } })
  await host.defineObject('vault', { code: { type: 'text' } })
  secretId = (await host.post('/data/vault', { code: 'closed' })).body.id as string
  const deal = { deal: { allowCreate: true, allowRead: true, allowEdit: true } }
  await profile('worker', ['run_flows'], deal, { 'deal.price': { readable: false, editable: false } })
  await profile('designer', ['run_flows', 'manage_flows'], deal)
  await profile('onlooker', [], deal)
  for (const name of ['worker', 'designer', 'onlooker', 'other']) {
    ids[name] = (await host.account(name)).id
    const assignments = { profile: name === 'other' ? 'worker' : name, roles: [], permissionSets: [] }
    const given = await host.put(`/permissions/assignments/${ids[name]}`, assignments)
    if (given.status !== 200) throw new Error(JSON.stringify(given.body))
    tokens[name] = await host.signIn(name)
  }
})

afterAll(() => host.stop())

const as = (who: string, method: string, path: string, body?: unknown) => host.as(tokens[who]!, method, path, body)
const code = async (who: string, method: string, path: string, body?: unknown) => {
  const answer = await as(who, method, path, body)
  return answer.body.error?.code ?? answer.status
}

describe('flows', () => {
  it('are designed with manage_flows, started with run_flows', async () => {
    expect(await code('worker', 'POST', '/automation', { name: 'mine' })).toBe('permission_denied')
    expect(await code('designer', 'POST', '/automation', { name: 'plain', status: 'active', ...rowOf() })).toBe(201)
    for (const [method, path, body] of [
      ['PUT', '/automation/plain', {}],
      ['DELETE', '/automation/plain', undefined],
      ['POST', '/automation/plain/toggle', { enabled: false }],
      ['GET', '/automation/schedules', undefined],
      ['POST', '/automation/schedules/plain/pause', undefined],
      ['POST', '/automation/schedules/plain/resume', undefined],
    ] as const)
      expect([method, path, await code('worker', method, path, body)]).toEqual([method, path, 'permission_denied'])
    expect(await code('onlooker', 'POST', '/automation/plain/trigger')).toBe('permission_denied')
    expect(await code('onlooker', 'POST', '/automation/trigger', { trigger: 'plain' })).toBe('permission_denied')
    expect(await code('onlooker', 'POST', '/automation/signals/any')).toBe('permission_denied')
    expect(await code('worker', 'POST', '/automation/plain/trigger')).toBe(200)
    expect((await host.anonymous('GET', '/automation')).status).toBe(401)
  })

  it('show their nodes to those who design them', async () => {
    const seen = (await as('worker', 'GET', '/automation/plain')).body.data
    expect([seen.nodes, seen.edges, seen.name]).toEqual([undefined, undefined, 'plain'])
    expect((await as('designer', 'GET', '/automation/plain')).body.data.nodes).toHaveLength(2)
    expect((await as('worker', 'GET', '/automation')).body.data.flows).toMatchObject([{ name: 'plain', nodeCount: 2 }])
  })

  it('lend nobody’s rights for good to a key that has them in part, or to who acts as them', async () => {
    const item = {
      name: 'flows_only',
      systemPermissions: ['manage_flows'],
      objects: {},
      fields: {},
      rowLevelSecurity: [],
    }
    await host.put('/meta/permission/flows_only', item)
    const { key } = (await host.post('/keys', { name: 'Flows', permissionSets: ['flows_only'] })).body
    const begun = await host.post('/auth/admin/impersonate-user', { userId: ids['designer'] })
    const [start, ...others] = rowOf().nodes
    const nodes = [{ ...start, config: { cron: '0 5 * * *' } }, ...others]
    const nightly = { name: 'nightly', status: 'active', type: 'schedule', ...rowOf(), nodes }
    for (const [token, reason] of [
      [key, 'narrowed_key'],
      [begun.body.session.token, 'IMPERSONATED'],
    ]) {
      const made = await host.as(token, 'POST', '/automation', nightly)
      expect([made.status, made.body.error?.details.reason]).toEqual([403, reason])
      const put = await host.as(token, 'PUT', '/meta/flow/nightly', { ...nightly, label: 'Nightly' })
      expect([put.status, put.body.error?.details.reason]).toEqual([403, reason])
      // Started by whoever asks, with the rights of who asks.
      const plain = { name: `of_${reason.toLowerCase()}`, status: 'active', ...rowOf() }
      expect((await host.as(token, 'POST', '/automation', plain)).status).toBe(201)
    }
    expect(await code('designer', 'POST', '/automation', nightly)).toBe(201)
  })

  it('run as the system only where an administrator says so', async () => {
    const flow = { name: 'mighty', status: 'active', runAs: 'system', ...rowOf() }
    const refused = await as('designer', 'POST', '/automation', flow)
    expect([refused.status, refused.body.error.details.reason]).toEqual([403, 'run_as_system'])
    expect((await host.post('/automation', flow)).status).toBe(201)
    expect(await code('designer', 'PUT', '/automation/mighty', { label: 'Mine now' })).toBe('permission_denied')
    const item = { name: 'sly', status: 'draft', runAs: 'system', nodes: [], edges: [] }
    expect(await code('designer', 'PUT', '/meta/flow/sly', { type: 'flow', name: 'sly', item })).toBe(
      'permission_denied',
    )
  })
})

describe('a run', () => {
  const reads = { id: 'read', type: 'get_record', config: { object: 'vault', id: '{{ params.id }}' } }

  it('as a user does what that user may, at every node', async () => {
    await saveFlow(host, 'peeks', rowOf(reads))
    const answer = await as('worker', 'POST', '/automation/peeks/trigger', { params: { id: secretId } })
    expect(answer.body.error).toMatchObject({
      code: 'execution_failed',
      details: { cause: { code: 'permission_denied', nodeId: 'read' } },
    })
    await saveFlow(
      host,
      'writes',
      rowOf({ id: 'w', type: 'create_record', config: { object: 'deal', data: { title: 't', price: 5 } } }),
    )
    // A field it may not read does not exist for it (D-25).
    expect((await as('worker', 'POST', '/automation/writes/trigger')).body.error.details.cause).toMatchObject({
      code: 'validation_error',
      fieldErrors: [{ field: 'price', code: 'unknown_field' }],
    })
    await saveFlow(
      host,
      'makes',
      rowOf({ id: 'w', type: 'create_record', config: { object: 'deal', data: { title: 'by a flow' } } }),
    )
    expect(await code('worker', 'POST', '/automation/makes/trigger')).toBe(200)
    const [made] = (await host.get('/data/deal?title=by%20a%20flow')).body.records
    expect(made).toMatchObject({ created_by: ids['worker'], owner: ids['worker'] })
    const { entries } = (await host.get(`/data/deal/${made.id}/changelog`)).body.data
    expect(entries[0]).toMatchObject({ actor: { type: 'user', id: ids['worker'] }, source: 'automation' })
  })

  it('as the system may do everything, and is named as automation', async () => {
    await saveFlow(host, 'opens', {
      runAs: 'system',
      ...rowOf(reads, {
        id: 'w',
        type: 'create_record',
        config: { object: 'deal', data: { title: 'by the system', price: 1 } },
      }),
    })
    expect(await code('worker', 'POST', '/automation/opens/trigger', { params: { id: secretId } })).toBe(200)
    const [made] = (await host.get('/data/deal?title=by%20the%20system')).body.records
    const { entries } = (await host.get(`/data/deal/${made.id}/changelog`)).body.data
    expect(entries[0].actor).toMatchObject({ type: 'automation', id: 'opens' })
  })

  it('is shown to its user and to who manages flows, its content to its user and administrators alone', async () => {
    const secret = 'only for the worker'
    await saveFlow(
      host,
      'private',
      rowOf({ id: 'w', type: 'create_record', config: { object: 'deal', data: { title: '{{ params.title }}' } } }),
    )
    const { runId } = (await as('worker', 'POST', '/automation/private/trigger', { params: { title: secret } })).body
      .data
    const path = `/automation/private/runs/${runId}`
    expect(JSON.stringify((await as('worker', 'GET', path)).body)).toContain(secret)
    expect(JSON.stringify((await host.get(path)).body)).toContain(secret)
    const designer = (await as('designer', 'GET', path)).body
    expect(designer.data).toMatchObject({
      status: 'completed',
      withheld: true,
      params: {},
      steps: [{ nodeId: 'start' }, { nodeId: 'w' }, { nodeId: 'end' }],
    })
    expect(JSON.stringify(designer)).not.toContain(secret)
    for (const who of ['other', 'onlooker']) {
      expect(await code(who, 'GET', path)).toBe('execution_not_found')
      expect((await as(who, 'GET', '/automation/private/runs')).body.data).toMatchObject({ runs: [], total: 0 })
      for (const act of ['resume', 'cancel', 'retry'])
        expect(await code(who, 'POST', `${path}/${act}`)).toBe('execution_not_found')
      expect(await code(who, 'GET', `${path}/screen`)).toBe('execution_not_found')
    }
    // What was read with rights the user has lost is closed to it, too.
    await profile('worker', ['run_flows'], { deal: { allowCreate: true, allowRead: true } })
    expect((await as('worker', 'GET', path)).body.data).toMatchObject({ withheld: true })
  })

  it('of what the system found shows its caller no content', async () => {
    const [run] = (await as('worker', 'GET', '/automation/opens/runs')).body.data.runs
    const whole = (await as('worker', 'GET', `/automation/opens/runs/${run.id}`)).body
    expect(whole.data.withheld).toBe(true)
    expect(JSON.stringify(whole)).not.toContain('closed')
  })

  it('as the system says to who started it what it gives back, and not what failed', async () => {
    const found = { ...reads, outputVariable: 'found' }
    const end = { id: 'end', type: 'end', config: { output: { code: '{{ found.code }}' } } }
    const { nodes, edges } = rowOf(found)
    await saveFlow(host, 'gives', { runAs: 'system', nodes: nodes.with(-1, end), edges })
    const params = { id: secretId }
    const given = await as('worker', 'POST', '/automation/gives/trigger', { params })
    expect(given.body.data.output).toEqual({ code: 'closed' })
    const fails = { id: 'fail', type: 'end', config: { status: 'failed', message: 'It is {{ found.code }}.' } }
    await saveFlow(host, 'blurts', {
      runAs: 'system',
      nodes: nodes.with(-1, fails),
      edges: [edges[0], { ...edges[1], target: 'fail' }],
    })
    const answers = [
      await as('worker', 'POST', '/automation/blurts/trigger', { params }),
      await as('worker', 'POST', '/automation/trigger', { trigger: 'blurts', payload: { params } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([422, 200])
    expect(answers[0]!.body.error.details.cause).toEqual({ code: 'execution_failed', message: '', nodeId: 'fail' })
    expect(answers[1]!.body.result.error).toMatchObject({ code: 'execution_failed', message: '', nodeId: 'fail' })
    for (const { body } of answers) expect(JSON.stringify(body)).not.toContain('closed')
    const told = (await host.post('/automation/blurts/trigger', { params })).body
    expect(told.error.details.cause.message).toBe('It is closed.')
  })

  it('speaks for somebody else only where manage_flows says so', async () => {
    expect(await code('worker', 'POST', '/automation/makes/trigger', { userId: ids['other'] })).toBe(
      'permission_denied',
    )
    const answer = await as('designer', 'POST', '/automation/makes/trigger', { userId: ids['other'] })
    expect(answer.status).toBe(200)
    const { runs } = (await host.get('/automation/makes/runs?limit=1')).body.data
    expect(runs[0].trigger.userId).toBe(ids['other'])
  })

  it('for a change of a record speaks for who made it, and sees what that user sees', async () => {
    await profile(
      'worker',
      ['run_flows'],
      { deal: { allowCreate: true, allowRead: true, allowEdit: true } },
      { 'deal.price': { readable: false, editable: false } },
    )
    const nodes = [
      { id: 'start', type: 'start', config: { object: 'deal', events: ['update'] } },
      { id: 'see', type: 'transform', config: { expression: '[record.title, record.price]' } },
    ]
    await saveFlow(host, 'watches', {
      type: 'record_change',
      nodes,
      edges: [{ id: '1', source: 'start', target: 'see' }],
    })
    const { id } = (await host.post('/data/deal', { title: 'a', price: 77 })).body
    expect(await code('worker', 'PATCH', `/data/deal/${id}`, { title: 'b' })).toBe(200)
    const [run] = await runsWhen(host, 'watches', (runs) => runs.length === 1 && areOver(runs))
    const whole = (await host.get(`/automation/watches/runs/${String(run!['id'])}`)).body.data
    expect(whole).toMatchObject({ trigger: { userId: ids['worker'] } })
    expect(whole.steps.at(-1).output).toEqual(['b', null])
  })

  it('that a change by a narrowed key starts has no more rights than the key (D-407)', async () => {
    await host.defineObject('note', { text: { type: 'text' } })
    await profile('keeper', ['run_flows', 'manage_api_keys'], {
      deal: { allowCreate: true, allowRead: true, allowEdit: true },
      note: { allowCreate: true, allowRead: true },
    })
    const { id: keeper } = await host.account('kim')
    await host.put(`/permissions/assignments/${keeper}`, { profile: 'keeper', roles: [], permissionSets: [] })
    const kim = await host.signIn('kim')
    const objects = { deal: { allowCreate: true, allowRead: true, allowEdit: true } }
    const set = { name: 'deals', systemPermissions: [], objects, fields: {}, rowLevelSecurity: [] }
    await host.put('/meta/permission/deals', set)
    const { key } = (await host.as(kim, 'POST', '/keys', { name: 'Deals', permissionSets: ['deals'] })).body
    const note = { id: 'c', type: 'create_record', config: { object: 'note', data: { text: '{{ run.id }}' } } }
    const { nodes, edges } = rowOf(note)
    const begins = { ...nodes[0], config: { object: 'deal', events: ['create'] } }
    await saveFlow(host, 'follows', { type: 'record_change', nodes: nodes.with(0, begins), edges })
    await saveFlow(host, 'told', rowOf(note))
    const actions = [
      { type: 'run_flow', config: { flow: 'told' } },
      { type: 'update_record', config: { data: { title: 'by the trigger' } } },
    ]
    const trigger = { name: 'tell', object: 'deal', events: ['create'], actions }
    // What a trigger changes is the deed of nobody in particular: the flow has the rights of its saver.
    await saveFlow(host, 'own', rowOf(note))
    const next = { name: 'next', object: 'deal', events: ['update'] }
    const starts = [{ type: 'run_flow', config: { flow: 'own' } }]
    expect((await host.put('/meta/trigger/next', { ...next, actions: starts })).status).toBe(200)
    expect((await host.put('/meta/trigger/tell', trigger)).status).toBe(200)

    const over = async (name: string, count: number) => {
      const runs = await runsWhen(host, name, (all) => all.length === count && areOver(all))
      return runs.map(({ status, trigger: cause }) => [status, (cause as { userId: string }).userId])
    }
    expect((await host.as(kim, 'POST', '/data/deal', { title: 'whole' })).status).toBe(201)
    for (const name of ['follows', 'told']) expect(await over(name, 1)).toEqual([['completed', keeper]])
    expect((await host.as(key, 'POST', '/data/deal', { title: 'in part' })).status).toBe(201)
    for (const name of ['follows', 'told'])
      expect(await over(name, 2)).toEqual([
        ['failed', keeper],
        ['completed', keeper],
      ])
    expect(await over('own', 2)).toEqual([1, 2].map(() => ['completed', localOwnerId]))
    for (const one of [trigger, { ...next, actions: starts }])
      await host.put(`/meta/trigger/${one.name}`, { ...one, active: false })
  })

  it('ends with the account it speaks for', async () => {
    await saveFlow(
      host,
      'waits',
      rowOf({ id: 'w', type: 'wait', config: { signal: 'on' } }, { id: 'c', type: 'log', config: { message: 'x' } }),
    )
    const { runId } = (await as('other', 'POST', '/automation/waits/trigger')).body.data
    expect((await host.post('/auth/admin/ban-user', { userId: ids['other'] })).status).toBe(200)
    expect((await host.post('/automation/signals/on')).body.data.resumed).toBe(1)
    await runsWhen(host, 'waits', areOver)
    expect((await host.get(`/automation/waits/runs/${runId}`)).body.data).toMatchObject({
      status: 'failed',
      error: { code: 'permission_denied', reason: 'user_gone' },
    })
  })
})
