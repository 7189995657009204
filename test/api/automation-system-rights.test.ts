// What those who start flows, or whose runs they are, may do with a flow that runs as the system (D-156, D-245): it does more
// than they may, so what they send opens nothing that its author left shut. And whose rights a flow is started with.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { rowOf, runsWhen, saveFlow } from '../support/flow-calls.ts'

let host: AuthHost
const tokens: Record<string, string> = {}
const ids: Record<string, string> = {}
let hidden = ''
let seen = ''

const rights = { deal: { allowCreate: true, allowRead: true, allowEdit: true } }
const profile = (name: string, systemPermissions: string[]) =>
  host.put(`/meta/profile/${name}`, {
    type: 'profile',
    name,
    item: { name, systemPermissions, objects: rights, fields: {}, rowLevelSecurity: [] },
  })

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('deal', { title: { type: 'text' } })
  await host.defineObject('vault', { code: { type: 'text' }, status: { type: 'text' } })
  await host.defineObject('payment', { iban: { type: 'text' } })
  hidden = (await host.post('/data/vault', { code: 'closed', status: 'open' })).body.id as string
  seen = (await host.post('/data/deal', { title: 'real' })).body.id as string
  await profile('worker', ['run_flows', 'manage_api_keys'])
  await profile('designer', ['run_flows', 'manage_flows', 'manage_api_keys'])
  await profile('chief', ['run_flows', 'manage_users'])
  for (const name of ['worker', 'designer', 'chief']) {
    ids[name] = (await host.account(name)).id
    await host.put(`/permissions/assignments/${ids[name]}`, { profile: name, roles: [], permissionSets: [] })
    tokens[name] = await host.signIn(name)
  }
})
afterAll(() => host.stop())

const as = (who: string, method: string, path: string, body?: unknown) => host.as(tokens[who]!, method, path, body)
const refusal = async (answer: ReturnType<typeof as>) => {
  const { status, body } = await answer
  return [status, body.error?.code, body.error?.details.reason]
}

describe('a flow as the system', () => {
  it('that a change of a record starts is started by hand by those who manage flows alone', async () => {
    const pays = {
      id: 'pay',
      type: 'create_record',
      config: { object: 'payment', data: { iban: '{{ record.title }}' } },
    }
    const { nodes, edges } = rowOf(pays)
    const start = {
      ...nodes[0],
      config: { object: 'deal', events: ['update'], condition: 'record.title == "approved"' },
    }
    await saveFlow(host, 'pays', { runAs: 'system', type: 'record_change', nodes: nodes.with(0, start), edges })
    const forged = { object: 'deal', event: 'update', record: { title: 'mine' } }
    const refused = [403, 'permission_denied', 'starts_itself']
    expect(await refusal(as('worker', 'POST', '/automation/pays/trigger', forged))).toEqual(refused)
    const named = { trigger: 'pays', payload: forged }
    expect(await refusal(as('worker', 'POST', '/automation/trigger', named))).toEqual(refused)
    expect((await host.get('/data/payment')).body.records).toEqual([])
    expect((await as('designer', 'POST', '/automation/pays/trigger', forged)).status).toBe(200)
  })

  it('works on the record as its caller may read it, of its own object', async () => {
    const { nodes, edges } = rowOf({
      id: 'w',
      type: 'update_record',
      config: { object: 'vault', id: '{{ record.id }}', data: { status: '{{ record.title }}' } },
    })
    await saveFlow(host, 'opens', { runAs: 'system', nodes, edges })
    const start = { ...nodes[0], config: { object: 'deal' } }
    const end = { id: 'end', type: 'end', config: { output: { title: '{{ record.title }}' } } }
    await saveFlow(host, 'tells', { runAs: 'system', ...rowOf(), nodes: [start, end] })
    const trigger = '/automation/opens/trigger'
    expect((await as('worker', 'POST', trigger, { record: { id: hidden } })).body.error.details.fieldErrors).toEqual([
      expect.objectContaining({ field: 'object', code: 'required' }),
    ])
    const guessed = await as('worker', 'POST', trigger, { object: 'vault', record: { id: hidden, title: 'x' } })
    expect(guessed.status).toBeGreaterThanOrEqual(400)
    expect((await host.get(`/data/vault/${hidden}`)).body.record.status).toBe('open')
    const told = { record: { id: seen, title: 'forged' } }
    expect((await as('worker', 'POST', '/automation/tells/trigger', told)).body.data.output).toEqual({ title: 'real' })
    expect((await as('designer', 'POST', '/automation/tells/trigger', told)).body.data.output).toEqual({
      title: 'forged',
    })
    const other = await as('worker', 'POST', '/automation/tells/trigger', { object: 'payment', recordId: seen })
    expect(other.body.error.details.fieldErrors).toMatchObject([{ field: 'object', code: 'not_allowed' }])
  })

  it('is no draft for those who only start flows', async () => {
    await host.post('/automation', { name: 'tried', status: 'draft', ...rowOf() })
    const refused = [403, 'permission_denied', 'draft']
    expect(await refusal(as('worker', 'POST', '/automation/tried/trigger'))).toEqual(refused)
    expect((await as('designer', 'POST', '/automation/tried/trigger')).status).toBe(200)
  })

  it('asks its user, and takes neither a signal, an output, a way nor another try from them', async () => {
    const note = { id: 'c', type: 'log', config: { message: 'x' } }
    await saveFlow(host, 'waits', {
      runAs: 'system',
      ...rowOf({ id: 'w', type: 'wait', config: { signal: 'ok' } }, note),
    })
    const { runId } = (await as('worker', 'POST', '/automation/waits/trigger')).body.data
    const path = `/automation/waits/runs/${runId}`
    const refused = [403, 'permission_denied', 'run_as_system']
    for (const [act, body] of [
      ['resume', { output: { by: 'the boss' } }],
      ['resume', { signal: 'ok' }],
      ['cancel', {}],
      ['retry', {}],
    ] as const)
      expect([act, await refusal(as('worker', 'POST', `${path}/${act}`, body))]).toEqual([act, refused])
    expect((await as('worker', 'POST', '/automation/signals/ok')).body.data.resumed).toBe(0)
    expect((await as('worker', 'GET', path)).body.data.status).toBe('paused')
    expect((await as('designer', 'POST', '/automation/signals/ok')).body.data.resumed).toBe(1)

    const fields = [{ name: 'reason', type: 'text', required: true }]
    await saveFlow(host, 'asks', { runAs: 'system', ...rowOf({ id: 's', type: 'screen', config: { fields } }, note) })
    const asked = async () => {
      const { body } = await as('worker', 'POST', '/automation/asks/trigger')
      return `/automation/asks/runs/${body.data.runId}`
    }
    const first = await asked()
    const inputs = { reason: 'because' }
    expect(await refusal(as('worker', 'POST', `${first}/resume`, { inputs, branchLabel: 'yes' }))).toEqual(refused)
    expect((await as('worker', 'POST', `${first}/resume`, { inputs })).status).toBe(200)
    expect((await as('worker', 'POST', `${await asked()}/cancel`)).status).toBe(200)
  })
})

describe('a flow as the system whose saver is no administrator any more', () => {
  it('starts and goes on no more, until an administrator saves it or switches it on', async () => {
    const { id, email } = await host.account('former', 'admin')
    const saver = await host.signIn('former')
    const calls = { post: (path: string, body?: unknown) => host.as(saver, 'POST', path, body) }
    const pays = { object: 'payment', data: { iban: '{{ params.to }}' } }
    await saveFlow(calls, 'backdoor', { runAs: 'system', ...rowOf({ id: 'c', type: 'create_record', config: pays }) })
    const wait = { id: 'w', type: 'wait', config: { signal: 'knock' } }
    const waits = rowOf(wait, { id: 'c', type: 'create_record', config: pays })
    await saveFlow(calls, 'sleeper', { runAs: 'system', ...waits })
    const { nodes, edges } = rowOf()
    const daily = nodes.with(0, { ...nodes[0], config: { cron: '0 3 * * *' } })
    await saveFlow(calls, 'nightly', { runAs: 'system', type: 'schedule', nodes: daily, edges })
    const start = (token: string) => host.as(token, 'POST', '/automation/backdoor/trigger', { params: { to: 'mine' } })
    expect((await start(saver)).status).toBe(200)
    const { runId } = (await calls.post('/automation/sleeper/trigger')).body.data
    const before = (await host.get('/data/payment')).body.records.length as number

    await host.post('/auth/admin/set-role', { userId: id, role: 'user' })
    await host.put(`/permissions/assignments/${id}`, { profile: 'designer', roles: [], permissionSets: [] })
    const demoted = await host.signIn(email)
    for (const token of [demoted, tokens['worker']!]) {
      const { status, body } = await start(token)
      expect([status, body.error.code]).toEqual([422, 'execution_failed'])
    }
    await as('designer', 'POST', '/automation/signals/knock')
    const isOver = (all: Record<string, unknown>[]) =>
      all.some((run) => run['id'] === runId && run['status'] === 'failed')
    await runsWhen(host, 'sleeper', isOver)
    expect((await host.get(`/automation/sleeper/runs/${runId}`)).body.data.error).toMatchObject({
      code: 'permission_denied',
      reason: 'run_as_system',
    })
    const stopped = (await host.get('/automation/schedules')).body.data.schedules
    expect(stopped).toMatchObject([{ flowName: 'nightly', stopped: 'rights' }])
    expect((await host.get('/data/payment')).body.records).toHaveLength(before)

    // Who manages flows and is no administrator switches, and stands for nothing.
    await as('designer', 'POST', '/automation/backdoor/toggle', { enabled: true })
    expect((await start(tokens['worker']!)).status).toBe(422)
    await host.post('/automation/backdoor/toggle', { enabled: true })
    expect((await start(tokens['worker']!)).status).toBe(200)
    const [taken, idle] = (await host.get('/audit?kind=flow.switched')).body.entries
    expect([taken.details.savedBy, idle.details.savedBy, idle.actor.id]).toEqual([
      localOwnerId,
      undefined,
      ids['designer'],
    ])
    await host.delete('/automation/nightly')
  })
})

describe('a run for somebody else', () => {
  it('is started only for people who have no right of the system more', async () => {
    await saveFlow(host, 'looks', rowOf({ id: 'r', type: 'get_record', config: { object: 'vault', id: hidden } }))
    const start = (who: string, userId: string) => as(who, 'POST', '/automation/looks/trigger', { userId })
    const above = [403, 'permission_denied', 'other_user']
    expect(await refusal(start('designer', localOwnerId))).toEqual(above)
    expect(await refusal(start('designer', ids['chief']!))).toEqual(above)
    expect((await start('designer', ids['worker']!)).body.error.code).toBe('execution_failed')
    expect((await host.post('/automation/looks/trigger', { userId: localOwnerId })).status).toBe(200)
  })

  it('is not started with a key that has its rights in part, which reaches no run it did not start', async () => {
    const set = {
      name: 'flows',
      systemPermissions: ['manage_flows', 'run_flows'],
      objects: rights,
      fields: {},
      rowLevelSecurity: [],
    }
    await host.put('/meta/permission/flows', set)
    await host.put('/meta/permission/runs', { ...set, name: 'runs', systemPermissions: ['run_flows'] })
    const keyOf = async (who: string, permissionSets: string[]): Promise<string> =>
      (await as(who, 'POST', '/keys', { name: permissionSets[0], permissionSets })).body.key
    const designing = await keyOf('designer', ['flows'])
    const lent = host.as(designing, 'POST', '/automation/looks/trigger', { userId: ids['worker'] })
    expect(await refusal(lent)).toEqual([403, 'permission_denied', 'narrowed_key'])

    const write = {
      id: 'w',
      type: 'create_record',
      config: { object: 'deal', data: { title: '{{ steps.s.output.t }}' } },
    }
    await saveFlow(host, 'steps', rowOf({ id: 's', type: 'wait', config: { signal: 'go' } }, write))
    const { runId } = (await as('worker', 'POST', '/automation/steps/trigger')).body.data
    const key = await keyOf('worker', ['runs'])
    const path = `/automation/steps/runs/${runId}`
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/resume'],
      ['POST', '/cancel'],
      ['POST', '/retry'],
    ] as const)
      expect([end, (await host.as(key, method, `${path}${end}`)).status]).toEqual([end, 404])
    expect((await host.as(key, 'POST', '/automation/signals/go')).body.data.resumed).toBe(0)
    const own = (await host.as(key, 'POST', '/automation/steps/trigger')).body.data.runId as string
    const { runs, total } = (await host.as(key, 'GET', '/automation/steps/runs')).body.data
    expect([runs.map(({ id }: { id: string }) => id), total]).toEqual([[own], 1])
    expect((await host.as(key, 'POST', '/automation/signals/go')).body.data.resumed).toBe(1)
    await runsWhen(host, 'steps', (all) => all.some(({ id, status }) => id === own && status === 'completed'))
  })
})
