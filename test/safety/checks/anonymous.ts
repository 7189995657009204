// What somebody without credential gets: the public list and nothing else (W3).
import { hostname, userInfo } from 'node:os'
import type { Guards } from '#main/http/guard.ts'
import { localOwner } from '#main/kernel/context.ts'
import type { Caller } from '#main/kernel/identity.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginDefinition, PluginHost } from '#main/kernel/plugin.ts'
import { inParallel, withHost } from '../host-under-test.ts'
import type { HostUnderTestOptions } from '../host-under-test.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** D-28: discovery, health, the steps of accounts before a session, and the shell with its proof of identity. */
export const publicPaths: ReadonlySet<string> = new Set([
  '/api/v1',
  '/api/v1/discovery',
  '/.well-known/cairn',
  '/healthz',
  '/readyz',
  '/api/v1/health',
  '/api/v1/ready',
  '/',
  '/_console',
  '/_console/*',
  '/_console/proof',
  '/api/v1/auth/config',
  '/api/v1/auth/bootstrap-status',
  '/api/v1/auth/get-session',
  '/api/v1/auth/sign-out',
  '/api/v1/auth/callback/:id',
  '/api/v1/auth/oauth2/callback/:id',
])

/** Answers to nobody outside the public list, plus public answers that name a person, a folder or this machine. */
async function countAnonymousAnswers(context: CheckContext, guards: Partial<Guards>): Promise<number> {
  return withHost({ guards }, async ({ host, dataDir, authority, send, pathOf, liveId }) => {
    const routes = host.server.routeTable()
    const cases = routes.flatMap((route) =>
      [undefined, '{}'].map((body) => ({
        route,
        method: route.method,
        path: pathOf(route) + (route.url === '/_console/proof' ? '?nonce=0123456789abcdef' : ''),
        headers: [
          'Host',
          authority,
          'Origin',
          host.url,
          ...(body === undefined ? [] : ['Content-Type', 'application/json']),
        ],
        ...(body === undefined ? {} : { body }),
      })),
    )
    const answers = await inParallel(cases, send)
    const words = [dataDir, hostname(), userInfo().username, liveId, 'owner'].filter((word) => word.length > 3)
    let violations = 0
    answers.forEach(({ status, text }, index) => {
      const { url } = cases[index]!.route
      const answered = status >= 200 && status < 400
      if (answered && !publicPaths.has(url)) violations += 1
      // The shell's files are the same for everybody.
      if (answered && !url.startsWith('/_console') && words.some((word) => text.includes(word))) violations += 1
    })
    context.log(`${cases.length} requests, ${routes.length} routes, ${words.length} words`)
    return violations
  })
}

/** Credentials that are none: unknown ones of every kind, and headers that are no credential at all. */
const wrongCredentials: readonly (readonly string[])[] = [
  ['Authorization', `Bearer ${'A'.repeat(43)}`],
  ['Authorization', `Bearer cairn_${'A'.repeat(43)}`],
  ['Authorization', `ApiKey cairn_${'A'.repeat(43)}`],
  ['X-API-Key', `cairn_${'A'.repeat(43)}`],
  ['Cookie', `cairn.session_token=${'A'.repeat(43)}`],
  ['Cookie', `cairn.session_token=${'A'.repeat(32)}.${'B'.repeat(43)}%3D`],
  ['Authorization', 'Bearer'],
  ['Authorization', 'Bearer  '],
  ['Authorization', 'bearer null'],
  ['Authorization', 'Basic b3duZXI6b3duZXI='],
  ['Authorization', 'x'.repeat(9_000)],
  ['X-API-Key', '; DROP TABLE auth_user'],
]

/** Successes with a wrong credential outside the public list, and refusals that name a person, a folder or this machine. */
async function countWrongCredentials(context: CheckContext, options: HostUnderTestOptions): Promise<number> {
  return withHost(options, async ({ host, dataDir, authority, send, pathOf, liveId }) => {
    const routes = host.server.routeTable()
    const cases = routes.flatMap((route) =>
      wrongCredentials.map((credential) => ({
        route,
        method: route.method,
        path: pathOf(route),
        headers: ['Host', authority, 'Origin', host.url, 'Content-Type', 'application/json', ...credential],
        ...(['GET', 'HEAD'].includes(route.method) ? {} : { body: '{}' }),
      })),
    )
    const answers = await inParallel(cases, send)
    const words = [dataDir, hostname(), userInfo().username, 'Bearer', 'SQLITE', 'at file:'].filter(
      (word) => word.length > 3,
    )
    let violations = 0
    answers.forEach(({ status, text }, index) => {
      const { route, path, method, headers } = cases[index]!
      const isPublic = publicPaths.has(route.url)
      const answered = status >= 200 && status < 400 && !isPublic
      // A path that was asked for may come back; nothing else that tells records from none.
      const tells =
        !isPublic && (words.some((word) => text.includes(word)) || (!path.includes(liveId) && text.includes(liveId)))
      // Without built screens the shell answers 503 to everybody.
      const failed = status >= 500 && !route.url.startsWith('/_console')
      if (!answered && !tells && !failed) return
      violations += 1
      context.log(
        `${method} ${path} with ${headers.slice(-2).join(': ').slice(0, 60)}: ${status} ${text.slice(0, 200)}`,
      )
    })
    context.log(`${cases.length} requests, ${routes.length} routes`)
    return routes.length < minimumOf('anonymousRoutes') ? NaN : violations
  })
}

/** Accounts that take every credential for one of the owner's. */
function credulous(plugins: PluginDefinition[]): PluginDefinition[] {
  const anybody: Caller = {
    actor: localOwner,
    credential: 'session',
    organizationId: null,
    credentialId: 'anybody',
    byCookie: false,
  }
  const taken = { byBearer: () => anybody, byApiKey: () => anybody, byCookie: () => anybody }
  return plugins.map((plugin) => {
    if (plugin.id !== 'auth') return plugin
    const register = (host: PluginHost) =>
      plugin.register(Object.create(host, { setIdentities: { value: () => host.setIdentities(taken) } }) as PluginHost)
    return definePlugin({ ...plugin, register })
  })
}

defineCheck({
  id: 'W3c',
  file: 'anonymous',
  unit: 'answers to wrong and malformed credentials outside the public list',
  target: 0,
  run: (context) => countWrongCredentials(context, {}),
  twin: (context) => countWrongCredentials(context, { change: credulous }),
})

defineCheck({
  id: 'W3',
  file: 'anonymous',
  unit: 'answers without credential outside the public list',
  target: 0,
  run: (context) => countAnonymousAnswers(context, {}),
  twin: (context) => countAnonymousAnswers(context, { credential: false }),
})
