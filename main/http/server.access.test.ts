// Who may call the server, how often, and from which pages.
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { platformError } from '#shared/errors.ts'
import { requestHeaders, responseHeaders } from '#shared/route-headers.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { createTestServer, echoRoute, itemRoute, testRoute } from '../../test/support/create-test-server.ts'
import type { TestServer } from '../../test/support/create-test-server.ts'
import type { RouteBinding } from './route-runtime.ts'
import type { HttpServerOptions } from './server.ts'
import { defaultRateLimits } from './rate-limit.ts'

const open: TestServer[] = []

afterEach(async () => {
  for (const { server } of open.splice(0)) await server.close()
})

async function serverOf(routes: RouteBinding[], options: Partial<HttpServerOptions> = {}): Promise<TestServer> {
  const made = await createTestServer(routes, options)
  open.push(made)
  return made
}

describe('credentials', () => {
  const open_ = testRoute(
    { operationId: 'open', method: 'GET', path: '/open', permission: 'public' },
    (ctx: RequestContext) => ({ as: ctx.credential }),
  )
  const health = testRoute(
    { operationId: 'health', method: 'GET', path: '/health', permission: 'public', tag: 'discovery' },
    (ctx: RequestContext) => ({ as: ctx.credential }),
  )

  it('refuses a request without credential with 401 unless the route is public', async () => {
    const { server } = await serverOf([itemRoute, open_])
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
    const { server, openSession } = await serverOf([itemRoute, echoRoute])
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
    const who = testRoute(
      { operationId: 'who', method: 'GET', path: '/who' },
      ({ source, locale }: RequestContext) => ({
        source,
        locale,
      }),
    )
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
    const { server, owner } = await serverOf([itemRoute])
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
    const { server, owner, openSession } = await serverOf([itemRoute], { rateLimits: () => limits })
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
    const rows = testRoute(
      {
        operationId: 'rows',
        method: 'POST',
        path: '/rows',
        rateLimit: 'write',
        body: z.object({ records: z.array(z.int()), tags: z.record(z.string(), z.unknown()).optional() }),
      },
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

  it('does not take a record with a long list in a field for a batch', async () => {
    const one = testRoute(
      { operationId: 'one', method: 'POST', path: '/one', rateLimit: 'write', body: z.record(z.string(), z.unknown()) },
      () => ({}),
    )
    const { server, openSession } = await serverOf([one])
    const headers = { cookie: openSession(), origin: 'http://localhost:80' }
    const payload = { records: Array.from({ length: 500 }, () => 1) }
    const answer = await server.inject({ method: 'POST', url: '/api/v1/one', headers, payload })
    expect(answer.headers['x-ratelimit-remaining']).toBe('299')
  })

  it('refuses a batch that costs more than is left, and says how long to wait', async () => {
    const rows = testRoute(
      { operationId: 'rows', method: 'POST', path: '/rows', rateLimit: 'write', body: z.array(z.int()) },
      () => ({}),
    )
    const limits = { ...defaultRateLimits, write: { burst: 10, refillPerSecond: 2 } }
    const { server, clock, openSession } = await serverOf([rows], { rateLimits: () => limits })
    const headers = { cookie: openSession(), origin: 'http://localhost:80' }
    const send = (count: number) =>
      server.inject({ method: 'POST', url: '/api/v1/rows', headers, payload: Array.from({ length: count }, () => 1) })
    expect((await send(400)).headers['x-ratelimit-remaining']).toBe('1')
    const refused = await send(400)
    expect([refused.statusCode, refused.headers['retry-after'], refused.headers['x-ratelimit-remaining']]).toEqual([
      429,
      '4',
      '0',
    ])
    clock.advance(5_000)
    expect((await send(400)).statusCode).toBe(200)
  })

  it('keeps a bucket per account and route for sign-in, however the account is written and whoever asks', async () => {
    const signIn = testRoute(
      {
        operationId: 'signIn',
        method: 'POST',
        path: '/auth/sign-in/email',
        permission: 'public',
        rateLimit: 'auth',
        body: z.looseObject({ email: z.string() }),
      },
      () => ({}),
    )
    const { server } = await serverOf([signIn])
    const attempt = (email: string, remoteAddress: string, extra: Record<string, string> = {}) =>
      server.inject({
        method: 'POST',
        url: '/api/v1/auth/sign-in/email',
        remoteAddress,
        headers: extra,
        payload: { email },
      })
    for (let call = 0; call < 10; call += 1) {
      const email = call % 2 === 0 ? 'Ada@Example.com' : ' ada@example.com'
      expect((await attempt(email, `10.0.0.${call + 1}`)).statusCode).toBe(200)
    }
    const refused = await attempt('ada@example.com', '10.0.1.1')
    expect([refused.statusCode, refused.json().error.details.class]).toEqual([429, 'auth'])
    expect((await attempt('bob@example.com', '10.0.1.1')).statusCode).toBe(200)
  })

  it('counts what failed of an address, a hundred a minute, and keeps nobody out who signs in', async () => {
    const step = (operationId: string, asksNoProof?: true) =>
      testRoute(
        {
          operationId,
          method: 'POST',
          path: `/auth/${operationId}`,
          permission: 'public',
          rateLimit: 'auth',
          body: z.looseObject({ email: z.string() }),
          ...(asksNoProof === undefined ? {} : { asksNoProof }),
        },
        (_ctx: RequestContext, { body }: { body: { right?: boolean } }) => {
          if (body.right === true) return {}
          throw platformError('invalid_credentials')
        },
      )
    const { server, clock } = await serverOf([step('login'), step('other'), step('send', true)])
    let count = 0
    const call = (path: string, right: boolean, remoteAddress = '10.0.0.1') =>
      server.inject({
        method: 'POST',
        url: `/api/v1/auth/${path}`,
        remoteAddress,
        payload: { email: `person-${(count += 1)}@example.org`, right },
      })
    const statuses = async (times: number, path: string, right: boolean): Promise<number[]> => {
      const answers = await Promise.all(Array.from({ length: times }, () => call(path, right)))
      return answers.map(({ statusCode }) => statusCode)
    }
    for (let round = 0; round < 3; round += 1)
      expect(new Set(await statuses(60, 'login', true)), 'sign-ins').toEqual(new Set([200]))
    const failed = await statuses(120, 'login', false)
    expect(failed.filter((status) => status === 401)).toHaveLength(100)
    const refused = await call('login', true)
    expect(refused.json().error.details).toEqual({ limit: 100, remaining: 0, retryAfterSeconds: 1, class: 'auth' })
    expect([refused.headers['x-ratelimit-limit'], refused.headers['x-ratelimit-remaining']]).toEqual(['100', '0'])
    expect((await call('other', true)).statusCode).toBe(200)
    expect((await call('login', true, '10.0.0.2')).statusCode).toBe(200)
    clock.advance(700)
    expect((await call('login', true)).statusCode).toBe(200)
    // What proves nothing counts although it succeeds.
    const sent = await statuses(120, 'send', true)
    expect(sent.filter((status) => status === 200)).toHaveLength(100)
  })

  it('counts addresses as the connection says, not as headers do', async () => {
    const look = testRoute(
      { operationId: 'look', method: 'GET', path: '/look', permission: 'public', rateLimit: 'read' },
      () => ({}),
    )
    const limits = { ...defaultRateLimits, read: { burst: 3, refillPerSecond: 1 } }
    const { server } = await serverOf([look], { rateLimits: () => limits })
    const get = async (remoteAddress: string, headers: Record<string, string> = {}): Promise<number> =>
      (await server.inject({ url: '/api/v1/look', remoteAddress, headers })).statusCode
    const spoofed = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip']
    const answers: number[] = []
    for (const [index, name] of spoofed.entries()) answers.push(await get('10.0.0.1', { [name]: `1.2.3.${index}` }))
    expect(answers).toEqual([200, 200, 200, 429, 429])
    expect(await get('10.0.0.2')).toBe(200)
    expect(await get('::ffff:10.0.0.1')).toBe(429)
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:3:4:5:6']) {
      expect(await get(address)).toBe(200)
    }
    expect(await get('2001:db8:1:2:ffff::')).toBe(429)
    expect(await get('2001:db8:1:3::1')).toBe(200)
  })

  it('keeps a bucket per receiver for hooks, and narrows a class where a contract says so', async () => {
    const hook = testRoute(
      {
        operationId: 'hook',
        method: 'POST',
        path: '/hooks/:id',
        permission: 'public',
        rateLimit: 'hooks',
        params: z.object({ id: z.string() }),
      },
      () => ({}),
    )
    const narrow = testRoute(
      {
        operationId: 'narrow',
        method: 'GET',
        path: '/narrow',
        rateLimit: 'read',
        ownRate: { windowMs: 10_000, maxRequests: 2 },
      },
      () => ({}),
    )
    const limits = { ...defaultRateLimits, hooks: { burst: 1, refillPerSecond: 1 } }
    const { server, clock, openSession } = await serverOf([hook, narrow, itemRoute], { rateLimits: () => limits })
    const call = async (id: string): Promise<number> =>
      (await server.inject({ method: 'POST', url: `/api/v1/hooks/${id}?x=${Math.random()}` })).statusCode
    expect([await call('a'), await call('a'), await call('b')]).toEqual([200, 429, 200])
    const headers = { cookie: openSession() }
    const look = () => server.inject({ url: '/api/v1/narrow', headers })
    expect((await look()).headers['x-ratelimit-limit']).toBe('2')
    await look()
    const refused = await look()
    expect([refused.statusCode, refused.headers['retry-after'], refused.json().error.details.limit]).toEqual([
      429,
      '5',
      2,
    ])
    expect((await server.inject({ url: '/api/v1/items/a', headers })).headers['x-ratelimit-limit']).toBe('600')
    clock.advance(5_000)
    expect((await look()).statusCode).toBe(200)
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
    const { server } = await serverOf([itemRoute], { trustedOrigins: ['https://partner.example'] })
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

  it('lets such a page send and read every header of the contracts, but no cookie', async () => {
    const { server, owner } = await serverOf([itemRoute], { trustedOrigins: ['https://partner.example'] })
    const headers = { ...owner, origin: 'https://partner.example' }
    const preflight = await server.inject({
      method: 'OPTIONS',
      url: '/api/v1/items/a',
      headers: { ...headers, 'access-control-request-method': 'GET' },
    })
    const allowed = String(preflight.headers['access-control-allow-headers']).split(', ')
    expect(allowed).toEqual(expect.arrayContaining(Object.keys(requestHeaders)))
    expect(allowed).toEqual(expect.arrayContaining(['Authorization', 'Content-Type', 'X-API-Key', 'X-Environment-Id']))
    const answer = await server.inject({ url: '/api/v1/items/a', headers })
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ')
    const { 'Set-Cookie': _cookie, ...readable } = responseHeaders
    expect(exposed).toEqual(expect.arrayContaining(Object.keys(readable)))
    expect(exposed).toEqual(
      expect.arrayContaining(['X-Request-Id', 'X-API-Version', 'Deprecation', 'Sunset', 'Link', 'Cairn-Deprecated']),
    )
    expect(exposed).not.toContain('Set-Cookie')
  })

  it('gives no CORS header to our own and to foreign origins', async () => {
    const { server, owner } = await serverOf([itemRoute])
    for (const origin of ['http://localhost:80', 'https://evil.example']) {
      const answer = await server.inject({ url: '/api/v1/items/a', headers: { ...owner, origin } })
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})
