// Accounts that somebody made for an address of somebody else: a mailed link that is redeemed leaves whoever made the
// account no way in (D-35).
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { rowOf } from '../support/flow-calls.ts'
import { totp } from '../support/totp.ts'

let host: AuthHost
let client: string
const next = 'what the owner chooses'
const back = 'https://client.example/back'

beforeAll(async () => {
  host = await createAuthHost({
    plugins: { magicLink: true, oidcProvider: true },
    emailAndPassword: { disableSignUp: false, requireEmailVerification: false, revokeSessionsOnPasswordReset: false },
  })
  const made = await host.post('/auth/oauth2/create-client', {
    client_name: 'Reports',
    redirect_uris: [back],
    scope: 'openid offline_access',
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  })
  client = made.body.client_id as string
})

afterAll(() => host?.stop())

interface Held {
  readonly id: string
  readonly email: string
  readonly token: string
  readonly cookie: string
  readonly key: string
  /** What signs an application in anew. */
  readonly refreshToken: string
  readonly totpUri: string
  readonly device: string
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  host.anonymous('POST', path, body, headers)
const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .filter((cookie) => !/Max-Age=0/.test(cookie))
    .map((cookie) => cookie.split(';')[0]!)
    .join('; ')

async function tokens(fields: Record<string, string>): Promise<Record<string, string>> {
  const answer = await fetch(`${host.host.url}/api/v1/auth/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: client, ...fields }),
  })
  return (await answer.json()) as Record<string, string>
}

async function consentTo(cookie: string): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: client,
    response_type: 'code',
    redirect_uri: back,
    scope: 'openid offline_access',
    state: 's',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const asked = await host.anonymous('GET', `/auth/oauth2/authorize?${query}`, undefined, { cookie })
  const to = asked.headers.get('location')!
  const headers = { cookie, origin: host.host.url }
  const agreed = await post(
    '/auth/oauth2/consent',
    { accept: true, oauth_query: to.slice(to.lastIndexOf('?') + 1) },
    headers,
  )
  const code = new URL(agreed.body.url as string).searchParams.get('code')!
  const { refresh_token: token } = await tokens({
    grant_type: 'authorization_code',
    code,
    redirect_uri: back,
    code_verifier: verifier,
  })
  return token!
}

/** Adds everything to an account that opens it. */
async function entrench(id: string, email: string): Promise<Held> {
  const first = await post('/auth/sign-in/email', { email, password })
  const own = first.body.token as string
  const enabled = await host.as(own, 'POST', '/auth/two-factor/enable', { password })
  const totpUri = enabled.body.totpURI as string
  const verified = await host.as(own, 'POST', '/auth/two-factor/verify-totp', { code: totp(totpUri) })
  const token = verified.body.token as string
  const key = (await host.as(token, 'POST', '/keys', { name: 'kept' })).body.key as string
  const challenge = cookiesOf((await post('/auth/sign-in/email', { email, password })).headers)
  const trusted = await post(
    '/auth/two-factor/verify-backup-code',
    { code: enabled.body.backupCodes[0], trustDevice: true },
    { cookie: challenge, origin: host.host.url },
  )
  const all = cookiesOf(trusted.headers)
  const device = all.split('; ').find((cookie) => cookie.includes('trust_device'))!
  return { id, email, token, cookie: all, key, refreshToken: await consentTo(all), totpUri, device }
}

async function impostor(name: string): Promise<Held> {
  const email = `${name}@example.org`
  const made = await post('/auth/sign-up/email', { name, email, password })
  expect(made.status, JSON.stringify(made.body)).toBe(200)
  return entrench(made.body.user.id as string, email)
}

/** What still opens the account. */
async function opens({ id, email, token, cookie, key, refreshToken, device }: Held): Promise<string[]> {
  const held: [string, boolean][] = [
    ['session', (await host.as(token, 'GET', '/auth/list-sessions')).status === 200],
    ['cookie', (await host.anonymous('GET', '/auth/list-sessions', undefined, { cookie })).status === 200],
    ['key', (await host.as(key, 'GET', '/keys')).status === 200],
    ['password', (await post('/auth/sign-in/email', { email, password })).status === 200],
    [
      'application',
      (await tokens({ grant_type: 'refresh_token', refresh_token: refreshToken }))['error'] === undefined,
    ],
    ['rows', rowsOf(id) > 0],
  ]
  const signIn = await post('/auth/sign-in/email', { email, password: next }, { cookie: device, origin: host.host.url })
  held.push(['second factor', signIn.body.twoFactorRedirect === true])
  return held.filter(([, isHeld]) => isHeld).map(([name]) => name)
}

/** Rows of what opens an account beside its password and its sessions. */
function rowsOf(id: string): number {
  const places = [
    ['auth_key', 'user_id'],
    ['auth_two_factor', 'userId'],
    ['auth_oauth_consent', 'userId'],
    ['auth_oauth_refresh_token', 'userId'],
    ['auth_oauth_access_token', 'userId'],
    ['auth_verification', 'value'],
    ['auth_link', 'account'],
  ] as const
  const counts = places.map(([table, column]) => {
    const sql = `SELECT count(*) AS count FROM ${table} WHERE ${column} = ?`
    return host.host.database.read.get<{ count: number }>({ sql, parameters: [id] })!.count
  })
  return counts.reduce((total, count) => total + count, 0)
}

const magicToken = async (email: string): Promise<string> => {
  await post('/auth/magic-link/send', { email })
  return new URL(await host.waitingMail(email, 'magic-link')).searchParams.get('token')!
}
const resetToken = async (email: string): Promise<string> => {
  await post('/auth/request-password-reset', { email })
  return new URL(await host.waitingMail(email, 'reset-password')).pathname.split('/').at(-1)!
}
const everything = ['session', 'cookie', 'key', 'password', 'application', 'rows']

describe('an account somebody made for an address of somebody else', () => {
  it('is opened to its maker by all of this', async () => {
    expect(await opens(await impostor('ann'))).toEqual(everything)
  })

  it('is opened by nothing of that once a link signed the owner of the address in', async () => {
    const held = await impostor('ben')
    const token = await magicToken(held.email)
    host.takeEvents()
    const answer = await post('/auth/magic-link/verify', { token })
    expect([answer.status, answer.body.user]).toEqual([200, expect.objectContaining({ emailVerified: true })])
    const told = host.takeEvents().filter(({ type }) => type.startsWith('auth.'))
    expect(told.map(({ type }) => type).toSorted()).toEqual([
      'auth.email_verified',
      'auth.key_revoked',
      'auth.oauth_consent_ended',
      'auth.sessions_ended',
      'auth.signed_in',
      'auth.two_factor_disabled',
    ])
    expect(told.every(({ payload }) => (payload as { userId: string }).userId === held.id)).toBe(true)
    expect(await opens(held)).toEqual([])
    const own = answer.body.token as string
    expect((await host.as(own, 'GET', '/keys')).body.keys).toEqual([])
    expect((await host.as(own, 'POST', '/keys', { name: 'mine' })).status).toBe(201)
  })

  it('is so, too, where the link is followed', async () => {
    const held = await impostor('cleo')
    const token = await magicToken(held.email)
    const followed = await host.anonymous('GET', `/auth/magic-link/verify?token=${token}&callbackURL=/_console/`)
    expect([followed.status, cookiesOf(followed.headers)]).toEqual([302, expect.stringContaining('session_token')])
    expect(await opens(held)).toEqual([])
  })

  it('is opened by nothing of that once its password was set by mail, which proves the address', async () => {
    const held = await impostor('dora')
    // To an address of the maker's, with a link that is still good.
    await host.as(held.token, 'POST', '/auth/change-email', { newEmail: 'dora@maker.example' })
    const link = new URL(await host.waitingMail('dora@maker.example', 'verify-email'))
    const body = { token: await resetToken(held.email), newPassword: next }
    expect((await post('/auth/reset-password', body)).status).toBe(200)
    expect(await opens(held)).toEqual([])
    const moved = await host.anonymous('GET', `/auth/verify-email?token=${link.searchParams.get('token')}`)
    expect(moved.body.error.code).toBe('token_invalid')
    const account = (await host.get(`/auth/admin/get-user?id=${held.id}`)).body
    expect([account.email, account.emailVerified]).toEqual([held.email, true])
    const own = await host.signIn(held.email, next)
    const key = (await host.as(own, 'POST', '/keys', { name: 'mine' })).body.key as string
    // From now on everything there is the owner's.
    expect((await post('/auth/magic-link/verify', { token: await magicToken(held.email) })).status).toBe(200)
    expect((await host.as(key, 'GET', '/keys')).status).toBe(200)
    expect(await host.signIn(held.email, next)).toBeTruthy()
  })

  it('keeps all of that where the link only proves the address: whoever signed up follows it', async () => {
    const held = await impostor('emma')
    await post('/auth/send-verification-email', { email: held.email })
    const token = new URL(await host.waitingMail(held.email, 'verify-email')).searchParams.get('token')
    expect((await host.anonymous('GET', `/auth/verify-email?token=${token}`)).status).toBe(200)
    expect(await opens(held)).toEqual(everything)
  })
})

describe('an account an administrator made', () => {
  it('keeps its keys and its second factor where its password is set by mail', async () => {
    const { id, email } = await host.account('fay')
    const held = await entrench(id, email)
    const body = { token: await resetToken(email), newPassword: next }
    expect((await post('/auth/reset-password', body)).status).toBe(200)
    expect((await host.as(held.key, 'GET', '/keys')).status).toBe(200)
    expect((await post('/auth/sign-in/email', { email, password: next })).body.twoFactorRedirect).toBe(true)
  })
})

describe('a token that was handed to whoever knew the password', () => {
  it('proves no address', async () => {
    const held = await impostor('gil')
    await host.post('/auth/admin/set-user-password', { userId: held.id, newPassword: password })
    const challenge = cookiesOf((await post('/auth/sign-in/email', { email: held.email, password })).headers)
    const refused = await post(
      '/auth/two-factor/verify-totp',
      { code: totp(held.totpUri, 1) },
      { cookie: challenge, origin: host.host.url },
    )
    const token = refused.body.error.details.resetToken as string
    expect((await post('/auth/reset-password', { token, newPassword: next })).status).toBe(200)
    const account = (await host.get(`/auth/admin/get-user?id=${held.id}`)).body
    // Keys ended with the password that was given (D-421); the second factor would end with a proof.
    const { body } = await post('/auth/sign-in/email', { email: held.email, password: next })
    const key = (await host.as(held.key, 'GET', '/keys')).status
    expect([account.emailVerified, account.twoFactorEnabled, body.twoFactorRedirect, key]).toEqual([
      false,
      true,
      true,
      401,
    ])
  })
})

describe('what such an account does by itself', () => {
  let other: AuthHost
  beforeAll(async () => {
    other = await createAuthHost(
      { plugins: { magicLink: true, organization: true }, emailAndPassword: { disableSignUp: false } },
      { config: { outbound: { allowedHosts: ['localhost'] } } },
    )
  })
  afterAll(() => other?.stop())

  it('is switched off with the proof: what is sent, what runs, who was invited', async () => {
    const email = 'hal@example.org'
    const made = await other.anonymous('POST', '/auth/sign-up/email', { name: 'hal', email, password })
    const { id } = made.body.user
    await other.patch('/settings', { 'webhooks.allowedHosts': ['localhost'] })
    await other.put(`/permissions/assignments/${id}`, { profile: 'administrator', roles: [], permissionSets: [] })
    const token = (await other.anonymous('POST', '/auth/sign-in/email', { email, password })).body.token as string
    const as = async (method: string, path: string, body?: unknown) => {
      const answer = await other.as(token, method, path, body)
      expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
      return answer.body
    }
    const { id: organizationId } = await as('POST', '/auth/organization/create', { name: 'Acme', slug: 'acme' })
    const invitation = await as('POST', '/auth/organization/invite-member', { email: 'eve@example.org', role: 'admin' })
    await as('POST', '/webhooks', { name: 'leaks', url: 'http://localhost:9/', triggers: ['api'] })
    const inbox = { name: 'inbox', path: 'inbox', action: 'trigger_flow', target: 'waits' }
    const flow = { status: 'active', ...rowOf({ id: 'w', type: 'wait', config: { signal: 'on' } }) }
    await as('POST', '/automation', { name: 'waits', ...flow })
    await as('POST', '/webhook-receivers', inbox)
    const { runId } = (await as('POST', '/automation/waits/trigger')).data
    await as('POST', '/notifications/devices', { token: 'phone', platform: 'ios' })
    const headers = { 'content-type': 'text/plain' }
    const file = await other.as(token, 'POST', '/storage/upload?filename=a.txt', 'text', headers)
    const lent = (await as('GET', `/storage/files/${file.body.data.fileId}/url?expiresIn=604800`)).url as string
    expect((await fetch(lent)).status).toBe(200)
    await other.anonymous('POST', '/auth/magic-link/send', { email })
    const link = new URL(await other.waitingMail(email, 'magic-link')).searchParams.get('token')
    const signedIn = await other.anonymous('POST', '/auth/magic-link/verify', { token: link })
    const own = signedIn.body.token as string
    await other.as(own, 'POST', '/auth/organization/set-active', { organizationId })
    const get = async (path: string) => (await other.as(own, 'GET', path)).body.data
    await expect.poll(async () => (await get(`/automation/waits/runs/${runId}`)).status).toBe('cancelled')
    const sql = 'SELECT count(*) AS count FROM notifications_device'
    expect({
      webhook: (await get('/webhooks/leaks')).isActive,
      receiver: (await get('/webhook-receivers/inbox')).isActive,
      flow: (await get('/automation/waits')).enabled,
      devices: other.host.database.read.get({ sql, parameters: [] }),
      invitation: (await other.as(own, 'GET', `/auth/organization/list-invitations?organizationId=${organizationId}`))
        .body[0].status,
    }).toEqual({ webhook: false, receiver: false, flow: false, devices: { count: 0 }, invitation: 'canceled' })
    expect(invitation.status).toBe('pending')
    // What was lent in the account's name is not the person's either.
    expect((await fetch(lent)).status).toBe(403)
    // They are the person's by now, who switches them on.
    expect((await other.as(own, 'PATCH', '/webhooks/leaks', { isActive: true })).body.data.isActive).toBe(true)
  })
})
