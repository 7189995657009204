// Requests a foreign page can cause: writes by origin, by cookie, and by a mere GET (W4, W5, W6).
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Guards } from '#main/http/guard.ts'
import { carelessPlugin } from '../careless-plugin.ts'
import { codeOf, inParallel, withHost } from '../host-under-test.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** Mutations from a foreign origin that got past the guard. */
async function countForeignWrites(context: CheckContext, guards: Partial<Guards>): Promise<number> {
  return withHost({ guards }, async ({ host, authority, send, pathOf }) => {
    const { port } = host
    const sources = [
      ['Origin', 'https://evil.example'],
      ['Origin', 'null'],
      ['Origin', `http://127.0.0.1:${port + 1}`],
      ['Origin', `https://127.0.0.1:${port}`],
      ['Origin', `http://127.0.0.1:${port}.evil.example`],
      ['Origin', `http://evil.example/?http://127.0.0.1:${port}`],
      ['Origin', 'app://cairn.evil.example'],
      ['Origin', `${host.url} `.trimEnd() + '/'],
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Site', 'same-site'],
    ]
    const cases = host.server
      .routeTable()
      .filter(({ mutates }) => mutates)
      .flatMap((route) =>
        sources.map((source) => ({
          method: route.method,
          path: pathOf(route),
          headers: ['Host', authority, ...source],
        })),
      )
    const answers = await inParallel(cases, send)
    context.log(`${cases.length} requests from ${sources.length} sources`)
    return answers.filter((answer) => codeOf(answer) !== 'origin_forbidden').length
  })
}

defineCheck({
  id: 'W4',
  file: 'requests',
  unit: 'writes from foreign origins that were answered',
  target: 0,
  run: (context) => countForeignWrites(context, {}),
  twin: (context) => countForeignWrites(context, { origin: () => null }),
})

/** What a page can send without asking: three methods, and the content types forms and texts have. */
const simpleTypes = [null, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']

/** Tables changed by requests that carry a session cookie and nothing a foreign page could not send. */
async function countCookieWrites(context: CheckContext, guards: Partial<Guards>): Promise<number> {
  return withHost({ guards }, async (subject) => {
    const { host, authority } = subject
    const cookie = await subject.openSession()
    const cases = [
      ...new Set(host.server.routeTable().map((route) => subject.pathOf(route, subject.deletedId))),
    ].flatMap((path) =>
      ['GET', 'HEAD', 'POST'].flatMap((method) =>
        simpleTypes.map((type) => ({
          method,
          path,
          headers: ['Host', authority, 'Cookie', cookie, ...(type === null ? [] : ['Content-Type', type])],
          ...(method === 'POST' && type !== null ? { body: '{"title":"forged"}' } : {}),
        })),
      ),
    )
    const before = await subject.tableHashes()
    await inParallel(cases, subject.send)
    const after = await subject.tableHashes()
    context.log(`${cases.length} simple requests, ${before.size} tables`)
    return changesBetween(context, before, after)
  })
}

/** Wrong guesses count however they come: the codes of devices are looked up by a GET (RFC 8628, safety N1). */
const counters: ReadonlySet<string> = new Set(['auth_attempt'])

function changesBetween(
  context: CheckContext,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): number {
  const names = new Set([...before.keys(), ...after.keys()].filter((name) => !counters.has(name)))
  const changed = [...names].filter((name) => before.get(name) !== after.get(name))
  if (changed.length > 0) context.log(`changed: ${changed.join(', ')}`)
  return changed.length
}

defineCheck({
  id: 'W5',
  file: 'requests',
  unit: 'tables changed by simple requests with a cookie',
  target: 0,
  run: (context) => countCookieWrites(context, {}),
  twin: (context) => countCookieWrites(context, { cookieWrite: () => null }),
})

/** Tables changed by GET and HEAD of the owner, plus credentials found in the logs afterwards. */
async function countReadChanges(context: CheckContext, careless: boolean): Promise<number> {
  return withHost({ plugins: careless ? [carelessPlugin] : [] }, async (subject) => {
    const { host, authority, dataDir } = subject
    const cookie = await subject.openSession()
    const cases = host.server
      .routeTable()
      .filter(({ method }) => method === 'GET' || method === 'HEAD')
      .flatMap((route) =>
        ['', '?top=1&count=true', '?_method=DELETE&purge=true', `?token=${host.token}`].flatMap((query) => [
          {
            method: route.method,
            path: subject.pathOf(route) + query,
            headers: ['Host', authority, 'Authorization', `Bearer ${host.token}`],
          },
          { method: route.method, path: subject.pathOf(route) + query, headers: ['Host', authority, 'Cookie', cookie] },
        ]),
      )
    const before = await subject.tableHashes()
    const answers = await inParallel(cases, subject.send)
    const changes = changesBetween(context, before, await subject.tableHashes())
    const secrets = [host.token, cookie.split('=')[1]!]
    const logs = readdirSync(join(dataDir, 'logs')).map((name) => readFileSync(join(dataDir, 'logs', name), 'utf8'))
    const leaks = secrets.filter((secret) => logs.some((text) => text.includes(secret))).length
    const seen = answers.filter(({ status }) => status >= 200 && status < 300).length
    context.log(`${cases.length} reads, ${seen} answered 2xx, ${logs.length} log files`)
    return changes + leaks
  })
}

defineCheck({
  id: 'W6',
  file: 'requests',
  unit: 'tables changed by GET and HEAD, and credentials in logs',
  target: 0,
  run: (context) => countReadChanges(context, false),
  twin: (context) => countReadChanges(context, true),
})
