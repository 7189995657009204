// What webhooks, receivers and schedules may do once whoever made them may do less (D-400).
import { createManualClock } from '#main/kernel/clock.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { AuthHost } from '../support/auth-host.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { Answer } from '../support/create-test-host.ts'
import { areOver, rowOf, runsWhen, saveFlow } from '../support/flow-calls.ts'
import type { HookPeer } from '../support/hook-peer.ts'
import { startHookPeer } from '../support/hook-peer.ts'

let host: AuthHost
const clock = createManualClock(Date.UTC(2026, 0, 5, 12))
let peer: HookPeer
let maker: { id: string; token: string }
const all = { allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true }
const open = { readable: true, editable: true }
const manager = ['manage_webhooks', 'run_flows', 'manage_metadata', 'manage_flows']

beforeAll(async () => {
  host = await createAuthHost({}, { clock })
  peer = await startHookPeer()
  const fields = { title: { type: 'text' }, code: { type: 'text', unique: true, externalId: true } }
  const closed = { secretnote: { type: 'text' }, fixed: { type: 'text' } }
  await host.defineObject('priv', { ...fields, ...closed }, { sharingModel: 'private' })
  await host.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
  const source = 'return (await records.list("priv", {})).records.map((one) => one.title)'
  await host.put('/meta/function/lists', { type: 'function', name: 'lists', item: { name: 'lists', source } })
  await saveFlow(host, 'quiet', { runAs: 'user', ...rowOf() })
  await host.post('/data/priv', { title: 'theirs', code: 'T1', secretnote: 'n1' })
  const { id } = await host.account('maker')
  await may(manager, id)
  maker = { id, token: await host.signIn('maker') }
}, 60_000)

afterAll(async () => {
  await host?.stop()
  await peer?.stop()
})

beforeEach(async () => {
  peer.hooks.length = 0
  for (const kind of ['webhooks', 'webhook-receivers'])
    for (const { name } of Object.values((await host.get(`/${kind}`)).body.data)[0] as { name: string }[])
      await host.delete(`/${kind}/${name}`)
  await may(manager)
})

/** Says what the maker may do. */
const may = async (systemPermissions: string[], id = maker.id, object: object = all): Promise<void> => {
  const fields = {
    'priv.secretnote': { readable: false, editable: false },
    'priv.fixed': { readable: true, editable: false },
    'priv.title': open,
    'priv.code': open,
  }
  const item = { name: 'making', systemPermissions, objects: { priv: object }, fields, rowLevelSecurity: [] }
  expect((await host.put('/meta/profile/making', { type: 'profile', name: 'making', item })).status).toBe(200)
  await host.put(`/permissions/assignments/${id}`, { profile: 'making', roles: [], permissionSets: [] })
}
const as = (method: string, path: string, body?: unknown) => host.as(maker.token, method, path, body)
const receiver = (action: string, target: string, more = {}) =>
  as('POST', '/webhook-receivers', { name: 'inbox', path: 'inbox', action, target, ...more })
const call = (body: unknown = {}) => host.anonymous('POST', '/hooks/inbox', body)
const stoppedOf = async (path: string): Promise<unknown> => (await host.get(path)).body.data.stopped
const problem = ({ status, body }: Answer): unknown => [status, body.error?.details]

it('a receiver starts flows and runs scripts only for whoever may', async () => {
  await may(['manage_webhooks'])
  expect(problem(await receiver('trigger_flow', 'quiet'))).toMatchObject([403, { permission: 'run_flows' }])
  expect(problem(await receiver('script', 'lists'))).toMatchObject([403, { permission: 'manage_metadata' }])
  expect((await receiver('upsert_record', 'priv', { externalIdField: 'code' })).status).toBe(201)
  const changed = await as('PATCH', '/webhook-receivers/inbox', { action: 'trigger_flow', target: 'quiet' })
  expect(problem(changed)).toMatchObject([403, { permission: 'run_flows' }])
  await may(manager)
  expect((await as('PATCH', '/webhook-receivers/inbox', { action: 'trigger_flow', target: 'quiet' })).status).toBe(200)
  expect((await call()).status).toBe(200)
})

it('a script of a receiver sees what its maker may see', async () => {
  await receiver('script', 'lists')
  expect((await call()).body.result).toEqual([])
  await as('POST', '/data/priv', { title: 'own', code: 'O1' })
  expect((await call()).body.result).toEqual(['own'])
})

it('a receiver writes fields and records its maker may write, and no others', async () => {
  const saved = async (more: object) => problem(await receiver('upsert_record', 'priv', more))
  for (const [more, field, code] of [
    [{ mapping: { secretnote: 'body.x' } }, 'mapping.secretnote', 'unknown_field'],
    [{ externalIdField: 'secretnote' }, 'externalIdField', 'unknown_field'],
    [{ mapping: { fixed: 'body.x' } }, 'mapping.fixed', 'not_allowed'],
  ] as const)
    expect(await saved(more)).toMatchObject([400, { fieldErrors: [{ field, code }] }])
  await receiver('upsert_record', 'priv', { externalIdField: 'code' })
  // Another one's record under the same external id, and fields that are closed.
  for (const body of [
    { code: 'T1', title: 'taken over' },
    { code: 'O2', secretnote: 'planted' },
    { code: 'O2', fixed: 'planted' },
  ])
    expect((await call(body)).status).toBe(422)
  const made = await call({ code: 'O2', title: 'own' })
  expect([made.status, made.body.object]).toEqual([200, 'priv'])
  expect((await call({ code: 'O2', title: 'own, again' })).body.id).toBe(made.body.id)
  const { records } = (await host.get('/data/priv')).body
  expect(JSON.stringify(records)).not.toMatch(/taken over|planted/)
  expect(records.find((one: { code: string }) => one.code === 'O2')).toMatchObject({
    title: 'own, again',
    created_by: maker.id,
  })
})

it('a receiver stops, and says so, while its maker may not do what it does', async () => {
  await receiver('trigger_flow', 'quiet')
  const isStopped = async (reason: string) => {
    expect(problem(await call())).toMatchObject([422, { receiver: 'inbox', reason: 'stopped' }])
    expect(await stoppedOf('/webhook-receivers/inbox')).toBe(reason)
  }
  for (const left of [['manage_webhooks'], ['run_flows']]) {
    await may(left)
    await isStopped('rights')
  }
  await may(manager)
  expect([(await call()).status, await stoppedOf('/webhook-receivers/inbox')]).toEqual([200, undefined])
  await host.post('/auth/admin/ban-user', { userId: maker.id })
  await isStopped('user_gone')
  await host.post('/auth/admin/unban-user', { userId: maker.id })
  maker.token = await host.signIn('maker')
  expect((await call()).status).toBe(200)
})

it('a webhook sends nothing, nor what waits, while its maker may not have any', async () => {
  const retryPolicy = { maxRetries: 5, backoffStrategy: 'fixed', initialDelayMs: 100, maxDelayMs: 1_000 }
  const given = { object: 'priv', triggers: ['create', 'api'], retryPolicy }
  await as('POST', '/webhooks', { ...given, name: 'told', url: `${peer.url}/told` })
  peer.status = 500
  await as('POST', '/data/priv', { title: 'waiting' })
  await peer.wait(1)
  await may(['run_flows'])
  clock.advance(1_000)
  await expect
    .poll(async () => (await host.get('/webhooks/told/deliveries')).body.data.deliveries[0].status)
    .toBe('dead')
  peer.status = 200
  peer.hooks.length = 0
  expect(await stoppedOf('/webhooks/told')).toBe('rights')
  await host.post('/webhooks', { ...given, name: 'other', url: `${peer.url}/other` })
  await as('POST', '/data/priv', { title: 'later' })
  await peer.wait(1)
  const { deliveries } = (await host.get('/webhooks/told/deliveries')).body.data
  const again = await host.post(`/webhooks/deliveries/${deliveries[0].id}/redeliver`)
  for (const answer of [again, await host.post('/webhooks/told/trigger', {})])
    expect([answer.status, answer.body.error.code, answer.body.error.details.reason]).toEqual([
      409,
      'webhook_inactive',
      'rights',
    ])
  expect([deliveries.length, peer.hooks.map(({ path }) => path)]).toEqual([1, ['/other']])
  await may(manager)
  expect([await stoppedOf('/webhooks/told'), await stoppedOf('/webhooks/other')]).toEqual([undefined, undefined])
})

it('a schedule fails, and says why, while whoever saved it may have none', async () => {
  const { nodes, edges } = rowOf()
  const item = {
    name: 'hourly',
    status: 'active',
    type: 'schedule',
    nodes: nodes.with(0, { ...nodes[0], config: { everySeconds: 60 } }),
    edges,
  }
  expect((await as('POST', '/automation', item)).status).toBe(201)
  let count = 0
  const ran = async () => {
    clock.advance(60_000)
    await host.post('/automation/quiet/toggle', { enabled: true })
    count += 1
    return (await runsWhen(host, 'hourly', (runs) => runs.length === count && areOver(runs)))[0]
  }
  const stopped = async () => (await host.get('/automation/schedules')).body.data.schedules[0].stopped
  expect([await ran(), await stopped()]).toMatchObject([{ status: 'completed' }, undefined])
  await may(['run_flows'])
  const failed = { status: 'failed', error: { code: 'permission_denied', reason: 'rights' } }
  expect([await ran(), await stopped()]).toMatchObject([failed, 'rights'])
  await may(manager)
  await host.post('/auth/admin/ban-user', { userId: maker.id })
  expect([await ran(), await stopped()]).toMatchObject([{ status: 'failed' }, 'user_gone'])
  await host.post('/auth/admin/unban-user', { userId: maker.id })
  maker.token = await host.signIn('maker')
  expect([await ran(), await stopped()]).toMatchObject([{ status: 'completed' }, undefined])
})
