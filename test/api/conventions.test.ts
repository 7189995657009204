// Section 1 of the protocol: paths, bodies, ids, envelopes and headers, as any client meets them (D-01 to D-16, D-201).
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let id: string

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text', required: true }, done: { type: 'boolean' } })
  const created = await host.post('/data/task', { title: 'One' })
  id = created.body.id
})

afterAll(() => host.stop())

/** A call over connections of its own, which tells whether the connection was used before. */
const send = (agent: Agent, method: string, path: string, body?: string) =>
  new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${host.host.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const call = request(`${host.host.url}${path}`, { agent, method, headers }, (answer) => {
      answer.resume()
      // The connection is free for the next call once this one was written to its end as well.
      call.on('close', () => resolve({ status: answer.statusCode, reused: call.reusedSocket }))
    })
    call.on('error', reject)
    call.end(body)
  })

describe('limits of lists (D-14)', () => {
  it('say min_value below, max_value above, and invalid_number for what is no number', async () => {
    const record = `/data/task/${id}`
    const lists = [
      `${record}/feed?`,
      `${record}/feed/search?query=ab&`,
      `${record}/changelog?`,
      '/notifications?',
      '/meta/object/task/history?',
      '/data/import/jobs?',
      '/audit?',
    ]
    const cases = [
      ['-1', 'min_value'],
      ['0', 'min_value'],
      ['201', 'max_value'],
      ['9'.repeat(30), 'max_value'],
      ['1.5', 'invalid_number'],
      ['ten', 'invalid_number'],
    ]
    for (const list of lists)
      for (const [limit, code] of cases) {
        const { status, body } = await host.get(`${list}limit=${limit}`)
        expect([status, body.error.code], list).toEqual([400, 'validation_error'])
        expect(body.error.details.fieldErrors, `${list}limit=${limit}`).toMatchObject([{ field: 'limit', code }])
      }
  })
})

describe('paths (D-01)', () => {
  it('GET /api/data/:object/:id and /api/v1/data/:object/:id answer the same', async () => {
    const versioned = await host.get(`/api/v1/data/task/${id}`)
    const written = await host.get(`/api/data/task/${id}`)
    expect(versioned.status).toBe(200)
    expect(written.body).toEqual(versioned.body)
  })

  it('a trailing slash is ignored', async () => {
    expect((await host.get(`/data/task/${id}/`)).status).toBe(200)
    expect((await host.get('/')).body.name).toBe('cairn')
  })

  it('an encoded slash in a segment is data', async () => {
    const answer = await host.get('/data/task/a%2Fb')
    expect([answer.status, answer.body.error.code]).toEqual([404, 'resource_not_found'])
    expect(answer.body.error.details).not.toHaveProperty('reason')
  })

  it('a broken percent-encoding is validation_error', async () => {
    for (const path of ['/data/task/%zz', '/data/task?filter=%E2%82']) {
      const answer = await host.get(path)
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    }
  })

  it('a URL over 16 KB is validation_error', async () => {
    const answer = await host.get(`/data/task?filter=${'a'.repeat(16_384)}`)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
  })
})

describe('bodies (D-02)', () => {
  const json = { 'content-type': 'application/json' }

  it('an empty JSON body is absent, on every method', async () => {
    expect((await host.get(`/data/task/${id}`, json)).status).toBe(200)
    const deleted = await host.post('/data/task', { title: 'Two' })
    expect((await host.delete(`/data/task/${deleted.body.id}`, json)).status).toBe(200)
    const restored = await host.post(`/data/task/${deleted.body.id}/restore`, '')
    expect(restored.status).toBe(200)
  })

  it('another content type is unsupported_media_type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ]) {
      const answer = await host.post('/data/task', '{"title":"x"}', { 'content-type': type })
      expect([answer.status, answer.body.error.code], type).toEqual([415, 'unsupported_media_type'])
    }
  })

  it('text that is no JSON is validation_error with invalid_json', async () => {
    const answer = await host.post('/data/task', '{"title":', json)
    expect([answer.status, answer.body.error.details.fieldErrors[0].code]).toEqual([400, 'invalid_json'])
  })

  it('nesting of 65 levels is validation_error', async () => {
    const answer = await host.post('/data/task', `{"title":${'['.repeat(64)}${']'.repeat(64)}}`, json)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
  })

  it('a body over 10 MB is payload_too_large with the limit', async () => {
    const answer = await host.post('/data/task', JSON.stringify({ title: 'x'.repeat(10 * 1024 * 1024) }))
    expect([answer.status, answer.body.error.code, answer.body.error.details.limitBytes]).toEqual([
      413,
      'payload_too_large',
      10_485_760,
    ])
  })

  it('a refused body is read to its end, so that the answer arrives and the connection lives on', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const body = JSON.stringify({ title: 'x'.repeat(24 * 1024 * 1024) })
    const first = await send(agent, 'POST', '/api/v1/data/task', body)
    const second = await send(agent, 'GET', '/healthz')
    agent.destroy()
    expect([first.status, second.status, second.reused]).toEqual([413, 200, true])
  })
})

describe('headers (D-15, D-201)', () => {
  it('every answer carries X-Request-Id, X-API-Version, nosniff and no-store', async () => {
    for (const path of [`/data/task/${id}`, '/data/unknown', '/nothing', '/healthz']) {
      const { headers } = await host.get(path)
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      expect(headers.get('x-api-version')).toBe('v1')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  it('a request id of the allowed form comes back, in the header and in error bodies', async () => {
    const answer = await host.get('/nothing', { 'x-request-id': 'my-request_01' })
    expect(answer.headers.get('x-request-id')).toBe('my-request_01')
    expect(answer.body.error.requestId).toBe('my-request_01')
  })

  it('X-Environment-Id is accepted and ignored', async () => {
    expect((await host.get(`/data/task/${id}`, { 'x-environment-id': 'any' })).status).toBe(200)
  })

  it('X-API-Version v1 is accepted, another one is validation_error with the supported ones', async () => {
    expect((await host.get('/meta', { 'x-api-version': 'v1' })).status).toBe(200)
    const answer = await host.get('/meta', { 'x-api-version': 'v2' })
    expect([answer.status, answer.body.error.details.supported]).toEqual([400, ['v1']])
    expect((await host.get('/meta?api-version=v9')).status).toBe(400)
    expect((await host.get('/api/v2/meta')).status).toBe(404)
  })
})

describe('absent routes and methods (D-16)', () => {
  it('the path of an absent capability is resource_not_found with reason route', async () => {
    for (const path of ['/no_such_capability', '/reports/none']) {
      const answer = await host.get(path)
      expect([answer.status, answer.body.error.code, answer.body.error.details], path).toEqual([
        404,
        'resource_not_found',
        { reason: 'route' },
      ])
    }
  })

  it('a known path with a wrong method is method_not_allowed with Allow', async () => {
    const answer = await host.put(`/data/task/${id}`, {})
    expect([answer.status, answer.body.error.code]).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, PATCH')
  })
})

describe('HEAD', () => {
  it('answers the headers of GET and no body', async () => {
    const response = await fetch(`${host.host.url}/api/v1/data/task/${id}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${host.host.token}` },
    })
    expect(response.status).toBe(200)
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(50)
    expect(await response.text()).toBe('')
  })
})
