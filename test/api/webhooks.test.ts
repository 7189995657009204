// Outbound webhooks over a real host and a real target: what is sent, how it is signed, what is tried again (D-190 to D-195).
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { createManualClock } from '#main/kernel/clock.ts'
import { platformError } from '#shared/errors.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { fillDisk, tooLarge } from '../support/full-disk.ts'
import type { HookPeer, ReceivedHook } from '../support/hook-peer.ts'
import { startHookPeer } from '../support/hook-peer.ts'

let host: TestHost
let peer: HookPeer

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', {
    title: { type: 'text' },
    size: { type: 'number' },
    hint: { type: 'secret' },
  })
  await host.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
}, 60_000)

afterAll(async () => host?.stop())

beforeEach(async () => {
  peer = await startHookPeer()
})

afterEach(async () => {
  for (const { name } of (await host.get('/webhooks')).body.data.webhooks) await host.delete(`/webhooks/${name}`)
  await peer.stop()
})

const make = async (input: object): Promise<{ secret: string; id: string }> => {
  const { status, body } = await host.post('/webhooks', { name: 'told', url: peer.url, ...input })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.data
}

const task = async (values: object): Promise<string> => (await host.post('/data/task', values)).body.id

const deliveries = async (query = ''): Promise<Record<string, unknown>[]> =>
  (await host.get(`/webhooks/told/deliveries${query}`)).body.data.deliveries

const settled = async (status: string): Promise<void> => {
  await expect.poll(async () => (await deliveries()).map((one) => one['status']), { timeout: 5_000 }).toContain(status)
}

const bodyOf = ({ body }: ReceivedHook): Record<string, unknown> => body as Record<string, unknown>

describe('a webhook', () => {
  it('has the defaults of the protocol, and shows its generated secret once', async () => {
    const made = await make({ object: 'task' })
    expect(made).toMatchObject({
      name: 'told',
      method: 'POST',
      triggers: [],
      payloadFields: [],
      includeSession: false,
      timeoutMs: 30_000,
      isActive: true,
      headers: {},
      tags: [],
    })
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect((await host.get('/webhooks/told')).body.data.secret).toBe('********')
    expect((await host.get(`/webhooks/${made.id}`)).body.data.name).toBe('told')
    expect((await host.post('/webhooks', { name: 'told', url: peer.url })).body.error.code).toBe(
      'webhook_already_exists',
    )
    expect((await host.get('/webhooks?object=task&isActive=true')).body.data).toMatchObject({
      total: 1,
      hasMore: false,
    })
    expect((await host.get('/webhooks/nobody')).body.error.code).toBe('webhook_not_found')
  })

  it.each([
    [{ name: 'deliveries' }, 'name'],
    [{ name: 'Not Snake' }, 'name'],
    [{ url: 'ftp://example.org/' }, 'url'],
    [{ object: 'nothing' }, 'object'],
    [{ object: 'task', payloadFields: ['nothing'] }, 'payloadFields.0'],
    [{ timeoutMs: 10 }, 'timeoutMs'],
    [{ body: { text: '{{ 1 + }}' } }, 'body.text'],
    [{ authentication: { type: 'bearer', credentials: {} } }, 'authentication.credentials.token'],
    [{ authentication: { type: 'zz' } }, 'authentication.type', 'invalid_option'],
    [{ retryPolicy: { maxRetries: 11 } }, 'retryPolicy.maxRetries'],
    [{ secret: '' }, 'secret'],
    [{ secret: 'whsec_' }, 'secret'],
  ])('is refused as %j, naming the field', async (input, field, code?: string) => {
    const { status, body } = await host.post('/webhooks', { name: 'told', url: peer.url, ...input })
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
    expect(body.error.details.fieldErrors[0]).toMatchObject({ field, ...(code === undefined ? {} : { code }) })
  })

  it('signs with a secret of any length, and proves nothing where its authentication names no kind', async () => {
    const made = await host.post('/webhooks', { name: 'told', url: peer.url, secret: '1', authentication: {} })
    expect([made.status, made.body.data.authentication]).toEqual([201, { type: 'none' }])
    const changed = await host.patch('/webhooks/told', { secret: 'x', authentication: {} })
    expect([changed.status, changed.body.data.authentication]).toEqual([200, { type: 'none' }])
    await host.post('/webhooks/told/trigger', { payload: { id: '1' } })
    const [hook] = await peer.wait(1)
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = hook!.headers
    const signed = createHmac('sha256', 'x')
      .update(`${id}.${timestamp}.${JSON.stringify(hook!.body)}`)
      .digest('base64')
    expect(signature).toContain(`v1,${signed}`)
  })

  it('keeps its name, and says of an authentication what is wrong with it when it is changed, too', async () => {
    await make({})
    expect((await host.patch('/webhooks/told', { name: 'told', label: 'Told' })).status).toBe(200)
    for (const [patch, field, code] of [
      [{ name: 'other' }, 'name', 'not_allowed'],
      [{ authentication: { type: 'zz' } }, 'authentication.type', 'invalid_option'],
      [{ authentication: 'zz' }, 'authentication', 'invalid_type'],
    ] as const) {
      const { status, body } = await host.patch('/webhooks/told', patch)
      expect([status, body.error.details.fieldErrors[0]]).toMatchObject([400, { field, code }])
    }
  })

  it('knows which of its deliveries there are', async () => {
    const id = '00000000-0000-4000-8000-000000000000'
    for (const answer of [
      await host.get(`/webhooks/deliveries/${id}`),
      await host.post(`/webhooks/deliveries/${id}/redeliver`),
      await host.post('/webhooks/redeliver', { deliveryId: id }),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([404, 'delivery_not_found'])
  })

  it.each(['http://127.0.0.2:8080/', 'http://[::1]/', 'http://169.254.169.254/latest', 'http://localhost/'])(
    'is not sent to %s',
    async (url) => {
      const { status, body } = await host.post('/webhooks', { name: 'told', url })
      expect([status, body.error.code]).toEqual([400, 'webhook_target_forbidden'])
    },
  )

  it('tells of creations, changes, deletions and restores, signed so that the published library accepts it', async () => {
    const { secret } = await make({ object: 'task', triggers: ['create', 'update', 'delete', 'undelete'] })
    const id = await task({ title: 'first', size: 1, hint: 'hidden' })
    await host.patch(`/data/task/${id}`, { size: 2 })
    await host.delete(`/data/task/${id}`)
    await host.post(`/data/task/${id}/restore`)
    const hooks = await peer.wait(4)
    expect(hooks.map((hook) => bodyOf(hook)['trigger'])).toEqual(['create', 'update', 'delete', 'undelete'])
    expect(bodyOf(hooks[0]!)).toMatchObject({
      type: 'record.created',
      webhook: 'told',
      object: 'task',
      recordId: id,
      record: { id, title: 'first', size: 1 },
    })
    expect(JSON.stringify(hooks)).not.toContain('hidden')
    expect(bodyOf(hooks[1]!)).toMatchObject({ changes: ['size'], previous: { size: 1 }, record: { size: 2 } })
    expect(bodyOf(hooks[2]!)).toMatchObject({ type: 'record.deleted', record: { title: 'first' } })
    const published = new Webhook(secret)
    for (const { headers, body } of hooks) {
      expect(published.verify(JSON.stringify(body), headers as Record<string, string>)).toEqual(body)
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'Cairn-Webhooks/1',
        'cairn-webhook': 'told',
        'cairn-attempt': '1',
      })
    }
    await settled('success')
  })

  it('sends the fields that were asked for, or the body its maker wrote', async () => {
    await make({ object: 'task', triggers: ['create'], payloadFields: ['size'] })
    const id = await task({ title: 'first', size: 1 })
    expect(bodyOf((await peer.wait(1))[0]!)['record']).toEqual({ id, size: 1 })
    await host.patch('/webhooks/told', {
      body: { text: 'New: {{ record.size }}', size: '{{ record.size }}', kind: '{{ trigger }}' },
      headers: { 'User-Agent': 'Mine', 'webhook-id': 'forged' },
      authentication: { type: 'bearer', credentials: { token: 'abcdefgh' } },
    })
    await task({ size: 7 })
    const { body, headers } = (await peer.wait(2))[1]!
    expect(body).toEqual({ text: 'New: 7', size: 7, kind: 'create' })
    expect(headers).toMatchObject({ 'user-agent': 'Mine', authorization: 'Bearer abcdefgh' })
    expect(headers['webhook-id']).not.toBe('forged')
    await settled('success')
    expect(JSON.stringify(await deliveries())).not.toContain('abcdefgh')
    expect((await host.get('/webhooks/told')).body.data.authentication).toEqual({
      type: 'bearer',
      credentials: { token: '********' },
    })
  })

  it('is sent by hand, tested, and sent again under the same id', async () => {
    await make({})
    const sent = await host.post('/webhooks/told/trigger', { payload: { a: 1 } })
    expect(sent.status).toBe(202)
    expect(bodyOf((await peer.wait(1))[0]!)).toMatchObject({ trigger: 'api', record: { a: 1 } })
    const tested = await host.post('/webhooks/told/test')
    expect(tested.body.data).toMatchObject({ status: 'success', responseStatus: 200, responseBody: 'ok' })
    await settled('success')
    const again = await host.post(`/webhooks/deliveries/${sent.body.data.deliveryId}/redeliver`)
    expect([again.status, again.body.data.status]).toEqual([202, 'pending'])
    const hooks = await peer.wait(3)
    expect(hooks[2]!.headers['webhook-id']).toBe(hooks[0]!.headers['webhook-id'])
    expect(hooks[2]!.headers['cairn-attempt']).toBe('2')
    await host.patch('/webhooks/told', { isActive: false })
    expect((await host.post('/webhooks/told/trigger', {})).body.error.code).toBe('webhook_inactive')
  })

  it('with an object is sent by hand only with the trigger for it', async () => {
    await make({ object: 'task', triggers: ['create'] })
    expect((await host.post('/webhooks/told/trigger', {})).status).toBe(400)
  })

  it('is tried again by its policy, and given up after that', async () => {
    peer.status = 500
    const retryPolicy = { maxRetries: 2, backoffStrategy: 'fixed', initialDelayMs: 100, maxDelayMs: 1_000 }
    await make({ object: 'task', triggers: ['create'], retryPolicy })
    await task({ title: 'first' })
    const hooks = await peer.wait(3)
    expect(hooks.map(({ headers }) => headers['cairn-attempt'])).toEqual(['1', '2', '3'])
    expect(new Set(hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    await settled('dead')
    const [delivery] = await deliveries()
    expect(delivery!['attempts']).toHaveLength(3)
    await expect
      .poll(async () => (await host.get('/notifications?limit=10')).body.notifications.length)
      .toBeGreaterThan(0)
  })

  it('is switched off by 410, and not tried again after other refusals', async () => {
    peer.status = 404
    await make({ object: 'task', triggers: ['create'] })
    await task({ title: 'first' })
    await settled('dead')
    peer.status = 410
    await task({ title: 'second' })
    await expect.poll(async () => (await host.get('/webhooks/told')).body.data.isActive).toBe(false)
    expect(peer.hooks).toHaveLength(2)
  })

  it('has five days again once it is switched on again', async () => {
    const clock = createManualClock(Date.parse('2026-03-02T09:00:00Z'))
    const own = await createTestHost({ clock })
    const told = async () => (await own.get('/webhooks/told')).body.data
    const statuses = async () =>
      (await own.get('/webhooks/told/deliveries')).body.data.deliveries.map((one: { status: string }) => one.status)
    try {
      await own.defineObject('task', { title: { type: 'text' } })
      await own.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
      await own.post('/webhooks', { name: 'told', url: peer.url, object: 'task', triggers: ['create'] })
      peer.status = 503
      await own.post('/data/task', { title: 'first' })
      await expect.poll(statuses).toEqual(['failed'])
      clock.advance(6 * 86_400_000)
      await own.post('/data/task', { title: 'second' })
      await expect.poll(async () => (await told()).isActive).toBe(false)
      await own.patch('/webhooks/told', { isActive: true })
      await own.post('/data/task', { title: 'third' })
      await expect.poll(async () => (await statuses())[0]).toBe('failed')
      expect((await told()).isActive).toBe(true)
    } finally {
      await own.stop()
    }
  })

  it.each([
    ['once while the disk is full', 'disk_full'],
    ['once where it cannot be noted', 'damaged'],
  ])('is sent %s', async (_title, way) => {
    const own = await createTestHost()
    try {
      await own.defineObject('task', { title: { type: 'textarea' } })
      await own.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
      await own.post('/webhooks', { name: 'told', url: peer.url, object: 'task', triggers: ['create'] })
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      peer.held = held
      await own.post('/data/task', { title: 'first' })
      await peer.wait(1)
      const { database } = own.host
      if (way === 'damaged') database.refuseWrites(platformError('service_unavailable', { reason: 'database_damaged' }))
      else {
        await fillDisk(own)
        expect((await own.post('/data/task', { title: tooLarge })).status).toBe(503)
      }
      release()
      // A second after what cannot be stored it is tried again.
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      expect(peer.hooks).toHaveLength(1)
    } finally {
      await own.stop()
    }
  })

  it('signs with the former secret, too, for a day after a new one was given', async () => {
    const { secret } = await make({})
    const { secret: next } = (await host.post('/webhooks/told/rotate-secret')).body.data
    await host.post('/webhooks/told/trigger', {})
    const [{ headers, body }] = (await peer.wait(1)) as [ReceivedHook]
    for (const key of [secret, next])
      expect(new Webhook(key).verify(JSON.stringify(body), headers as Record<string, string>)).toEqual(body)
  })

  it('keeps nothing of a record that is removed for good', async () => {
    await make({ object: 'task', triggers: ['create', 'delete'] })
    const id = await task({ title: 'quoted words' })
    await peer.wait(1)
    await settled('success')
    await host.delete(`/data/task/${id}?purge=true`)
    await peer.wait(2)
    await expect.poll(async () => JSON.stringify(await deliveries())).not.toContain('quoted words')
  })

  it('tells of a deletion that waits, with the id alone once its record is removed for good', async () => {
    peer.status = 503
    const retryPolicy = { maxRetries: 5, backoffStrategy: 'fixed', initialDelayMs: 60_000, maxDelayMs: 60_000 }
    await make({ object: 'task', triggers: ['delete'], retryPolicy, includeSession: true })
    const body = { gone: '{{ recordId }}', title: '{{ record.title }}' }
    const own = { name: 'own', object: 'task', triggers: ['delete'], url: peer.url, retryPolicy, body }
    expect((await host.post('/webhooks', own)).status).toBe(201)
    const all = async (): Promise<Record<string, unknown>[]> =>
      (await Promise.all(['told', 'own'].map((name) => host.get(`/webhooks/${name}/deliveries`)))).flatMap(
        (answer) => answer.body.data.deliveries,
      )
    const id = await task({ title: 'quoted words' })
    await host.delete(`/data/task/${id}`)
    await peer.wait(2)
    await expect.poll(async () => (await all()).map(({ status }) => status)).toEqual(['failed', 'failed'])
    const first = peer.hooks.find((hook) => 'trigger' in bodyOf(hook))!
    peer.status = 200
    await host.delete(`/data/task/${id}?purge=true`)
    const waiting = await all()
    expect(waiting.map(({ status, nextAttemptAt }) => [status, typeof nextAttemptAt])).toEqual(
      waiting.map(() => ['failed', 'string']),
    )
    expect(JSON.stringify(waiting)).not.toContain('quoted words')
    for (const { id: delivery } of waiting)
      expect((await host.post(`/webhooks/deliveries/${String(delivery)}/redeliver`)).status).toBe(202)
    const again = (await peer.wait(4)).slice(2)
    const told = again.find((hook) => 'trigger' in bodyOf(hook))!
    expect(told.body).toEqual({ ...bodyOf(first), record: { id } })
    expect(told.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(again.find((hook) => hook !== told)!.body).toEqual({ gone: id, title: null })
  })

  it('brings all of many that come while it is busy with others', async () => {
    await make({ object: 'task', triggers: ['create'] })
    for (let part = 0; part < 2; part++) {
      const records = Array.from({ length: 300 }, (_, index) => ({ title: `${part} ${index}` }))
      expect((await host.post('/data/task/createMany', { records })).status).toBe(201)
    }
    expect(new Set((await peer.wait(600)).map(({ headers }) => headers['webhook-id'])).size).toBe(600)
  })

  it('goes on with what waited when the host was stopped', async () => {
    peer.status = 503
    const retryPolicy = { maxRetries: 5, backoffStrategy: 'fixed', initialDelayMs: 1_000, maxDelayMs: 1_000 }
    await make({ object: 'task', triggers: ['create'], retryPolicy })
    await task({ title: 'first' })
    await peer.wait(1)
    await settled('failed')
    await host.restart()
    peer.status = 200
    const hooks = await peer.wait(2)
    expect(hooks[1]!.headers['cairn-attempt']).toBe('2')
    await settled('success')
  })

  it('goes on about every record, however long the queue was', async () => {
    await make({ object: 'task', triggers: ['create', 'update'] })
    const titles = Array.from({ length: 1_000 }, (_, at) => ({ title: `Queued ${at}` }))
    const ids: string[] = []
    for (const records of [titles, titles]) {
      const { status, body } = await host.post('/data/task/createMany', { records })
      expect(status).toBe(201)
      ids.push(...body.records.map(({ id }: { id: string }) => id))
    }
    // What is on its way while the queue is read stands in it still; it held its record for good when it was done by then.
    await peer.wait(ids.length)
    for (const part of [ids.slice(0, 1_000), ids.slice(1_000)]) {
      const records = part.map((id) => ({ id, data: { size: 1 } }))
      expect((await host.post('/data/task/updateMany', { records })).status).toBe(200)
    }
    expect(await peer.wait(2 * ids.length)).toHaveLength(2 * ids.length)
  }, 60_000)
})
