// Rate classes of the whole host: every route has the class of D-200, limited answers say so, options count at once.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allContracts } from '#shared/contracts/index.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'

let subject: TestHost
let cookie: string

beforeAll(async () => {
  subject = await createTestHost()
  const { url } = subject.host
  const exchange = await fetch(`${url}/_console/session`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ code: subject.host.mintCode() }),
  })
  cookie = exchange.headers.get('set-cookie')!.split(';')[0]!
  await subject.defineObject('task', { title: { type: 'text' } })
})
afterAll(async () => subject.stop())

const asSession = (method: string, path: string, body?: unknown): Promise<Answer> =>
  subject.anonymous(method, path, body, { cookie, origin: subject.host.url })
const limitOf = ({ headers }: Answer): string | null => headers.get('x-ratelimit-limit')

it('gives every route a class, and none to health alone', () => {
  const classes = new Map<string, string>()
  for (const { contract } of subject.host.server.routeTable()) {
    if (contract !== null) classes.set(contract.operationId, contract.rateLimit)
  }
  const unlimited = [...classes].filter(([, name]) => name === 'none').map(([id]) => id)
  expect(unlimited.toSorted()).toEqual(['getHealth', 'getReadiness'])
  for (const { contract, mutates } of subject.host.server.routeTable()) {
    if (contract === null || !mutates || contract.method === 'GET') continue
    expect(['write', 'heavy', 'auth', 'hooks'], contract.operationId).toContain(contract.rateLimit)
  }
  for (const { contract } of subject.host.server.routeTable()) {
    if (contract === null) continue
    const isTransfer = ['exportMetadata', 'importMetadata'].includes(contract.operationId)
    if (isTransfer || ['analytics', 'graphql', 'ai'].includes(contract.tag)) {
      expect(contract.rateLimit, contract.operationId).toBe('heavy')
    }
  }
})

it('counts of an address also the steps that prove nothing: those that make or send something for anybody', () => {
  const routes = allContracts.filter((contract) => contract.asksNoProof === true)
  for (const { rateLimit, permission } of routes) expect([rateLimit, permission]).toEqual(['auth', 'public'])
  expect(routes.map(({ operationId }) => operationId).toSorted()).toEqual([
    'isUsernameAvailable',
    'requestDeviceCode',
    'requestPasswordReset',
    'sendMagicLink',
    'sendOtp',
    'sendVerificationEmail',
    'signInOauth2',
    'signInSocial',
    'signUpEmail',
  ])
})

it('says what is left on every answer of a limited route, also on refusals and failures', async () => {
  for (const [method, path, body, limit] of [
    ['GET', '/data/task', undefined, '600'],
    ['POST', '/data/task/query', {}, '600'],
    ['GET', '/data/task/00000000-0000-7000-8000-000000000000', undefined, '600'],
    ['GET', '/data/nothing', undefined, '600'],
    ['GET', '/data/task?top=x', undefined, '600'],
    ['POST', '/data/task', { title: 'a' }, '300'],
    ['POST', '/data/task', { unknown: 1 }, '300'],
    ['POST', '/meta/export', {}, '30'],
    ['POST', '/analytics/query', { cube: 'task', measures: ['count'] }, '30'],
  ] as const) {
    const answer = await asSession(method, path, body)
    expect(limitOf(answer), `${method} ${path} ${answer.status}`).toBe(limit)
    expect(Number(answer.headers.get('x-ratelimit-reset'))).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000))
    expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeLessThan(Number(limit))
  }
  expect(limitOf(await subject.get('/data/task'))).toBeNull()
})

it('charges a batch by its rows and a record by nothing but itself', async () => {
  const left = async (path: string, body: unknown): Promise<number> =>
    Number((await asSession('POST', path, body)).headers.get('x-ratelimit-remaining'))
  const records = Array.from({ length: 1_000 }, (_, index) => ({ title: `t${index}` }))
  const before = await left('/data/task', { title: 'one' })
  const after = await left('/data/task/createMany', { records })
  // 1 + 1,000 / 50, less what came back meanwhile.
  expect(before - after).toBeLessThanOrEqual(21)
  expect(before - after).toBeGreaterThan(0)
})

it('follows the options at once: smaller, off, and back to the standard ones', async () => {
  const change = (rateLimits: unknown): Promise<Answer> => subject.patch('/settings', { rateLimits })
  expect((await change({ read: { burst: 2, refillPerSecond: 0.01 } })).status).toBe(200)
  const answers = [
    await asSession('GET', '/data/task'),
    await asSession('GET', '/data/task'),
    await asSession('GET', '/data/task'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  const { body, headers } = answers[2]!
  expect(body.error).toMatchObject({ code: 'rate_limit_exceeded', httpStatus: 429, retryable: true })
  expect(body.error.details).toMatchObject({ limit: 2, remaining: 0, class: 'read' })
  expect(Number(headers.get('retry-after'))).toBe(body.error.details.retryAfterSeconds)
  expect((await asSession('POST', '/data/task', { title: 'other class' })).status).toBe(201)

  await change({ read: null, write: { burst: 5, refillPerSecond: 1 } })
  const free = await asSession('GET', '/data/task')
  expect([free.status, limitOf(free)]).toEqual([200, null])
  expect(limitOf(await asSession('POST', '/data/task', { title: 'a' }))).toBe('5')

  expect((await change({ auth: null })).status).toBe(400)
  await change(null)
  expect(limitOf(await asSession('GET', '/data/task'))).toBe('600')
})
