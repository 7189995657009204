// What people get whose credential, membership or account is in a state that grants nothing: every route of the running
// server with each of them (C6).
import type { RouteEntry } from '#main/http/server.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import type { AuthDoors } from '../../support/auth-doors.ts'
import { neverForgetting, withAuthDoors } from '../../support/auth-doors.ts'
import { createAuthHost, password } from '../../support/auth-host.ts'
import type { AuthHost } from '../../support/auth-host.ts'
import { inParallel } from '../host-under-test.ts'
import { cookiesOf, send } from '../identity-client.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import { openChallenge, withSecondFactor } from '../second-factor.ts'
import { publicPaths } from './anonymous.ts'

/** The steps before a session that the switched-on plugins add (D-28, D-32). */
const switchedOn: ReadonlySet<string> = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/api/v1/auth',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/api/v1/auth',
  '/api/v1/auth/jwks',
  '/api/v1/auth/oauth2/authorize',
  '/api/v1/auth/reset-password/:token',
])

/** Somebody in a state. */
interface Person {
  readonly state: string
  readonly headers: Readonly<Record<string, string>>
  /** Has a session of an own account all the same: gets what is its own, and nothing of the organization. */
  readonly hasAccount?: true
  /** Steps that belong to the state. */
  readonly mayTake?: ReadonlySet<string>
  /** Routes on which an answer names the organization as it should: invitations to it. */
  readonly mayName?: ReadonlySet<string>
}

/** What nobody outside the organization may see. */
interface Secrets {
  readonly words: readonly string[]
  readonly recordId: string
  readonly organizationId: string
  /** What stands in a path for each parameter that names something of the organization. */
  readonly ids: Readonly<Record<string, string>>
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

const invitations: ReadonlySet<string> = new Set([
  '/api/v1/auth/organization/list-user-invitations',
  '/api/v1/auth/organization/get-invitation',
])

async function prepare(host: AuthHost): Promise<{ founder: string; secrets: Secrets }> {
  const wide = { read: null, write: null, heavy: null, hooks: null, auth: { burst: 1e5, refillPerSecond: 1e4 } }
  await host.patch('/settings', { rateLimits: wide })
  await host.defineObject('task', { title: { type: 'text' } })
  const { id: userId } = await host.account('wanda')
  const founder = await host.signIn('wanda')
  const made = await host.as(founder, 'POST', '/auth/organization/create', { name: 'Canarytown', slug: 'canary-slug' })
  const record = await host.as(founder, 'POST', '/data/task', { title: 'canary of the record' })
  if (record.status !== 201) throw new Error(`The record was refused: ${JSON.stringify(record.body)}`)
  const recordId = record.body.id as string
  const organizationId = made.body.id as string
  const item = await host.as(founder, 'POST', `/data/task/${recordId}/feed`, { type: 'comment', body: 'canary said' })
  const shared = { principalType: 'user', principalId: userId, access: 'read' }
  const share = await host.as(founder, 'POST', `/data/task/${recordId}/shares`, shared)
  if (item.status !== 201 || share.status !== 201) throw new Error('What belongs to the record could not be made.')
  const ids = { userId, feedId: item.body.data.id as string, shareId: share.body.id as string }
  const words = ['Canarytown', 'canary-slug', 'canary of the record', 'canary said']
  return { founder, secrets: { words, recordId, organizationId, ids } }
}

async function invite(host: AuthHost, founder: string, name: string): Promise<string> {
  const { id } = await host.account(name)
  await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
  const body = { email: `${name}@example.org`, role: 'member' }
  const invited = await host.as(founder, 'POST', '/auth/organization/invite-member', body)
  return invited.body.id as string
}

/** People whose state does not hang on the clock; each credential held before. */
async function peopleOf(host: AuthHost, founder: string): Promise<Person[]> {
  await invite(host, founder, 'ivana')
  const joined = await invite(host, founder, 'remus')
  const removed = await host.signIn('remus')
  await host.as(removed, 'POST', '/auth/organization/accept-invitation', { invitationId: joined })
  await proveAlive(host, bearer(removed))
  await host.as(founder, 'POST', '/auth/organization/remove-member', { memberIdOrEmail: 'remus@example.org' })

  await host.account('fritz')
  const foreign = await host.signIn('fritz')
  await host.as(foreign, 'POST', '/auth/organization/create', { name: 'Elsewhere', slug: 'elsewhere' })

  const { id: bannedId } = await host.account('basil')
  const banned = await host.signIn('basil')
  const bannedKey = (await host.as(banned, 'POST', '/keys', { name: 'of the banned' })).body.key as string
  for (const headers of [bearer(banned), bearer(bannedKey)]) await proveAlive(host, headers)
  await host.post('/auth/admin/ban-user', { userId: bannedId })

  const { id: actedId } = await host.account('agnes')
  const begun = await host.post('/auth/admin/impersonate-user', { userId: actedId })
  const acted = begun.body.session.token as string
  await proveAlive(host, bearer(acted))
  await host.as(acted, 'POST', '/auth/admin/stop-impersonating', {})

  await host.account('kevin')
  const owner = await host.signIn('kevin')
  const key = (await host.as(owner, 'POST', '/keys', { name: 'revoked' })).body as { id: string; key: string }
  await proveAlive(host, bearer(key.key))
  await host.as(owner, 'DELETE', `/keys/${key.id}`)
  const revoked = await host.signIn('kevin')
  const cookie = cookiesOf(await send(host, 'POST', '/auth/login', { body: { username: 'kevin', password } }))
  for (const headers of [bearer(revoked), { cookie }]) await proveAlive(host, headers)
  await host.as(owner, 'POST', '/auth/revoke-sessions')

  const { id: deletedId } = await host.account('della')
  const deleted = await host.signIn('della')
  await proveAlive(host, bearer(deleted))
  await host.post('/auth/admin/remove-user', { userId: deletedId })

  await withSecondFactor(host, 'halfa')
  const half = await openChallenge(host, 'halfa')
  const challenge = half.slice(half.indexOf('=') + 1)
  const ivana = bearer(await host.signIn('ivana'))
  return [
    { state: 'anonymous', headers: {} },
    { state: 'invited', headers: ivana, hasAccount: true, mayName: invitations },
    { state: 'of another organization', headers: bearer(foreign), hasAccount: true },
    { state: 'removed from the organization', headers: bearer(removed), hasAccount: true },
    { state: 'banned', headers: bearer(banned) },
    { state: 'banned, by a key', headers: bearer(bannedKey) },
    { state: 'impersonated, ended', headers: bearer(acted) },
    { state: 'revoked key', headers: { 'x-api-key': key.key } },
    { state: 'revoked session', headers: bearer(revoked) },
    { state: 'revoked session, by cookie', headers: { cookie, origin: host.host.url } },
    { state: 'deleted', headers: bearer(deleted) },
    {
      state: 'half a second factor',
      headers: { cookie: half, origin: host.host.url },
      mayTake: new Set(['/api/v1/auth/two-factor/send-otp']),
    },
    {
      state: 'half a second factor as a session',
      headers: { cookie: `cairn.session_token=${challenge}`, origin: host.host.url },
    },
  ]
}

/** People whose credential has run out when the clock has gone on. */
async function expiredPeople(host: AuthHost, clock: ManualClock): Promise<Person[]> {
  await host.account('edgar')
  const session = await host.signIn('edgar')
  const login = { body: { username: 'edgar', password } }
  const cookie = cookiesOf(await send(host, 'POST', '/auth/login', login))
  const expiresAt = new Date(clock.now() + 3_600_000).toISOString()
  const { key } = (await host.as(session, 'POST', '/keys', { name: 'short', expiresAt })).body as { key: string }
  const { id } = await host.account('agata')
  const begun = await host.post('/auth/admin/impersonate-user', { userId: id })
  const acted = begun.body.session.token as string
  for (const headers of [bearer(session), bearer(acted), { 'x-api-key': key }, { cookie }])
    await proveAlive(host, headers)
  clock.advance(8 * 86_400_000)
  return [
    { state: 'expired session', headers: bearer(session) },
    { state: 'expired session, by cookie', headers: { cookie, origin: host.host.url } },
    { state: 'expired key', headers: { 'x-api-key': key } },
    { state: 'impersonated for longer than an hour', headers: bearer(acted) },
  ]
}

async function proveAlive(host: AuthHost, headers: Record<string, string>): Promise<void> {
  const { status } = await send(host, 'GET', '/permissions/effective', { headers })
  if (status !== 200) throw new Error(`A credential did not even hold before its end: ${status}.`)
}

/** Steps with which a session would end itself come last. */
const ending = /sign-out|revoke|delete-user|leave|set-active|stop-impersonating|organization\/create/

function fill(url: string, { recordId, organizationId, ids }: Secrets): string {
  const named = { object: 'task', type: 'object', name: 'task', seq: '1' }
  const values: Record<string, string> = { ...named, ...ids, id: recordId, recordId }
  const path = url
    .replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => values[name] ?? 'list')
    .replace('*', 'index.html')
  const query = /organization\/(get-(full|active-member-role)|list-(members|invitations|(user-)?teams))/.test(url)
    ? `?organizationId=${organizationId}`
    : ''
  return path + (url === '/_console/proof' ? '?nonce=0123456789abcdef' : query)
}

/** A body that the route may take, so that rights and not the shape decide. */
function bodyFor({ url }: RouteEntry, { recordId, organizationId, ids }: Secrets): Record<string, unknown> {
  if (url.includes('/auth/organization/'))
    return { organizationId, data: { name: 'Taken' }, name: 'Taken', slug: 'taken' }
  if (/Many$|\/batch$/.test(url)) return { records: [{ id: recordId, title: 'taken' }], ids: [recordId] }
  if (url.endsWith('/transfer')) return { owner: recordId }
  if (url.endsWith('/shares')) return { principalType: 'user', principalId: ids['userId'], access: 'full' }
  if (url.endsWith('/feed')) return { type: 'comment', body: 'taken' }
  if (url.endsWith('/reactions')) return { emoji: '👍' }
  if (url.endsWith('/:feedId')) return { body: 'taken' }
  if (/\/data\/:object(\/:id)?$/.test(url)) return { title: 'taken', expectedVersion: '*' }
  return {}
}

/** All routes; at a commit a third of them, another one for each person by their number. */
async function walk(
  context: CheckContext,
  host: AuthHost,
  [at, person]: [number, Person],
  secrets: Secrets,
): Promise<{ violations: number; requests: number }> {
  const table = host.host.server.routeTable()
  const all = context.size === 'commit' ? table.filter((_, index) => index % 3 === at % 3) : table
  const routes = [...all.filter(({ url }) => !ending.test(url)), ...all.filter(({ url }) => ending.test(url))]
  let violations = 0
  const judge = async (route: RouteEntry): Promise<void> => {
    const hasBody = !['GET', 'HEAD', 'DELETE'].includes(route.method)
    const answer = await send(host, route.method, fill(route.url, secrets), {
      headers: person.headers,
      ...(hasBody ? { body: bodyFor(route, secrets) } : {}),
    })
    const isPublic = [publicPaths, switchedOn, person.mayTake].some((paths) => paths?.has(route.url) === true)
    const succeeded = answer.status >= 200 && answer.status < 400 && !isPublic
    const text = JSON.stringify(answer.body ?? '')
    const names = secrets.words.some((word) => text.includes(word)) && person.mayName?.has(route.url) !== true
    // Whoever has an account gets what is its own; what a path of the record answers is the organization's.
    const isRecords = /\/data\/:object\/:(id|recordId)\b/.test(route.url)
    const got = person.hasAccount === true ? names || (isRecords && answer.status < 300) : succeeded || names
    if (!got) return
    violations += 1
    context.log(`${person.state}: ${route.method} ${route.url} answered ${answer.status} ${text.slice(0, 160)}`)
  }
  await inParallel(routes.slice(0, -40), judge)
  for (const route of routes.slice(-40)) await judge(route)
  return { violations, requests: table.length }
}

/** Successes outside the public list, and anything of the organization that reaches people outside it. */
async function countSuccesses(context: CheckContext, doors: AuthDoors): Promise<number> {
  const clock = createManualClock(Date.now())
  const host = await createAuthHost(
    { plugins: { organization: true, magicLink: true, oidcProvider: true } },
    { clock, plugins: withAuthDoors(doors) },
  )
  try {
    const { founder, secrets } = await prepare(host)
    const record = `/data/task/${secrets.recordId}`
    const watched = [record, `${record}/shares`, `${record}/feed`, `${record}/changelog`]
    const state = async (): Promise<string> => {
      const paths = [...watched, '/auth/organization/list-members', '/auth/organization/list']
      const bodies = []
      for (const path of paths) bodies.push((await host.as(founder, 'GET', path)).body)
      // Enveloped answers say when they were made.
      return JSON.stringify(bodies, (key, value: unknown) => (key === 'meta' ? undefined : value))
    }
    const people = await peopleOf(host, founder)
    const before = await state()
    let violations = 0
    let requests = 0
    const add = (found: { violations: number; requests: number }): void => {
      violations += found.violations
      requests += found.requests
    }
    for (const person of people.entries()) add(await walk(context, host, person, secrets))
    if ((await state()) !== before) {
      violations += 1
      context.log('something of the organization was changed')
    }
    const expired = await expiredPeople(host, clock)
    for (const person of expired.entries()) add(await walk(context, host, person, secrets))
    context.log(`${requests} requests by people in ${people.length + expired.length} states`)
    return requests >= minimumOf('stateRequests') ? violations : NaN
  } finally {
    await host.stop()
  }
}

defineCheck({
  id: 'C6',
  file: 'states',
  stage: 2,
  unit: 'successes of people whose state grants nothing',
  target: 0,
  run: (context) => countSuccesses(context, {}),
  twin: (context) => countSuccesses(context, { identities: neverForgetting }),
})
