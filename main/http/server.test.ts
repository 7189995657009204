// What every plugin may rely on: routing, answers, failures and bodies.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ErrorBodySchema } from '#shared/contracts/common.ts'
import { platformError } from '#shared/errors.ts'
import type { AnyRoute, HttpMethod } from '#shared/route.ts'
import { denyingAuthorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { ByteStream, RawJson, Reply } from '#main/kernel/reply.ts'
import { createTestServer, echoRoute, itemRoute, testRoute } from '../../test/support/create-test-server.ts'
import type { TestServer } from '../../test/support/create-test-server.ts'
import type { RouteBinding } from './route-runtime.ts'
import type { HttpServerOptions } from './server.ts'

const open: TestServer[] = []

afterEach(async () => {
  for (const { server } of open.splice(0)) await server.close()
})

async function serverOf(routes: RouteBinding[], options: Partial<HttpServerOptions> = {}): Promise<TestServer> {
  const made = await createTestServer(routes, options)
  open.push(made)
  return made
}

describe('routing', () => {
  it('decodes a path segment once and keeps an encoded slash as data', async () => {
    const { server, owner } = await serverOf([itemRoute])
    const ids = { 'a%2Fb': 'a/b', 'a%252Fb': 'a%2Fb', 'x%20y': 'x y', 'a+b': 'a+b', '%E2%82%AC': '€' }
    for (const [sent, id] of Object.entries(ids)) {
      expect((await server.inject({ url: `/api/v1/items/${sent}`, headers: owner })).json()).toEqual({ id })
    }
  })

  it('ignores a trailing slash and tells letters apart by case', async () => {
    const { server, owner } = await serverOf([itemRoute])
    expect((await server.inject({ url: '/api/v1/items/a/', headers: owner })).statusCode).toBe(200)
    expect((await server.inject({ url: '/api/v1/Items/a', headers: owner })).statusCode).toBe(404)
  })

  it('takes path segments of any length the URL may have', async () => {
    const { server, owner } = await serverOf([itemRoute])
    const id = 'a'.repeat(10_000)
    expect((await server.inject({ url: `/api/v1/items/${id}`, headers: owner })).json()).toEqual({ id })
  })

  it('serves an api mount under /api and under the prefix', async () => {
    const { server, owner } = await serverOf([
      testRoute({ operationId: 'feed', method: 'GET', mount: 'api', path: '/data/x/feed' }, () => ({ ok: 1 })),
    ])
    for (const url of ['/api/data/x/feed', '/api/v1/data/x/feed']) {
      expect((await server.inject({ url, headers: owner })).json()).toEqual({ ok: 1 })
    }
  })

  it('refuses two plugins that claim one method and path, and names both', async () => {
    const other = { ...itemRoute, plugin: 'other', contract: { ...itemRoute.contract, path: '/items/:name' } }
    await expect(createTestServer([itemRoute, other])).rejects.toThrow(
      '"test" and "other" both claim GET /api/v1/items/:name',
    )
  })

  it('answers HEAD like GET without a body', async () => {
    const { server, owner } = await serverOf([itemRoute])
    const get = await server.inject({ url: '/api/v1/items/a', headers: owner })
    const head = await server.inject({ method: 'HEAD', url: '/api/v1/items/a', headers: owner })
    expect(head.statusCode).toBe(200)
    expect(head.body).toBe('')
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  })

  it('answers 404 resource_not_found with reason route for an unknown path', async () => {
    const { server, owner } = await serverOf([itemRoute])
    const answer = await server.inject({ method: 'POST', url: '/api/v1/nothing', headers: owner, payload: '{"a":' })
    expect(answer.statusCode).toBe(404)
    expect(answer.json().error.details).toEqual({ reason: 'route' })
    expect((await server.inject({ url: '/api/v2/items/a', headers: owner })).statusCode).toBe(404)
  })

  it('answers 405 method_not_allowed with Allow for a wrong method', async () => {
    const { server, owner } = await serverOf([itemRoute])
    const answer = await server.inject({ method: 'DELETE', url: '/api/v1/items/a', headers: owner })
    expect(answer.statusCode).toBe(405)
    expect(answer.headers['allow']).toBe('GET, HEAD')
    expect(answer.json().error.code).toBe('method_not_allowed')
  })

  it('refuses what a fixed path does not take, although the parameter beside it would (D-380)', async () => {
    const asked: string[] = []
    const route = (method: HttpMethod, path: string, rest: Partial<AnyRoute> = {}): RouteBinding =>
      testRoute({ operationId: `${method} ${path}`, method, path, ...rest }, () => {
        asked.push(`${method} ${path}`)
        return {}
      })
    const { server, owner } = await serverOf([
      route('GET', '/things/all'),
      route('POST', '/things/find'),
      ...(['GET', 'DELETE', 'PATCH'] as const).map((method) => route(method, '/things/:id')),
      route('GET', '/things/:id/parts/first'),
      route('PUT', '/things/:name/parts/:part'),
      route('POST', '/things/:name*', { params: z.object({ name: z.string() }) }),
    ])
    const ask = async (method: HttpMethod | 'HEAD', path: string): Promise<unknown> => {
      const payload = method === 'GET' || method === 'HEAD' ? {} : { payload: '{"a":' }
      const answer = await server.inject({ method, url: `/api/v1${path}`, headers: { ...owner, ...json }, ...payload })
      return answer.statusCode === 405 ? answer.headers['allow'] : answer.statusCode
    }
    const json = { 'content-type': 'application/json' }
    expect(await ask('GET', '/things/all')).toBe(200)
    expect(await ask('DELETE', '/things/all')).toBe('GET, HEAD')
    expect(await ask('POST', '/things/all/')).toBe('GET, HEAD')
    expect(await ask('PATCH', '/things/%61ll')).toBe('GET, HEAD')
    expect(await ask('GET', '/things/find')).toBe('POST')
    expect(await ask('HEAD', '/things/find')).toBe('POST')
    expect(await ask('PUT', '/things/any')).toBe('DELETE, GET, HEAD, PATCH')
    expect(await ask('PUT', '/things/any/parts/first')).toBe('GET, HEAD')
    expect(await ask('GET', '/things/any/parts/other')).toBe('PUT')
    expect(await ask('GET', '/things/any')).toBe(200)
    expect(asked).toEqual(['GET /things/all', 'GET /things/:id'])
    const anonymous = await server.inject({ method: 'DELETE', url: '/api/v1/things/all' })
    expect(anonymous.statusCode).toBe(401)
    expect(
      server
        .routeTable()
        .filter(({ url }) => url === '/api/v1/things/all')
        .map(({ method }) => method),
    ).toEqual(['GET', 'HEAD'])
  })

  it('lists every route it serves, with what the guards know of it', async () => {
    const { server } = await serverOf([itemRoute, echoRoute])
    const table = server.routeTable()
    expect(table.find(({ method, url }) => method === 'POST' && url === '/api/v1/echo')).toMatchObject({
      plugin: 'test',
      anonymous: false,
      mutates: true,
    })
    expect(table.some(({ method, url }) => method === 'HEAD' && url === '/api/v1/items/:id')).toBe(true)
    expect(table.some(({ url }) => url === '/_console/*')).toBe(true)
  })
})

describe('answers', () => {
  it('wraps an enveloped answer and leaves a bare one alone', async () => {
    const { server, owner } = await serverOf([
      testRoute({ operationId: 'wrapped', method: 'GET', path: '/wrapped', envelope: true }, () => ({ a: 1 })),
      testRoute({ operationId: 'raw', method: 'GET', path: '/raw', envelope: true }, () => new RawJson('[1]')),
    ])
    const answer = await server.inject({ url: '/api/v1/wrapped', headers: owner })
    const { success, data, meta } = answer.json()
    expect({ success, data }).toEqual({ success: true, data: { a: 1 } })
    expect(meta).toEqual({
      requestId: answer.headers['x-request-id'],
      timestamp: '2026-01-31T08:00:00.000Z',
      durationMs: expect.any(Number),
    })
    expect((await server.inject({ url: '/api/v1/raw', headers: owner })).json().data).toEqual([1])
  })

  it('uses the status, headers and body of a reply', async () => {
    const { server, owner } = await serverOf([
      testRoute(
        { operationId: 'reply', method: 'GET', path: '/reply' },
        () => new Reply({ a: 1 }, { status: 202, headers: { etag: '"x"', vary: 'Cookie' } }),
      ),
      testRoute(
        { operationId: 'same', method: 'GET', path: '/same' },
        () => new Reply(null, { status: 304, headers: { etag: '"x"' } }),
      ),
      testRoute({ operationId: 'made', method: 'POST', path: '/made', status: 201 }, () => ({ id: 1 })),
    ])
    const answer = await server.inject({ url: '/api/v1/reply', headers: owner })
    expect([answer.statusCode, answer.headers['etag'], answer.headers['vary']]).toEqual([202, '"x"', 'Origin, Cookie'])
    const same = await server.inject({ url: '/api/v1/same', headers: owner })
    expect([same.statusCode, same.body]).toEqual([304, ''])
    expect((await server.inject({ method: 'POST', url: '/api/v1/made', headers: owner })).statusCode).toBe(201)
  })

  it('streams bytes with their own type', async () => {
    const { server, owner } = await serverOf([
      testRoute(
        { operationId: 'file', method: 'GET', path: '/file', responseKind: 'bytes' },
        () => new ByteStream(Readable.from(['ab', 'cd']), 'text/csv'),
      ),
    ])
    const answer = await server.inject({ url: '/api/v1/file', headers: owner })
    expect([answer.body, answer.headers['content-type']]).toEqual(['abcd', 'text/csv'])
  })

  it('carries its fixed headers on every answer, refusals and files included', async () => {
    const { server, owner } = await serverOf([itemRoute])
    const requests = [
      { url: '/api/v1/items/a', headers: owner },
      { url: '/api/v1/items/a' },
      { url: '/api/v1/nothing', headers: owner },
      { url: '/api/v1/items/%zz', headers: owner },
      { url: '/_console/' },
      { url: '/_console/none.js' },
      { url: '/api/v1/items/a', headers: { host: 'evil.example' } },
    ]
    for (const request of requests) {
      const { headers } = await server.inject(request)
      expect(headers['x-api-version']).toBe('v1')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cross-origin-resource-policy']).toBe('same-origin')
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers['vary']).toContain('Origin')
    }
  })

  it('repeats a request id of the allowed form and replaces any other', async () => {
    const { server } = await serverOf([])
    const idOf = async (id: string): Promise<unknown> =>
      (await server.inject({ url: '/x', headers: { 'x-request-id': id } })).headers['x-request-id']
    expect(await idOf('client-id_1')).toBe('client-id_1')
    for (const id of ['short', 'has space', 'a'.repeat(65)]) expect(await idOf(id)).not.toBe(id)
  })

  it('names deprecated features in headers', async () => {
    const { server, owner } = await serverOf([
      testRoute({ operationId: 'old', method: 'GET', path: '/old' }, (ctx) => {
        ctx.deprecations.push({ name: 'filters', use: 'filter' }, { name: 'orderBy', use: 'sort' })
        return {}
      }),
    ])
    const { headers } = await server.inject({ url: '/api/v1/old', headers: owner })
    expect(headers['cairn-deprecated']).toBe('filters; use=filter, orderBy; use=sort')
    expect(headers['deprecation']).toMatch(/^@\d{10}$/)
    expect(headers['link']).toBe('</api/v1/docs#filters>; rel="deprecation"')
  })

  it('turns an answer that breaks its contract into internal_error while responses are checked', async () => {
    const wrong = testRoute(
      { operationId: 'wrong', method: 'GET', path: '/wrong', response: z.object({ n: z.number() }) },
      () => ({ n: 'x' }),
    )
    const { server, owner, lines } = await serverOf([wrong])
    expect((await server.inject({ url: '/api/v1/wrong', headers: owner })).json().error.code).toBe('internal_error')
    expect(lines.join()).toContain('does not match its contract')
  })
})

describe('failures', () => {
  it('hides the cause of an unforeseen error and logs it with the request id', async () => {
    const { server, owner, lines } = await serverOf([
      testRoute({ operationId: 'bad', method: 'GET', path: '/bad' }, () => {
        throw new Error('the secret cause')
      }),
      testRoute({ operationId: 'worse', method: 'GET', path: '/worse' }, async () => {
        throw new TypeError('the other cause')
      }),
    ])
    for (const url of ['/api/v1/bad', '/api/v1/worse?q=private']) {
      const answer = await server.inject({ url, headers: owner })
      expect(answer.statusCode).toBe(500)
      expect(ErrorBodySchema.safeParse(answer.json()).success).toBe(true)
      expect(answer.body).not.toContain('cause')
      expect(lines.join()).toContain(String(answer.headers['x-request-id']))
    }
    expect(lines.join()).toContain('the secret cause')
    expect(lines.join()).not.toContain('private')
  })

  it('answers the error a handler throws, synchronously or later, with Retry-After where it is due', async () => {
    const { server, owner } = await serverOf([
      testRoute({ operationId: 'busy', method: 'GET', path: '/busy' }, async () => {
        throw platformError('service_unavailable', { retryAfterSeconds: 3 })
      }),
      testRoute({ operationId: 'gone', method: 'GET', path: '/gone' }, () => {
        throw platformError('gone', { a: 1 })
      }),
    ])
    const busy = await server.inject({ url: '/api/v1/busy', headers: owner })
    expect([busy.statusCode, busy.headers['retry-after']]).toEqual([503, '3'])
    const gone = await server.inject({ url: '/api/v1/gone', headers: owner })
    expect(gone.json().error).toMatchObject({
      code: 'gone',
      httpStatus: 410,
      category: 'request',
      retryable: false,
      details: { a: 1 },
    })
  })

  it('stops a handler at the time limit of its contract with timeout and aborts its signal', async () => {
    let aborted = false
    const slow = testRoute(
      { operationId: 'slow', method: 'GET', path: '/slow', timeoutMs: 30 },
      async (ctx: RequestContext) => {
        await once(ctx.signal, 'abort')
        aborted = true
        throw ctx.signal.reason
      },
    )
    const { server, owner } = await serverOf([slow])
    const answer = await server.inject({ url: '/api/v1/slow', headers: owner })
    expect([answer.statusCode, answer.json().error.code]).toEqual([504, 'timeout'])
    expect(aborted).toBe(true)
  })

  it('answers what was done while the event loop was held over the limit, and of a stopped write that its outcome is unknown', async () => {
    const held = testRoute({ operationId: 'held', method: 'POST', path: '/held', timeoutMs: 30 }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      for (const until = performance.now() + 250; performance.now() < until;);
      await new Promise((resolve) => setTimeout(resolve, 20))
      return { done: true }
    })
    const slow = testRoute(
      { operationId: 'slow', method: 'POST', path: '/slow', timeoutMs: 30 },
      () => new Promise(() => undefined),
    )
    const { server, owner } = await serverOf([held, slow])
    const done = await server.inject({ method: 'POST', url: '/api/v1/held', headers: owner })
    expect([done.statusCode, done.json()]).toEqual([200, { done: true }])
    const stopped = await server.inject({ method: 'POST', url: '/api/v1/slow', headers: owner })
    expect(stopped.json().error.details).toEqual({ limitMs: 30, outcome: 'unknown' })
  })

  it('aborts the signal when the client goes away', async () => {
    let tell: (() => void) | undefined
    const told = new Promise<void>((resolve) => (tell = resolve))
    let started: (() => void) | undefined
    const running = new Promise<void>((resolve) => (started = resolve))
    const slow = testRoute({ operationId: 'slow', method: 'GET', path: '/slow' }, async (ctx: RequestContext) => {
      started?.()
      await once(ctx.signal, 'abort')
      tell?.()
      return {}
    })
    const { server, owner } = await serverOf([slow])
    const { baseUrl } = await server.listen(0)
    const client = httpRequest(`${baseUrl}/api/v1/slow`, { headers: owner })
    client.on('error', () => undefined)
    client.end()
    await running
    client.destroy()
    await expect(told).resolves.toBeUndefined()
  })

  it('denies what the authorizer denies', async () => {
    const guarded = [
      testRoute(
        { operationId: 'system', method: 'GET', path: '/system', permission: { system: 'manage_settings' } },
        () => ({}),
      ),
      testRoute(
        {
          operationId: 'object',
          method: 'GET',
          path: '/o/:object',
          permission: { object: 'params.object', action: 'read' },
          params: z.object({ object: z.string() }),
        },
        () => ({}),
      ),
    ]
    const { server, owner } = await serverOf(guarded, { authorizer: () => denyingAuthorizer })
    const system = await server.inject({ url: '/api/v1/system', headers: owner })
    expect([system.statusCode, system.json().error.details]).toEqual([403, { permission: 'manage_settings' }])
    const object = await server.inject({ url: '/api/v1/o/task', headers: owner })
    expect(object.json().error.details).toEqual({ object: 'task', action: 'read' })
  })
})

describe('bodies', () => {
  it('takes an empty JSON body on every method', async () => {
    const { server, owner } = await serverOf([echoRoute])
    const headers = { ...owner, 'content-type': 'application/json' }
    expect((await server.inject({ method: 'POST', url: '/api/v1/echo', headers })).json()).toEqual({ got: null })
  })

  it('refuses a body over the limit of the contract with payload_too_large and the limit', async () => {
    const small = testRoute(
      { operationId: 'small', method: 'POST', path: '/small', bodyLimitBytes: 100, body: z.unknown() },
      () => ({}),
    )
    const { server, owner } = await serverOf([small])
    const send = (length: number) =>
      server.inject({
        method: 'POST',
        url: '/api/v1/small',
        headers: { ...owner, 'content-type': 'application/json' },
        payload: JSON.stringify('x'.repeat(length - 2)),
      })
    expect((await send(100)).statusCode).toBe(200)
    const refused = await send(101)
    expect([refused.statusCode, refused.json().error.code, refused.json().error.details]).toEqual([
      413,
      'payload_too_large',
      { limitBytes: 100 },
    ])
  })

  it('reads other types as text only where a contract takes them', async () => {
    const csv = testRoute(
      { operationId: 'csv', method: 'POST', path: '/csv', consumes: ['text/csv'], body: z.unknown() },
      (_ctx, input: { body: unknown }) => ({ got: input.body }),
    )
    const { server, owner } = await serverOf([csv, echoRoute])
    const send = (url: string, type: string) =>
      server.inject({ method: 'POST', url, headers: { ...owner, 'content-type': type }, payload: 'a,b' })
    expect((await send('/api/v1/csv', 'text/csv; charset=utf-8')).json()).toEqual({ got: 'a,b' })
    expect((await send('/api/v1/echo', 'text/csv')).statusCode).toBe(415)
    expect((await send('/api/v1/csv', 'text/plain')).statusCode).toBe(415)
  })
})
