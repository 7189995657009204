// The server over real sockets and by injection, with routes of its own: what every plugin may rely on.
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ErrorBodySchema } from '#shared/contracts/common.ts'
import { platformError } from '#shared/errors.ts'
import { defineRoute } from '#shared/route.ts'
import type { AnyRoute } from '#shared/route.ts'
import { denyingAuthorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { ByteStream, RawJson, Reply } from '#main/kernel/reply.ts'
import { createTestServer } from '../../test/support/create-test-server.ts'
import type { TestServer } from '../../test/support/create-test-server.ts'
import { defaultRateLimits } from './rate-limit.ts'
import type { RouteBinding, RouteHandler } from './route-runtime.ts'
import type { HttpServerOptions } from './server.ts'

const open: TestServer[] = []

afterEach(async () => {
  for (const { server } of open.splice(0)) await server.close()
})

const base = {
  mount: 'versioned',
  permission: 'session',
  rateLimit: 'read',
  errors: [],
  channel: 'none',
  summary: 'A route of a test.',
  tag: 'test',
  response: z.unknown(),
} as const

function route(
  contract: Partial<AnyRoute> & Pick<AnyRoute, 'operationId' | 'method' | 'path'>,
  handler: RouteHandler,
): RouteBinding {
  return { plugin: 'test', contract: defineRoute({ ...base, ...contract } as AnyRoute), handler }
}

async function serverOf(routes: RouteBinding[], options: Partial<HttpServerOptions> = {}): Promise<TestServer> {
  const made = await createTestServer(routes, options)
  open.push(made)
  return made
}

const echo = route(
  { operationId: 'echo', method: 'POST', path: '/echo', body: z.unknown() },
  (_ctx, input: { body: unknown }) => ({
    got: input.body ?? null,
  }),
)
const item = route(
  { operationId: 'item', method: 'GET', path: '/items/:id', params: z.object({ id: z.string() }) },
  (_ctx, input: { params: { id: string } }) => ({ id: input.params.id }),
)

describe('routing', () => {
  it('decodes a path segment once and keeps an encoded slash as data', async () => {
    const { server, owner } = await serverOf([item])
    const ids = { 'a%2Fb': 'a/b', 'a%252Fb': 'a%2Fb', 'x%20y': 'x y', 'a+b': 'a+b', '%E2%82%AC': '€' }
    for (const [sent, id] of Object.entries(ids)) {
      expect((await server.inject({ url: `/api/v1/items/${sent}`, headers: owner })).json()).toEqual({ id })
    }
  })

  it('ignores a trailing slash and tells letters apart by case', async () => {
    const { server, owner } = await serverOf([item])
    expect((await server.inject({ url: '/api/v1/items/a/', headers: owner })).statusCode).toBe(200)
    expect((await server.inject({ url: '/api/v1/Items/a', headers: owner })).statusCode).toBe(404)
  })

  it('takes path segments of any length the URL may have', async () => {
    const { server, owner } = await serverOf([item])
    const id = 'a'.repeat(10_000)
    expect((await server.inject({ url: `/api/v1/items/${id}`, headers: owner })).json()).toEqual({ id })
  })

  it('serves an api mount under /api and under the prefix', async () => {
    const { server, owner } = await serverOf([
      route({ operationId: 'feed', method: 'GET', mount: 'api', path: '/data/x/feed' }, () => ({ ok: 1 })),
    ])
    for (const url of ['/api/data/x/feed', '/api/v1/data/x/feed']) {
      expect((await server.inject({ url, headers: owner })).json()).toEqual({ ok: 1 })
    }
  })

  it('refuses two plugins that claim one method and path, and names both', async () => {
    const other = { ...item, plugin: 'other', contract: { ...item.contract, path: '/items/:name' } }
    await expect(createTestServer([item, other])).rejects.toThrow(
      '"test" and "other" both claim GET /api/v1/items/:name',
    )
  })

  it('answers HEAD like GET without a body', async () => {
    const { server, owner } = await serverOf([item])
    const get = await server.inject({ url: '/api/v1/items/a', headers: owner })
    const head = await server.inject({ method: 'HEAD', url: '/api/v1/items/a', headers: owner })
    expect(head.statusCode).toBe(200)
    expect(head.body).toBe('')
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  })

  it('answers 404 resource_not_found with reason route for an unknown path', async () => {
    const { server, owner } = await serverOf([item])
    const answer = await server.inject({ method: 'POST', url: '/api/v1/nothing', headers: owner, payload: '{"a":' })
    expect(answer.statusCode).toBe(404)
    expect(answer.json().error.details).toEqual({ reason: 'route' })
    expect((await server.inject({ url: '/api/v2/items/a', headers: owner })).statusCode).toBe(404)
  })

  it('answers 405 method_not_allowed with Allow for a wrong method', async () => {
    const { server, owner } = await serverOf([item])
    const answer = await server.inject({ method: 'DELETE', url: '/api/v1/items/a', headers: owner })
    expect(answer.statusCode).toBe(405)
    expect(answer.headers['allow']).toBe('GET, HEAD')
    expect(answer.json().error.code).toBe('method_not_allowed')
  })

  it('lists every route it serves, with what the guards know of it', async () => {
    const { server } = await serverOf([item, echo])
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
      route({ operationId: 'wrapped', method: 'GET', path: '/wrapped', envelope: true }, () => ({ a: 1 })),
      route({ operationId: 'raw', method: 'GET', path: '/raw', envelope: true }, () => new RawJson('[1]')),
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
      route(
        { operationId: 'reply', method: 'GET', path: '/reply' },
        () => new Reply({ a: 1 }, { status: 202, headers: { etag: '"x"', vary: 'Cookie' } }),
      ),
      route(
        { operationId: 'same', method: 'GET', path: '/same' },
        () => new Reply(null, { status: 304, headers: { etag: '"x"' } }),
      ),
      route({ operationId: 'made', method: 'POST', path: '/made', status: 201 }, () => ({ id: 1 })),
    ])
    const answer = await server.inject({ url: '/api/v1/reply', headers: owner })
    expect([answer.statusCode, answer.headers['etag'], answer.headers['vary']]).toEqual([202, '"x"', 'Origin, Cookie'])
    const same = await server.inject({ url: '/api/v1/same', headers: owner })
    expect([same.statusCode, same.body]).toEqual([304, ''])
    expect((await server.inject({ method: 'POST', url: '/api/v1/made', headers: owner })).statusCode).toBe(201)
  })

  it('streams bytes with their own type', async () => {
    const { server, owner } = await serverOf([
      route(
        { operationId: 'file', method: 'GET', path: '/file', responseKind: 'bytes' },
        () => new ByteStream(Readable.from(['ab', 'cd']), 'text/csv'),
      ),
    ])
    const answer = await server.inject({ url: '/api/v1/file', headers: owner })
    expect([answer.body, answer.headers['content-type']]).toEqual(['abcd', 'text/csv'])
  })

  it('carries its fixed headers on every answer, refusals and files included', async () => {
    const { server, owner } = await serverOf([item])
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
      route({ operationId: 'old', method: 'GET', path: '/old' }, (ctx) => {
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
    const wrong = route(
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
      route({ operationId: 'bad', method: 'GET', path: '/bad' }, () => {
        throw new Error('the secret cause')
      }),
      route({ operationId: 'worse', method: 'GET', path: '/worse' }, async () => {
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
      route({ operationId: 'busy', method: 'GET', path: '/busy' }, async () => {
        throw platformError('service_unavailable', { retryAfterSeconds: 3 })
      }),
      route({ operationId: 'gone', method: 'GET', path: '/gone' }, () => {
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
    const slow = route(
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

  it('aborts the signal when the client goes away', async () => {
    let tell: (() => void) | undefined
    const told = new Promise<void>((resolve) => (tell = resolve))
    let started: (() => void) | undefined
    const running = new Promise<void>((resolve) => (started = resolve))
    const slow = route({ operationId: 'slow', method: 'GET', path: '/slow' }, async (ctx: RequestContext) => {
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
    await told
  })

  it('denies what the authorizer denies', async () => {
    const guarded = [
      route(
        { operationId: 'system', method: 'GET', path: '/system', permission: { system: 'manage_settings' } },
        () => ({}),
      ),
      route(
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
    const { server, owner } = await serverOf([echo])
    const headers = { ...owner, 'content-type': 'application/json' }
    expect((await server.inject({ method: 'POST', url: '/api/v1/echo', headers })).json()).toEqual({ got: null })
  })

  it('refuses a body over the limit of the contract with payload_too_large and the limit', async () => {
    const small = route(
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
    const csv = route(
      { operationId: 'csv', method: 'POST', path: '/csv', consumes: ['text/csv'], body: z.unknown() },
      (_ctx, input: { body: unknown }) => ({ got: input.body }),
    )
    const { server, owner } = await serverOf([csv, echo])
    const send = (url: string, type: string) =>
      server.inject({ method: 'POST', url, headers: { ...owner, 'content-type': type }, payload: 'a,b' })
    expect((await send('/api/v1/csv', 'text/csv; charset=utf-8')).json()).toEqual({ got: 'a,b' })
    expect((await send('/api/v1/echo', 'text/csv')).statusCode).toBe(415)
    expect((await send('/api/v1/csv', 'text/plain')).statusCode).toBe(415)
  })
})

describe('credentials', () => {
  const open_ = route(
    { operationId: 'open', method: 'GET', path: '/open', permission: 'public' },
    (ctx: RequestContext) => ({ as: ctx.credential }),
  )
  const health = route(
    { operationId: 'health', method: 'GET', path: '/health', permission: 'public', tag: 'discovery' },
    (ctx: RequestContext) => ({ as: ctx.credential }),
  )

  it('refuses a request without credential with 401 unless the route is public', async () => {
    const { server } = await serverOf([item, open_])
    expect((await server.inject('/api/v1/items/a')).json().error.code).toBe('unauthenticated')
    expect((await server.inject('/api/v1/open')).json()).toEqual({ as: 'none' })
  })

  it('refuses an invalid credential even where none is needed, except on discovery', async () => {
    const { server } = await serverOf([open_, health])
    const headers = { authorization: 'Bearer wrong' }
    expect((await server.inject({ url: '/api/v1/open', headers })).statusCode).toBe(401)
    expect((await server.inject({ url: '/api/v1/health', headers })).json()).toEqual({ as: 'none' })
  })

  it('asks a credential for unknown paths under the prefix, but not where anonymous callers may look', async () => {
    const { server } = await serverOf([])
    expect((await server.inject('/api/v1/unknown')).statusCode).toBe(401)
    for (const url of ['/api/v1/auth/config', '/api/v1/hooks/x', '/favicon.ico', '/api/v2/data']) {
      expect((await server.inject(url)).statusCode, url).toBe(404)
    }
  })

  it('opens a browser session with a one-time code and an Origin of ours, once', async () => {
    const { server, mintCode } = await serverOf([])
    const code = mintCode()
    const exchange = (headers: Record<string, string>) =>
      server.inject({ method: 'POST', url: '/_console/session', headers, payload: { code } })
    expect((await exchange({})).json().error.code).toBe('origin_forbidden')
    const first = await exchange({ origin: 'http://localhost:80' })
    expect(first.statusCode).toBe(200)
    expect(String(first.headers['set-cookie'])).toMatch(
      /^cairn\.session_token=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
    )
    expect((await exchange({ origin: 'http://localhost:80' })).json().error.code).toBe('invalid_credentials')
  })

  it('lets a cookie read, and write only with an Origin of ours and a deliberate header', async () => {
    const { server, openSession } = await serverOf([item, echo])
    const cookie = openSession()
    const write = (headers: Record<string, string>) =>
      server.inject({ method: 'POST', url: '/api/v1/echo', headers: { cookie, ...headers } })
    expect((await server.inject({ url: '/api/v1/items/a', headers: { cookie } })).statusCode).toBe(200)
    expect((await write({})).json().error.code).toBe('origin_forbidden')
    expect((await write({ origin: 'http://localhost:80' })).json().error.code).toBe('origin_forbidden')
    expect((await write({ origin: 'http://localhost:80', 'x-requested-with': 'cairn' })).statusCode).toBe(200)
    expect((await write({ origin: 'http://localhost:80', 'content-type': 'application/json' })).statusCode).toBe(200)
  })

  it('ends a browser session at sign-out', async () => {
    const { server, openSession } = await serverOf([])
    const cookie = openSession()
    const headers = { cookie, origin: 'http://localhost:80', 'x-requested-with': 'cairn' }
    const left = await server.inject({ method: 'DELETE', url: '/_console/session', headers })
    expect([left.statusCode, String(left.headers['set-cookie'])]).toEqual([200, expect.stringContaining('Max-Age=0')])
    expect((await server.inject({ url: '/_console/session', headers: { cookie } })).statusCode).toBe(401)
  })

  it('mints another code for the connection token and for nobody else', async () => {
    const { server, owner, openSession } = await serverOf([])
    const answer = await server.inject({ method: 'POST', url: '/_console/session/code', headers: owner })
    const { code, url } = answer.json()
    expect(url).toBe(`http://127.0.0.1:80/_console/#${code}`)
    const headers = { cookie: openSession(), origin: 'http://localhost:80', 'x-requested-with': 'cairn' }
    expect((await server.inject({ method: 'POST', url: '/_console/session/code', headers })).json().error.code).toBe(
      'permission_denied',
    )
  })

  it('names source and locale from the headers', async () => {
    const who = route({ operationId: 'who', method: 'GET', path: '/who' }, ({ source, locale }: RequestContext) => ({
      source,
      locale,
    }))
    const { server, owner } = await serverOf([who], { resolveLocale: (header) => header ?? 'none' })
    expect((await server.inject({ url: '/api/v1/who', headers: owner })).json()).toEqual({
      source: 'API',
      locale: 'none',
    })
    const headers = { ...owner, 'x-cairn-source': 'UI', 'accept-language': 'de' }
    expect((await server.inject({ url: '/api/v1/who', headers })).json()).toEqual({ source: 'UI', locale: 'de' })
  })
})

describe('versions and limits', () => {
  it('refuses another API version with the supported ones', async () => {
    const { server, owner } = await serverOf([item])
    for (const request of [
      { url: '/api/v1/items/a', headers: { ...owner, 'x-api-version': 'v2' } },
      { url: '/api/v1/items/a?api-version=2', headers: owner },
    ]) {
      const answer = await server.inject(request)
      expect([answer.statusCode, answer.json().error.details.supported]).toEqual([400, ['v1']])
    }
    expect(
      (await server.inject({ url: '/api/v1/items/a?api-version=v1', headers: { ...owner, 'x-api-version': 'v1' } }))
        .statusCode,
    ).toBe(200)
  })

  it('limits a browser session, says so in headers, and never limits the connection token', async () => {
    const limits = { ...defaultRateLimits, read: { burst: 2, refillPerSecond: 1 } }
    const { server, owner, openSession } = await serverOf([item], { rateLimits: () => limits })
    const headers = { cookie: openSession() }
    const answers = [1, 2, 3].map(() => server.inject({ url: '/api/v1/items/a', headers }))
    const [first, , third] = await Promise.all(answers)
    expect(first!.headers['x-ratelimit-remaining']).toBe('1')
    expect([third!.statusCode, third!.headers['retry-after'], third!.json().error.details.class]).toEqual([
      429,
      '1',
      'read',
    ])
    for (let call = 0; call < 5; call += 1) {
      expect(
        (await server.inject({ url: '/api/v1/items/a', headers: owner })).headers['x-ratelimit-limit'],
      ).toBeUndefined()
    }
  })

  it('counts a batch as one and a fiftieth of its rows', async () => {
    const rows = route(
      { operationId: 'rows', method: 'POST', path: '/rows', rateLimit: 'write', body: z.unknown() },
      () => ({}),
    )
    const { server, openSession } = await serverOf([rows])
    const headers = { cookie: openSession(), origin: 'http://localhost:80' }
    const answer = await server.inject({
      method: 'POST',
      url: '/api/v1/rows',
      headers,
      payload: { records: Array.from({ length: 100 }, () => 1) },
    })
    expect(answer.headers['x-ratelimit-remaining']).toBe('297')
  })

  it('limits wrong one-time codes by route, the connection token included', async () => {
    const { server, owner } = await serverOf([])
    const guess = () =>
      server.inject({
        method: 'POST',
        url: '/_console/session',
        headers: { ...owner, origin: 'http://localhost:80' },
        payload: { code: 'x' },
      })
    for (let call = 0; call < 10; call += 1) expect((await guess()).statusCode).toBe(401)
    expect((await guess()).statusCode).toBe(429)
  })
})

describe('CORS', () => {
  it('answers a preflight from the shell or a trusted origin with 204, never with a star', async () => {
    const { server } = await serverOf([item], { trustedOrigins: ['https://partner.example'] })
    for (const origin of ['app://cairn', 'https://partner.example']) {
      const answer = await server.inject({
        method: 'OPTIONS',
        url: '/api/v1/items/a',
        headers: { origin, 'access-control-request-method': 'GET' },
      })
      expect(answer.statusCode).toBe(204)
      expect(answer.headers['access-control-allow-origin']).toBe(origin)
      expect(answer.headers['access-control-allow-credentials']).toBe('true')
      expect(answer.headers['access-control-max-age']).toBe('600')
    }
  })

  it('gives no CORS header to our own and to foreign origins', async () => {
    const { server, owner } = await serverOf([item])
    for (const origin of ['http://localhost:80', 'https://evil.example']) {
      const answer = await server.inject({ url: '/api/v1/items/a', headers: { ...owner, origin } })
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})

describe('listening and stopping', () => {
  it('tries another port after one that is taken', async () => {
    const { server, owner } = await serverOf([item])
    const stranger = createServer().listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    try {
      await expect(server.listen((stranger.address() as AddressInfo).port)).rejects.toMatchObject({
        code: 'EADDRINUSE',
      })
      const { baseUrl } = await server.listen(0)
      expect((await fetch(`${baseUrl}/api/v1/items/a`, { headers: owner })).status).toBe(200)
    } finally {
      stranger.close()
    }
  })

  it('lets a running request end and refuses new ones while it stops', async () => {
    let release: (() => void) | undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    let started: (() => void) | undefined
    const running = new Promise<void>((resolve) => (started = resolve))
    const slow = route({ operationId: 'slow', method: 'GET', path: '/slow' }, async () => {
      started?.()
      await released
      return { done: true }
    })
    const { server, owner } = await createTestServer([slow, item])
    const { baseUrl } = await server.listen(0)
    const first = fetch(`${baseUrl}/api/v1/slow`, { headers: owner })
    await running
    const closed = server.close()
    const late = await server.inject({ url: '/api/v1/items/a', headers: { ...owner, host: new URL(baseUrl).host } })
    expect(late.json().error.code).toBe('service_unavailable')
    release?.()
    expect(await (await first).json()).toEqual({ done: true })
    await closed
    await expect(fetch(`${baseUrl}/api/v1/items/a`, { headers: owner })).rejects.toThrow()
  })

  it('answers what is no HTTP, and headers over 32 KB, with 400 and the error body', async () => {
    const { server } = await serverOf([])
    const { port } = await server.listen(0)
    for (const bytes of [
      'NONSENSE\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
    ]) {
      const answer = await exchange(port, bytes)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(ErrorBodySchema.safeParse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).success).toBe(true)
    }
  })

  it('gives upgrades the same guards', async () => {
    const { server } = await serverOf([])
    const upgrade = (headers: Record<string, string>) =>
      server.guardUpgrade({
        method: 'GET',
        url: '/api/v1/realtime',
        headers,
        rawHeaders: Object.entries(headers).flat(),
      })
    expect(upgrade({ host: 'localhost:80' })).toBeNull()
    expect(upgrade({ host: 'localhost:80', origin: 'https://evil.example' })?.code).toBe('origin_forbidden')
    expect(upgrade({ host: 'evil.example' })?.code).toBe('origin_forbidden')
  })
})

function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}
