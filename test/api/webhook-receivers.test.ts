// Receivers: other systems call, are verified, and something happens (D-196).
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Webhook } from 'standardwebhooks'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text' }, code: { type: 'text', unique: true, externalId: true } })
  const source = 'return { seen: input.body, query: input.query, token: input.headers["x-webhook-token"] ?? null }'
  const item = { name: 'echo', label: 'Echo', source }
  expect((await host.put('/meta/function/echo', { type: 'function', name: 'echo', item })).status).toBe(200)
}, 60_000)

afterAll(async () => host?.stop())

afterEach(async () => {
  for (const { name } of (await host.get('/webhook-receivers')).body.data.receivers)
    await host.delete(`/webhook-receivers/${name}`)
})

const make = async (input: object): Promise<Record<string, unknown>> => {
  const given = { name: 'inbox', path: 'in/box', action: 'script', target: 'echo', ...input }
  const { status, body } = await host.post('/webhook-receivers', given)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.data
}

const call = (body: unknown, headers: Record<string, string> = {}, path = '/hooks/in/box'): Promise<Answer> =>
  host.anonymous('POST', path, body, headers)

describe('a receiver', () => {
  it('answers with what its script returns, under both addresses', async () => {
    const made = await make({})
    expect(made['warnings']).toHaveLength(1)
    for (const path of ['/hooks/in/box?a=1', '/api/v1/hooks/in/box?a=1']) {
      const { status, body } = await call({ x: 1 }, {}, path)
      expect([status, body]).toEqual([
        200,
        { success: true, receiver: 'inbox', result: { seen: { x: 1 }, query: { a: '1' }, token: null } },
      ])
    }
    expect((await host.anonymous('GET', '/hooks/in/box')).body.result.seen).toBe(null)
    expect((await call({}, {}, '/hooks/nothing')).body.error.code).toBe('receiver_not_found')
    await host.patch('/webhook-receivers/inbox', { isActive: false })
    expect((await call({})).status).toBe(404)
  })

  it('reads forms and plain text, and refuses other kinds and more than 1 MB', async () => {
    await make({})
    const url = `${host.host.url}/hooks/in/box`
    const post = async (type: string, body: string) => {
      const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
      return { status: answer.status, body: (await answer.json()) as { result?: { seen: unknown } } }
    }
    const form = await post('application/x-www-form-urlencoded', 'a=1&b=2&b=3&__proto__=4')
    expect(form.body.result!.seen).toEqual({ a: '1', b: ['2', '3'] })
    expect((await post('text/plain', 'hello')).body.result!.seen).toEqual({ text: 'hello' })
    expect((await post('text/html', 'hello')).status).toBe(415)
    expect((await post('application/json', '{"a":')).status).toBe(400)
    expect((await post('text/plain', 'x'.repeat(1_048_577))).status).toBe(413)
  })

  it.each([
    [{ action: 'script', target: 'nothing' }, 'target'],
    [{ action: 'upsert_record', target: 'nothing' }, 'target'],
    [{ action: 'trigger_flow', target: 'nothing' }, 'target'],
    [{ action: 'upsert_record', target: 'task', mapping: { nothing: 'body' } }, 'mapping.nothing'],
    [{ action: 'upsert_record', target: 'task', mapping: { title: '1 +' } }, 'mapping.title'],
    [{ path: '../up' }, 'path'],
    [{ verificationType: 'header_token' }, 'verificationParams.token'],
    [{ verificationType: 'hmac', verificationParams: { secret: '' } }, 'verificationParams.secret'],
    [{ verificationType: 'hmac', verificationParams: { secret: 'whsec_' } }, 'verificationParams.secret'],
    [{ verificationType: 'header_token', verificationParams: { token: '' } }, 'verificationParams.token'],
    [{ verificationType: 'ip_whitelist', verificationParams: { ips: ['10.0.0.0/40'] } }, 'verificationParams.ips.0'],
  ])('is refused as %j, naming the field', async (input, field) => {
    const given = { name: 'inbox', path: 'in/box', action: 'script', target: 'echo', ...input }
    const { status, body } = await host.post('/webhook-receivers', given)
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
    expect(body.error.details.fieldErrors[0].field).toBe(field)
  })

  it('is not made under a name or path that is taken, and keeps its name', async () => {
    await make({})
    await make({ name: 'second', path: 'second' })
    const given = { name: 'inbox', path: 'in/box', action: 'script', target: 'echo' }
    const taken = await host.post('/webhook-receivers', given)
    expect([taken.status, taken.body.error.code]).toEqual([409, 'conflict'])
    expect(taken.body.error.details.fieldErrors).toMatchObject([
      { field: 'name', code: 'not_unique' },
      { field: 'path', code: 'not_unique' },
    ])
    const moved = await host.patch('/webhook-receivers/second', { path: 'in/box' })
    expect([moved.status, moved.body.error.details.fieldErrors]).toMatchObject([409, [{ field: 'path' }]])
    const renamed = await host.patch('/webhook-receivers/second', { name: 'third' })
    expect([renamed.status, renamed.body.error.details.fieldErrors]).toMatchObject([
      400,
      [{ field: 'name', code: 'not_allowed' }],
    ])
    expect((await host.patch('/webhook-receivers/second', { name: 'second' })).status).toBe(200)
  })

  it('with a token is called only with it, and never shows it', async () => {
    await make({ verificationType: 'header_token', verificationParams: { token: 'very-secret' } })
    expect((await call({})).body.error.code).toBe('receiver_verification_failed')
    expect((await call({}, { 'X-Webhook-Token': 'very-secres' })).status).toBe(401)
    const short = { verificationType: 'header_token', verificationParams: { token: '1234' } }
    await make({ ...short, name: 'short', path: 'short' })
    const { body } = await call({}, { 'X-Webhook-Token': 'very-secret' })
    expect(body.result.token).toBe(null)
    expect(JSON.stringify((await host.get('/webhook-receivers/inbox')).body)).not.toContain('very-secret')
    // In a header that elsewhere says who asks, too.
    for (const header of ['X-API-Key', 'Authorization']) {
      await host.patch('/webhook-receivers/inbox', { verificationParams: { header, token: 'very-secret' } })
      expect([header, (await call({}, { [header]: 'very-secret' })).status]).toEqual([header, 200])
      expect((await call({}, { [header]: 'other' })).body.error.code).toBe('receiver_verification_failed')
    }
    await host.patch('/webhook-receivers/inbox', {
      verificationParams: { header: 'X-Webhook-Token', token: 'very-secret' },
    })
    // What was masked stays as it is.
    const { data } = (await host.get('/webhook-receivers/inbox')).body
    await host.patch('/webhook-receivers/inbox', { verificationParams: data.verificationParams, label: 'In' })
    expect((await call({}, { 'X-Webhook-Token': 'very-secret' })).status).toBe(200)
  })

  it('takes what the published library signs, once', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    await make({ verificationType: 'hmac', verificationParams: { secret } })
    const published = new Webhook(secret)
    const at = new Date()
    const body = { a: 1 }
    const headers = (id: string, when = at) => ({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(when.getTime() / 1_000)),
      'webhook-signature': published.sign(id, when, JSON.stringify(body)),
    })
    expect((await call(body, headers('msg_1'))).status).toBe(200)
    expect((await call(body, headers('msg_1'))).body.error.code).toBe('receiver_replay')
    expect((await call({ a: 2 }, headers('msg_2'))).status).toBe(401)
    expect((await call(body, headers('msg_3', new Date(at.getTime() - 400_000)))).status).toBe(401)
  })

  it('takes a hexadecimal signature of the bytes as they came', async () => {
    const verificationParams = { secret: 'a-long-secret', scheme: 'hex', header: 'X-Hub-Signature-256' }
    await make({ verificationType: 'hmac', verificationParams })
    const signed = createHmac('sha256', 'a-long-secret').update('{"a":1}').digest('hex')
    expect((await call({ a: 1 }, { 'X-Hub-Signature-256': `sha256=${signed}` })).status).toBe(200)
    expect((await call({ a: 1 }, { 'X-Hub-Signature-256': signed })).status).toBe(401)
    expect((await call({ a: 2 }, { 'X-Hub-Signature-256': `sha256=${signed}` })).status).toBe(401)
  })

  it('knows addresses and ranges', async () => {
    await make({ verificationType: 'ip_whitelist', verificationParams: { ips: ['192.0.2.0/24'] } })
    expect((await call({})).status).toBe(401)
    await host.patch('/webhook-receivers/inbox', { verificationParams: { ips: ['127.0.0.0/8'] } })
    expect((await call({})).status).toBe(200)
  })

  it('writes a record, the same one for the same external id', async () => {
    const mapping = { title: 'body.name', code: 'body.key' }
    await make({ action: 'upsert_record', target: 'task', mapping, externalIdField: 'code' })
    const first = await call({ name: 'first', key: 'K1' })
    expect(first.body).toMatchObject({ success: true, receiver: 'inbox', object: 'task' })
    const second = await call({ name: 'second', key: 'K1' })
    expect(second.body.id).toBe(first.body.id)
    expect((await host.get(`/data/task/${first.body.id}`)).body.record.title).toBe('second')
    const failed = await call({ name: 'third' })
    expect([failed.status, failed.body.error.code]).toEqual([422, 'receiver_action_failed'])
  })

  it('answers at once where that is asked for', async () => {
    await make({ action: 'upsert_record', target: 'task', responseMode: 'async' })
    const { status, body } = await call({ title: 'later' })
    expect([status, body]).toEqual([202, { success: true, receiver: 'inbox' }])
    await expect.poll(async () => (await host.get('/data/task?title=later')).body.records.length).toBe(1)
  })
})
