// What somebody without credential gets: the public list and nothing else (W3).
import { hostname, userInfo } from 'node:os'
import type { Guards } from '#main/http/guard.ts'
import { inParallel, withHost } from '../host-under-test.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** D-28: discovery, health, and the shell with its sign-in and its proof of identity. */
const publicPaths: ReadonlySet<string> = new Set([
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

defineCheck({
  id: 'W3',
  file: 'anonymous',
  unit: 'answers without credential outside the public list',
  target: 0,
  run: (context) => countAnonymousAnswers(context, {}),
  twin: (context) => countAnonymousAnswers(context, { credential: false }),
})
