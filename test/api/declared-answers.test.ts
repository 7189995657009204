// Every route of the document is called with what its schemas describe, so that it comes as far as it can about things
// that do not exist: whatever it answers, status and code are in the document.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allContracts } from '#shared/contracts/index.ts'
import { buildOpenApi, resolved } from '#main/http/openapi.ts'
import type { OpenApiOperation } from '#main/http/openapi.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { inParallel } from '../safety/host-under-test.ts'
import { sampleOf } from '../support/schema-samples.ts'
import { isLong, sized } from '../support/test-size.ts'

const document = buildOpenApi(allContracts, { version: '0.0.0' })
const { paths, components } = document
const id = '00000000-0000-7000-8000-000000000000'

/** Routes that last as long as the host, or end what the others need. */
const left = new Set([
  'streamEvents',
  'restoreBackup',
  'disableSync',
  'signOut',
  'revokeSessions',
  'revokeOtherSessions',
])

/** Words that name something that exists, so that routes get beyond their first question. */
const known: Readonly<Record<string, string>> = { object: 'task', type: 'object', name: 'task' }

let host: AuthHost
let token: string

beforeAll(async () => {
  host = await createAuthHost({ plugins: { magicLink: true, oidcProvider: true, organization: true } })
  await host.patch('/settings', {
    rateLimits: { auth: { burst: 100_000, refillPerSecond: 10_000 }, read: null, write: null, heavy: null },
  })
  await host.defineObject('task', { title: { type: 'text' } })
  expect((await host.post('/sync/enable', {})).status).toBe(202)
  await host.account('ann')
  token = await host.signIn('ann')
})

afterAll(() => host.stop())

interface Call {
  readonly method: string
  readonly path: string
  readonly body: unknown
  /** Null: nobody calls. */
  readonly credential: string | null
}

/** How a route is called: with which words, with every member its schemas name or with those that must be there, and by whom. */
const ways = (): { words: typeof known; full: boolean; credential: string | null }[] => [
  { words: known, full: true, credential: host.host.token },
  { words: known, full: false, credential: host.host.token },
  { words: known, full: true, credential: token },
  ...(isLong
    ? [
        { words: {}, full: true, credential: host.host.token },
        { words: known, full: true, credential: null },
      ]
    : []),
]

function callsOf(template: string, method: string, operation: OpenApiOperation, turn: number): Call[] {
  // At a commit the owner asks in every way, somebody without rights and whoever says only what must be there in turn.
  const [first, ...others] = ways()
  const taken = [first!, ...sized([others[turn % others.length]!], others)]
  return taken.map(({ words, full, credential }) => {
    const path = template.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => words[name] ?? id)
    const query = new URLSearchParams()
    for (const parameter of operation.parameters ?? []) {
      const { name, in: place, required, schema } = resolved(document, parameter)
      if (place !== 'query' || (!required && !full)) continue
      const value = words[name] ?? sampleOf(schema, components.schemas, full)
      query.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
    const schema = operation.requestBody?.content['application/json']?.schema ?? {}
    const sample = sampleOf(schema, components.schemas, full)
    const isMap = typeof sample === 'object' && sample !== null && !Array.isArray(sample)
    const named = Object.entries(words).filter(([name]) => isMap && name in sample)
    const body = isMap ? { ...sample, ...Object.fromEntries(named) } : sample
    return {
      method: method.toUpperCase(),
      path: `${path}?${query}`,
      body: method === 'get' ? undefined : body,
      credential,
    }
  })
}

it('is what every route answers, to the owner, to somebody without rights and to nobody', async () => {
  const calls = Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => !left.has(operationId))
      .flatMap(([method, operation], at) => callsOf(template, method, operation, template.length + at)),
  )
  expect(calls.length).toBeGreaterThan(sized(650, 800))
  const problems = new Set<string>()
  await inParallel(calls, async ({ method, path, body, credential }) => {
    const headers: Record<string, string> = credential === null ? {} : { authorization: `Bearer ${credential}` }
    try {
      const { status } = await host.anonymous(method, path, body, headers)
      if (status === 500) problems.add(`${method} ${path} ${JSON.stringify(body)} failed.`)
    } catch (error) {
      problems.add((error as Error).message.slice(0, 300))
    }
  })
  expect([...problems]).toEqual([])
}, 120_000)
