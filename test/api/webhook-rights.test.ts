// Whose rights webhooks and receivers have, and what of deliveries others see (D-249).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AuthHost } from '../support/auth-host.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { Answer } from '../support/create-test-host.ts'
import { rowOf, saveFlow } from '../support/flow-calls.ts'
import type { HookPeer, ReceivedHook } from '../support/hook-peer.ts'
import { startHookPeer } from '../support/hook-peer.ts'

let host: AuthHost
let peer: HookPeer
const tokens: Record<string, string> = {}
const ids: Record<string, string> = {}
const triggers = ['create', 'update', 'delete', 'undelete']

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject(
    'priv',
    { title: { type: 'text' }, secretnote: { type: 'text' } },
    { sharingModel: 'private' },
  )
  await host.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1', 'localhost'] })
  const may = { allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true }
  const note = { 'priv.secretnote': { readable: false, editable: false } }
  const profiles = { plain: [{}, {}], seer: [{ priv: may }, note] } as const
  for (const [name, [objects, fields]] of Object.entries(profiles)) {
    const item = { name, systemPermissions: ['manage_webhooks', 'run_flows'], objects, fields, rowLevelSecurity: [] }
    await host.put(`/meta/profile/${name}`, { type: 'profile', name, item })
    ids[name] = (await host.account(name)).id
    await host.put(`/permissions/assignments/${ids[name]}`, { profile: name, roles: [], permissionSets: [] })
    tokens[name] = await host.signIn(name)
  }
}, 60_000)

afterAll(() => host?.stop())

beforeEach(async () => {
  peer = await startHookPeer()
})

afterEach(async () => {
  for (const { name } of (await host.get('/webhooks')).body.data.webhooks) await host.delete(`/webhooks/${name}`)
  await peer.stop()
})

const as = (who: string, method: string, path: string, body?: unknown) => host.as(tokens[who]!, method, path, body)
const made = async (answer: Promise<Answer>): Promise<Answer['body']> => {
  const { status, body } = await answer
  if (status > 201) throw new Error(JSON.stringify(body))
  return body.data ?? body
}
const bodyOf = ({ body }: ReceivedHook) => body as Answer['body']
const deliveriesOf = async (who: string | undefined, name: string): Promise<Answer['body'][]> => {
  const path = `/webhooks/${name}/deliveries`
  return (who === undefined ? await host.get(path) : await as(who, 'GET', path)).body.data.deliveries
}
const settled = async (name: string, status: string): Promise<void> => {
  await expect.poll(async () => (await deliveriesOf(undefined, name)).map((one) => one.status)).toContain(status)
}

describe('a webhook', () => {
  it('is neither made nor changed on an object that is closed to the caller, nor with fields that are', async () => {
    await made(host.post('/webhooks', { name: 'told', object: 'priv', triggers, url: peer.url }))
    for (const answer of [
      await as('plain', 'POST', '/webhooks', { name: 'mine', object: 'priv', url: peer.url }),
      await as('plain', 'PATCH', '/webhooks/told', { label: 'Mine' }),
    ])
      expect([answer.status, answer.body.error.details]).toMatchObject([403, { object: 'priv', action: 'read' }])
    await made(as('plain', 'POST', '/webhooks', { name: 'mine', url: peer.url }))
    expect((await as('plain', 'PATCH', '/webhooks/mine', { object: 'priv' })).status).toBe(403)
    const given = { name: 'seen', object: 'priv', url: peer.url }
    const hidden = await as('seer', 'POST', '/webhooks', { ...given, payloadFields: ['secretnote'] })
    const unknown = await as('seer', 'POST', '/webhooks', { ...given, payloadFields: ['nothing'] })
    expect(hidden.status).toBe(400)
    expect(JSON.stringify(hidden.body.error.details).replaceAll('secretnote', 'nothing')).toBe(
      JSON.stringify(unknown.body.error.details),
    )
    expect((await as('seer', 'POST', '/webhooks', { ...given, payloadFields: ['id', 'title'] })).status).toBe(201)
  })

  it('tells of the records its maker may read, and an administrator of all', async () => {
    await made(as('seer', 'POST', '/webhooks', { name: 'seen', object: 'priv', triggers, url: `${peer.url}/seen` }))
    await made(host.post('/webhooks', { name: 'all', object: 'priv', triggers, url: `${peer.url}/all` }))
    const count = async (path: string, wanted: number): Promise<void> => {
      await expect.poll(() => peer.hooks.filter((hook) => hook.path === path).length, { timeout: 5_000 }).toBe(wanted)
    }
    const theirs = await made(host.post('/data/priv', { title: 'theirs', secretnote: 'n1' }))
    await host.patch(`/data/priv/${theirs.id}`, { title: 'changed' })
    await count('/all', 2)
    await host.delete(`/data/priv/${theirs.id}?purge=true`)
    const own = await made(as('seer', 'POST', '/data/priv', { title: 'own' }))
    await host.patch(`/data/priv/${own.id}`, { title: 'own 2', secretnote: 'n2' })
    await as('seer', 'DELETE', `/data/priv/${own.id}`)
    await count('/all', 6)
    await count('/seen', 3)
    const purged = peer.hooks.filter(({ path }) => path === '/all').map(bodyOf)[2]
    expect(purged).toMatchObject({ trigger: 'delete', recordId: theirs.id, record: { id: theirs.id } })
    expect(Object.keys(purged!['record'])).toEqual(['id'])
    const seen = peer.hooks.filter(({ path }) => path === '/seen').map(bodyOf)
    expect(seen.map(({ trigger, recordId }) => [trigger, recordId])).toEqual([
      ['create', own.id],
      ['update', own.id],
      ['delete', own.id],
    ])
    expect(seen[1]).toMatchObject({ changes: ['title'], previous: { title: 'own' }, record: { title: 'own 2' } })
    expect(JSON.stringify(seen)).not.toMatch(/n1|n2|secretnote|theirs/)
  })

  it('of somebody who is shut out says nothing', async () => {
    await made(as('seer', 'POST', '/webhooks', { name: 'seen', object: 'priv', triggers, url: `${peer.url}/seen` }))
    await host.post('/auth/admin/ban-user', { userId: ids['seer'] })
    await made(host.post('/webhooks', { name: 'all', object: 'priv', triggers, url: `${peer.url}/all` }))
    await made(host.post('/data/priv', { title: 'later', owner: ids['seer'] }))
    await peer.wait(1)
    await settled('all', 'success')
    expect(await deliveriesOf(undefined, 'seen')).toEqual([])
    await host.post('/auth/admin/unban-user', { userId: ids['seer'] })
    tokens['seer'] = await host.signIn('seer')
  })

  it('shows others what they may read of what it sent', async () => {
    await made(host.post('/webhooks', { name: 'all', object: 'priv', triggers, url: peer.url }))
    const own = await made(as('seer', 'POST', '/data/priv', { title: 'own' }))
    await peer.wait(1)
    await settled('all', 'success')
    for (const who of ['plain', 'seer']) {
      const [one] = await deliveriesOf(who, 'all')
      expect(one).toMatchObject({ withheld: true, object: 'priv', trigger: 'create' })
      expect([one.recordId, one.request.body, one.responseBody]).toEqual([undefined, undefined, undefined])
      const single = await as(who, 'GET', `/webhooks/deliveries/${one.id}`)
      expect(JSON.stringify(single.body)).not.toMatch(/own|secretnote/)
    }
    const [whole] = await deliveriesOf(undefined, 'all')
    expect([whole.recordId, whole.withheld]).toEqual([own.id, undefined])
    expect(whole.request.body).toContain('own')
    await made(host.patch('/webhooks/all', { payloadFields: ['title'] }))
    await as('seer', 'PATCH', `/data/priv/${own.id}`, { title: 'mine' })
    await peer.wait(2)
    await settled('all', 'success')
    expect((await deliveriesOf('seer', 'all'))[0].request.body).toContain('mine')
    expect((await deliveriesOf('plain', 'all'))[0].withheld).toBe(true)
  })

  it('sends by the rights of whoever last said what it sends, and nothing that was made by those of others', async () => {
    peer.status = 500
    const mine = peer.url.replace('127.0.0.1', 'localhost')
    const authentication = { type: 'bearer', credentials: { token: 'very-secret-token' } }
    const retryPolicy = { maxRetries: 5, backoffStrategy: 'fixed', initialDelayMs: 60_000, maxDelayMs: 60_000 }
    const given = { name: 'all', object: 'priv', triggers, url: peer.url, authentication, retryPolicy }
    await made(host.post('/webhooks', given))
    await made(host.post('/data/priv', { title: 'theirs' }))
    await peer.wait(1)
    await settled('all', 'failed')
    await made(as('seer', 'PATCH', '/webhooks/all', { label: 'Ours', url: peer.url }))
    expect((await deliveriesOf(undefined, 'all'))[0].status).toBe('failed')
    const masked = { type: 'bearer', credentials: { token: '********' } }
    const refused = await as('seer', 'PATCH', '/webhooks/all', { url: mine, authentication: masked })
    expect(refused.body.error.details.fieldErrors).toMatchObject([{ field: 'authentication.credentials.token' }])
    const taken = await made(as('seer', 'PATCH', '/webhooks/all', { url: mine }))
    expect(taken.authentication).toBe(undefined)
    const [first] = await deliveriesOf(undefined, 'all')
    expect(first.status).toBe('dead')
    const again = await as('seer', 'POST', `/webhooks/deliveries/${first.id}/redeliver`)
    expect([again.status, again.body.error.code]).toEqual([403, 'permission_denied'])
    peer.status = 200
    await made(host.post('/data/priv', { title: 'theirs, too' }))
    const own = await made(as('seer', 'POST', '/data/priv', { title: 'own' }))
    const hooks = await peer.wait(2)
    expect(bodyOf(hooks[1]!)).toMatchObject({ recordId: own.id })
    expect(hooks[1]!.headers.authorization).toBe(undefined)
    await settled('all', 'success')
    expect(peer.hooks).toHaveLength(2)
  })

  it('sends a record by hand as the caller may read it', async () => {
    await made(host.post('/webhooks', { name: 'all', object: 'priv', triggers: ['api'], url: peer.url }))
    const own = await made(as('seer', 'POST', '/data/priv', { title: 'own' }))
    await host.patch(`/data/priv/${own.id}`, { secretnote: 'n3' })
    const theirs = await made(host.post('/data/priv', { title: 'theirs' }))
    const send = (recordId: string) => as('seer', 'POST', '/webhooks/all/trigger', { object: 'priv', recordId })
    expect((await send(own.id)).status).toBe(202)
    const [hook] = await peer.wait(1)
    expect(bodyOf(hook!)).toMatchObject({ object: 'priv', recordId: own.id, record: { id: own.id, title: 'own' } })
    expect(JSON.stringify(hook)).not.toContain('n3')
    for (const id of [theirs.id, '00000000-0000-4000-8000-000000000000'])
      expect([id, (await send(id)).status]).toEqual([id, 404])
    await host.post('/webhooks/all/trigger', { recordId: own.id })
    expect(bodyOf((await peer.wait(2))[1]!).record).toMatchObject({ title: 'own', secretnote: 'n3' })
  })

  it('forgets what is purged and sends it no more', async () => {
    peer.status = 500
    const retryPolicy = { maxRetries: 5, backoffStrategy: 'fixed', initialDelayMs: 300, maxDelayMs: 1_000 }
    await made(
      host.post('/webhooks', { name: 'all', object: 'priv', triggers: ['create'], url: peer.url, retryPolicy }),
    )
    await made(host.post('/webhooks', { name: 'hand', url: peer.url, retryPolicy }))
    const record = await made(host.post('/data/priv', { title: 'quoted' }))
    await host.post('/webhooks/hand/trigger', { payload: { about: record.id, words: 'quoted' } })
    await peer.wait(2)
    await settled('all', 'failed')
    await settled('hand', 'failed')
    await host.delete(`/data/priv/${record.id}?purge=true`)
    const sent = peer.hooks.length
    for (const name of ['all', 'hand']) {
      const [one] = await deliveriesOf(undefined, name)
      expect([one.status, one.request.body, one.nextAttemptAt]).toEqual(['dead', undefined, undefined])
      const again = await host.post(`/webhooks/deliveries/${one.id}/redeliver`)
      expect([again.status, again.body.error.details.reason]).toEqual([409, 'purged'])
    }
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(peer.hooks).toHaveLength(sent)
  })
})

it('a receiver has the rights of whoever last said what it does', async () => {
  await made(host.post('/data/priv', { title: 'theirs' }))
  const reads = { id: 'read', type: 'get_record', outputVariable: 'found', config: { object: 'priv', first: false } }
  await saveFlow(host, 'reads', {
    runAs: 'user',
    variables: [{ name: 'found', type: 'records', isOutput: true }],
    ...rowOf(reads),
  })
  await saveFlow(host, 'quiet', { runAs: 'user', ...rowOf() })
  const verificationParams = { token: 'very-secret' }
  const given = { name: 'r1', path: 'r1', action: 'trigger_flow', target: 'quiet', verificationType: 'header_token' }
  await made(host.post('/webhook-receivers', { ...given, verificationParams }))
  await made(host.patch('/webhook-receivers/r1', { target: 'reads' }))
  const call = () => host.anonymous('POST', '/hooks/r1', {}, { 'X-Webhook-Token': 'very-secret' })
  const whole = await call()
  expect(JSON.stringify(whole.body)).toContain('theirs')
  await made(as('plain', 'PATCH', '/webhook-receivers/r1', { label: 'Mine' }))
  expect((await call()).status).toBe(200)
  await made(as('plain', 'PATCH', '/webhook-receivers/r1', { target: 'reads', verificationType: 'none' }))
  const taken = await call()
  expect([taken.status, JSON.stringify(taken.body).includes('theirs')]).toEqual([422, false])
  await made(host.patch('/webhook-receivers/r1', { verificationType: 'header_token', verificationParams }))
  expect((await call()).status).toBe(200)
})

it('what lasts is made by nobody who has less than the rights it would have', async () => {
  const rights = { objects: { priv: { allowRead: true } }, fields: {}, systemPermissions: ['manage_webhooks'] }
  await host.put('/meta/permission/hooks_only', { name: 'hooks_only', ...rights, rowLevelSecurity: [] })
  const { key } = await made(host.post('/keys', { name: 'Hooks', permissionSets: ['hooks_only'] }))
  const begun = await host.post('/auth/admin/impersonate-user', { userId: ids['seer'] })
  await made(host.post('/webhooks', { name: 'told', object: 'priv', triggers, url: peer.url }))
  const received = { path: 'lasting', action: 'upsert_record', target: 'priv', externalIdField: 'title' }
  await made(host.post('/webhook-receivers', { name: 'r2', ...received, path: 'r2' }))
  for (const [token, reason] of [
    [key, 'narrowed_key'],
    [begun.body.session.token, 'IMPERSONATED'],
  ]) {
    const call = (method: string, path: string, body: unknown) => host.as(token, method, path, body)
    for (const answer of [
      await call('POST', '/webhooks', { name: 'lasting', object: 'priv', triggers, url: peer.url }),
      await call('PATCH', '/webhooks/told', { url: `${peer.url}/elsewhere` }),
      await call('POST', '/webhook-receivers', { name: 'lasting', ...received }),
      await call('PATCH', '/webhook-receivers/r2', { externalIdField: 'secretnote' }),
    ])
      expect([answer.status, answer.body.error?.details.reason]).toEqual([403, reason])
    // What it does is left alone here.
    expect((await call('PATCH', '/webhooks/told', { label: 'Told' })).status).toBe(200)
  }
  // A receiver writes with the rights of the system: only where its maker may write.
  for (const [who, status] of [
    ['plain', 403],
    ['seer', 201],
  ] as const) {
    const answer = await as(who, 'POST', '/webhook-receivers', { name: 'lasting', ...received })
    expect([who, answer.status]).toEqual([who, status])
  }
  await host.put('/meta/profile/plain', {
    name: 'plain',
    ...rights,
    objects: { priv: { allowRead: true, allowEdit: true } },
    rowLevelSecurity: [],
  })
  const part = await as('plain', 'PATCH', '/webhook-receivers/lasting', { externalIdField: 'secretnote' })
  expect([part.status, part.body.error.details]).toMatchObject([403, { object: 'priv', action: 'create' }])
})
