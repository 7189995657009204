// The headers that keep a browser from doing more with an answer than it should (W9).
import type { IncomingHttpHeaders } from 'node:http'
import type { Guards } from '#main/http/guard.ts'
import { carelessPlugin } from '../careless-plugin.ts'
import { drawCases, inParallel, withHost } from '../host-under-test.ts'
import type { RawRequest } from '../host-under-test.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** Why an answer is not safe to hand to a browser; empty when it is. */
function missingFrom(path: string, status: number, headers: IncomingHttpHeaders): string[] {
  const missing: string[] = []
  const expected: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
  for (const [name, value] of Object.entries(expected)) if (headers[name] !== value) missing.push(name)
  const policy = String(headers['content-security-policy'])
  if (!policy.includes("default-src 'none'") || !policy.includes("frame-ancestors 'none'"))
    missing.push('content-security-policy')
  if (/script-src[^;]*unsafe/.test(policy)) missing.push('script policy')
  const cache = String(headers['cache-control'])
  const isShellFile = path.startsWith('/_console/') && status === 200
  if (!/no-store|no-cache/.test(cache) && !isShellFile) missing.push('cache-control')
  return missing
}

async function countBareAnswers(context: CheckContext, guards: Partial<Guards>): Promise<number> {
  return withHost({ guards, plugins: [carelessPlugin] }, async ({ host, authority, send, pathOf }) => {
    const owner = ['Host', authority, 'Authorization', `Bearer ${host.token}`]
    const json = ['Content-Type', 'application/json']
    const casesOf = host.server.routeTable().map((route) => {
      const at = { method: route.method, path: pathOf(route) }
      const cases_: RawRequest[] = [
        { ...at, headers: ['Host', authority] },
        { ...at, headers: owner },
        { ...at, headers: ['Host', 'evil.example'] },
        { ...at, headers: [...owner, 'Origin', 'app://cairn'] },
        { ...at, path: `${at.path}/%zz`, headers: owner },
        { ...at, path: `/api/v1/nothing${at.path}`, headers: owner },
      ]
      if (route.method === 'GET' || route.method === 'HEAD') return cases_
      return [
        ...cases_,
        { ...at, headers: [...owner, ...json], body: '{' },
        { ...at, headers: [...owner, 'Content-Type', 'text/plain'], body: 'x' },
      ]
    })
    // One of each route at a time: eight backups at once only wait for each other.
    const rounds = Math.max(...casesOf.map(({ length }) => length))
    const all = Array.from({ length: rounds }, (_, round) => casesOf.flatMap((list) => list.slice(round, round + 1)))
    const cases = [...drawCases(context, all.flat(), 0.12)]
    cases.push({
      method: 'POST',
      path: '/api/v1/data/task',
      headers: [...owner, ...json],
      body: ' '.repeat(10_485_761),
    })
    cases.push({ method: 'POST', path: '/api/v1/careless/trust', headers: [...owner, ...json], body: '{}' })
    const answers = await inParallel(cases, send)
    const statuses = new Set(answers.map(({ status }) => status))
    for (const needed of [200, 400, 401, 403, 404, 413, 415, 500]) {
      if (!statuses.has(needed)) throw new Error(`no answer had the status ${needed}, so it was not looked at`)
    }
    const bare = answers.flatMap(({ status, headers }, index) =>
      missingFrom(cases[index]!.path, status, headers).map(
        (name) => `${status} ${cases[index]!.method} ${cases[index]!.path}: ${name}`,
      ),
    )
    context.log(
      `${cases.length} answers with ${statuses.size} statuses${bare.length === 0 ? '' : `; first: ${bare[0]}`}`,
    )
    return bare.length
  })
}

defineCheck({
  id: 'W9',
  file: 'headers',
  unit: 'protective headers missing from answers',
  target: 0,
  run: (context) => countBareAnswers(context, {}),
  twin: (context) => countBareAnswers(context, { headers: {} }),
})
