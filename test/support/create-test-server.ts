// The HTTP server alone with routes a test brings along: no plugin, no database. For tests of the server itself.
import { z } from 'zod'
import { defineRoute } from '#shared/route.ts'
import type { AnyRoute } from '#shared/route.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { createAuthenticator } from '#main/http/authenticate.ts'
import { createConsoleSessions, createOneTimeCodes } from '#main/http/console-session.ts'
import type { RouteBinding, RouteHandler } from '#main/http/route-runtime.ts'
import { proofFor } from '#main/http/running-host.ts'
import { createHttpServer } from '#main/http/server.ts'
import type { HttpServer, HttpServerOptions } from '#main/http/server.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { createLogger } from '#main/kernel/logger.ts'

/** A server under test and what it was made of. */
export interface TestServer {
  readonly server: HttpServer
  readonly clock: ManualClock
  /** The connection token. */
  readonly token: string
  /** A header that authenticates as the local owner. */
  readonly owner: { authorization: string }
  /** Log lines so far. */
  readonly lines: string[]
  mintCode(): string
  /** The cookie of a fresh browser session. */
  openSession(): string
}

/** Grants everything. */
export const grantingAuthorizer: Authorizer = {
  hasSystemPermission: () => true,
  canObject: () => true,
  rowCondition: () => null,
  canField: () => true,
  isUnrestricted: () => true,
  fingerprint: () => 'all',
}

/** Makes a server; it listens only when the test says so. */
export async function createTestServer(
  routes: readonly RouteBinding[] = [],
  options: Partial<HttpServerOptions> = {},
): Promise<TestServer> {
  const clock = createManualClock(Date.UTC(2026, 0, 31, 8))
  const ids = createIds(clock)
  const token = ids.token(32)
  const sessions = createConsoleSessions(clock, ids)
  const codes = createOneTimeCodes(clock, ids)
  const lines: string[] = []
  const server = await createHttpServer({
    routes,
    version: '0.0.0',
    consoleDir: '/nonexistent/renderer',
    authenticate: createAuthenticator({ connectionToken: token, findSession: sessions.find }),
    codes,
    sessions,
    prove: (nonce) => proofFor(token, nonce),
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
    clock,
    ids,
    authorizer: () => grantingAuthorizer,
    permissionEpoch: () => 0,
    validateResponses: true,
    ...options,
  })
  return {
    server,
    clock,
    token,
    owner: { authorization: `Bearer ${token}` },
    lines,
    mintCode: () => codes.mint(),
    openSession: () => `cairn.session_token=${sessions.open()}`,
  }
}

const defaults = {
  mount: 'versioned',
  permission: 'session',
  rateLimit: 'read',
  errors: [],
  channel: 'none',
  summary: 'A route of a test.',
  tag: 'test',
  response: z.unknown(),
} as const

/** A route of the plugin `test` with everything a contract needs. */
export function testRoute(
  contract: Partial<AnyRoute> & Pick<AnyRoute, 'operationId' | 'method' | 'path'>,
  handler: RouteHandler,
): RouteBinding {
  return { plugin: 'test', contract: defineRoute({ ...defaults, ...contract } as AnyRoute), handler }
}

/** `GET /items/:id`: answers the id. */
export const itemRoute = testRoute(
  { operationId: 'item', method: 'GET', path: '/items/:id', params: z.object({ id: z.string() }) },
  (_ctx, input: { params: { id: string } }) => ({ id: input.params.id }),
)

/** `POST /echo`: answers the body, null for none. */
export const echoRoute = testRoute(
  { operationId: 'echo', method: 'POST', path: '/echo', body: z.unknown() },
  (_ctx, input: { body: unknown }) => ({ got: input.body ?? null }),
)
