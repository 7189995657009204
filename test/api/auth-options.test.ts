// The rows of AuthConfig whose effect shows only in a whole flow, and every path the accounts serve (specification
// "Server configuration", D-26, D-32, D-39, D-40).
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { startForgingPeer } from '../support/forging-peer.ts'
import { findFreePort } from '../support/free-port.ts'
import { totp } from '../support/totp.ts'

const running: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop()
})

async function start(...given: Parameters<typeof createAuthHost>): Promise<AuthHost> {
  const host = await createAuthHost(...given)
  running.push(() => host.stop())
  return host
}

const pairs = (cookies: readonly string[]): string =>
  cookies
    .filter((cookie) => !/Max-Age=0/i.test(cookie))
    .map((cookie) => cookie.split(';')[0]!)
    .join('; ')

describe('providers', () => {
  it('are folded into the social ones by id, and scope is what is asked for', async () => {
    const secret = { clientId: 'id', clientSecret: 'a secret' }
    const host = await start({
      providers: [{ id: 'github', ...secret, scope: ['read:org'] }],
      socialProviders: { github: { ...secret, clientId: 'overruled' }, gitlab: secret },
    })
    const { body } = await host.anonymous('GET', '/auth/config')
    expect(body.socialProviders.map(({ id }: { id: string }) => id)).toEqual(['github', 'gitlab'])
    const begun = await host.anonymous('POST', '/auth/sign-in/social', {
      provider: 'github',
      callbackURL: '/_console/',
    })
    const asked = new URL(begun.body.url).searchParams
    expect([asked.get('client_id'), asked.get('scope')!.split(' ').includes('read:org')]).toEqual(['id', true])
  })

  it('without discovery are asked at their own addresses, with their own scopes, under their id', async () => {
    const peer = await startForgingPeer()
    running.push(() => peer.stop())
    const host = await start({
      oidcProviders: [
        {
          providerId: 'plain',
          authorizationUrl: `${peer.issuer}/elsewhere`,
          tokenUrl: `${peer.issuer}/token`,
          userInfoUrl: `${peer.issuer}/me`,
          clientId: peer.clientId,
          clientSecret: peer.clientSecret,
          scopes: ['openid', 'staff'],
        },
      ],
    })
    const { body } = await host.anonymous('GET', '/auth/config')
    expect(body.socialProviders).toEqual([{ id: 'plain', name: 'plain', type: 'oidc', enabled: true }])
    const begun = await host.anonymous('POST', '/auth/sign-in/oauth2', {
      providerId: 'plain',
      callbackURL: '/_console/',
    })
    const url = new URL(begun.body.url)
    expect([url.origin + url.pathname, url.searchParams.get('scope')]).toEqual([
      `${peer.issuer}/elsewhere`,
      'openid staff',
    ])
    peer.userInfo = { sub: 'staff-1', email: 'staff@example.org', email_verified: true, name: 'Staff' }
    const comeBack = async (state: string, cookies: readonly string[]): Promise<string> => {
      const query = new URLSearchParams({ code: 'c', state })
      const cookie = pairs(cookies)
      const came = await host.anonymous('GET', `/auth/callback/plain?${query}`, undefined, { cookie })
      return pairs(came.headers.getSetCookie().filter((one) => one.startsWith('cairn.session_token=')))
    }
    // A token nobody can check counts only against what the endpoint says.
    for (const idToken of [peer.mint('n', {}), 'no.token.at-all']) {
      const body = { providerId: 'plain', callbackURL: '/_console/' }
      const other = await host.anonymous('POST', '/auth/sign-in/oauth2', body)
      peer.answer = { access_token: 'a', token_type: 'Bearer', id_token: idToken }
      const { searchParams } = new URL(other.body.url)
      const session = await comeBack(searchParams.get('state')!, other.headers.getSetCookie())
      expect(session === '').toBe(idToken !== 'no.token.at-all')
    }
    await host.post('/auth/admin/remove-user', {
      userId: (await host.get('/auth/admin/list-users?searchValue=staff')).body.users[0].id,
    })
    peer.answer = { access_token: 'a', token_type: 'Bearer' }
    host.takeEvents()
    const cookie = await comeBack(url.searchParams.get('state')!, begun.headers.getSetCookie())
    const who = await host.anonymous('GET', '/auth/get-session', undefined, { cookie })
    expect(who.body.user).toMatchObject({ email: 'staff@example.org', name: 'Staff' })
    const userId = who.body.user.id as string
    const told = host.takeEvents().map(({ type, payload, actor }) => [type, payload, actor.id])
    expect(told).toEqual(
      expect.arrayContaining([
        ['auth.user_created', { userId, by: 'provider' }, userId],
        ['auth.account_linked', { userId, provider: 'plain' }, userId],
        ['auth.signed_in', expect.objectContaining({ userId }), userId],
      ]),
    )
  })

  it('of the environment stop the start when they cannot be read', async () => {
    const before = process.env['OIDC_PROVIDERS']
    for (const [text, message] of [
      ['{', /OIDC_PROVIDERS is not valid JSON/],
      ['{}', /OIDC_PROVIDERS is not a JSON array/],
      ['[{"providerId":"a"}]', /oidcProviders\.0/],
    ] as const) {
      process.env['OIDC_PROVIDERS'] = text
      await expect(createAuthHost(), text).rejects.toThrow(message)
    }
    process.env['OIDC_PROVIDERS'] = before ?? '[]'
    await start()
  })
})

describe('places', () => {
  it('uiBasePath is where the shell is, where links lead and what clients are told', async () => {
    const host = await start({ uiBasePath: '/team/desk' })
    const there = await fetch(`${host.host.url}/`, { redirect: 'manual' })
    expect([there.status, there.headers.get('location')]).toEqual([302, '/team/desk/'])
    expect((await fetch(`${host.host.url}/_console/`)).status).toBe(404)
    expect((await host.anonymous('GET', '/auth/config')).body.uiBasePath).toBe('/team/desk')
    const device = await host.anonymous('POST', '/auth/device/code', { client_id: 'cairn-cli' })
    expect(device.body.verification_uri).toBe(`${host.host.url}/team/desk/#/device`)
    const session = await fetch(`${host.host.url}/team/desk/session`, {
      method: 'POST',
      headers: { origin: host.host.url, 'content-type': 'application/json' },
      body: JSON.stringify({ code: host.host.mintCode() }),
    })
    expect(session.status).toBe(200)
  })

  it('databaseUrl may name the database of the host, in each way of writing it', async () => {
    const first = await start()
    const file = join(first.dataDir, 'cairn.db')
    await first.host.stop()
    for (const url of [file, `file:${file}`, `sqlite://${file}`]) {
      const again = await createAuthHost({ databaseUrl: url }, { dataDir: first.dataDir })
      expect((await again.get('/auth/get-session')).status, url).toBe(200)
      await again.host.stop()
    }
  })
})

describe('session', () => {
  it('updateAge is how old a session gets before it is prolonged', async () => {
    const clock = createManualClock(Date.now())
    const host = await start({ session: { expiresIn: 7_200, updateAge: 3_600 } }, { clock })
    await host.account('amy')
    const [used, early] = [await host.signIn('amy'), await host.signIn('amy')]
    const isOpen = async (token: string): Promise<boolean> => {
      const { status } = await host.as(token, 'GET', '/auth/list-sessions')
      // The write that prolongs is on its way.
      await host.host.database.write('wait', () => undefined)
      return status === 200
    }
    const minutes = (count: number): void => clock.advance(count * 60_000)
    minutes(59)
    expect([await isOpen(used), await isOpen(early)]).toEqual([true, true])
    minutes(2)
    expect(await isOpen(used)).toBe(true)
    minutes(60)
    // Used after an hour one lives on; the other one was used too early for that.
    expect([await isOpen(used), await isOpen(early)]).toEqual([true, false])
  })
})

describe('emailAndPassword and emailVerification', () => {
  it('enabled false closes sign-up and every sign-in with a password, whatever else is open', async () => {
    const host = await start({ emailAndPassword: { enabled: false, disableSignUp: false } })
    const { email } = await host.account('ben')
    const tries: [string, Record<string, unknown>][] = [
      ['/auth/login', { username: 'ben', password }],
      ['/auth/sign-in/email', { email, password }],
      ['/auth/sign-in/username', { username: 'ben', password }],
      ['/auth/sign-up/email', { name: 'Cat', email: 'cat@example.org', password }],
    ]
    for (const [path, body] of tries) {
      const answer = await host.anonymous('POST', path, body)
      expect([answer.status >= 400 && answer.status < 500, answer.headers.getSetCookie()], path).toEqual([true, []])
    }
    expect((await host.get('/auth/admin/list-users?searchValue=cat')).body.total).toBe(0)
  })

  it('sendOnSignUp and autoSignInAfterVerification do nothing unless they are on', async () => {
    const host = await start({ emailAndPassword: { disableSignUp: false, requireEmailVerification: true } })
    const email = 'dee@example.org'
    host.takeEvents()
    const made = await host.anonymous('POST', '/auth/sign-up/email', { name: 'Dee', email, password })
    const { id } = made.body.user as { id: string }
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect((await host.get('/auth/outbox')).body.messages).toEqual([])
    await host.anonymous('POST', '/auth/send-verification-email', { email })
    const token = new URL(await host.waitingMail(email, 'verify-email')).searchParams.get('token')
    const proved = await host.anonymous('GET', `/auth/verify-email?token=${token}`)
    expect([proved.status, proved.headers.getSetCookie(), proved.headers.get('set-auth-token')]).toEqual([
      200,
      [],
      null,
    ])
    expect(await host.signIn(email)).toBeTruthy()
    const told = host.takeEvents().filter(({ type }) => type.startsWith('auth.'))
    expect(told.map(({ type, payload, actor }) => [type, actor.id, payload])).toMatchObject([
      ['auth.user_created', id, { userId: id, by: 'sign-up' }],
      ['auth.email_verified', id, { userId: id }],
      ['auth.signed_in', id, { userId: id }],
    ])
  })

  it('autoSignIn is told of like any other sign-in', async () => {
    const host = await start({ emailAndPassword: { disableSignUp: false } })
    host.takeEvents()
    await host.anonymous('POST', '/auth/sign-up/email', { name: 'Eve', email: 'eve@example.org', password })
    expect(host.takeEvents().map(({ type }) => type)).toEqual(['auth.user_created', 'auth.signed_in'])
  })
})

describe('cookies', () => {
  it('of a second factor and of acting as somebody bear the prefix and the flags too', async () => {
    const host = await start({ advanced: { cookiePrefix: 'acme', useSecureCookies: true } })
    const { id } = await host.account('fay')
    const token = await host.signIn('fay')
    const { totpURI } = (await host.as(token, 'POST', '/auth/two-factor/enable', { password })).body
    await host.as(token, 'POST', '/auth/two-factor/verify-totp', { code: totp(totpURI) })
    const held = await host.anonymous('POST', '/auth/login', { username: 'fay', password })
    const challenge = pairs(held.headers.getSetCookie())
    expect(challenge).toMatch(/^__Secure-acme\.two_factor=/)
    const headers = { cookie: challenge, origin: host.host.url }
    const code = totp(totpURI, 1)
    const opened = await host.anonymous('POST', '/auth/two-factor/verify-totp', { code }, headers)
    expect(opened.status).toBe(200)
    for (const cookie of opened.headers.getSetCookie().filter((one) => !/Max-Age=0/i.test(one)))
      expect(cookie).toMatch(/^__Secure-acme\.[^;]+;.*Secure/)

    await host.account('gus', 'admin')
    const signedIn = await host.anonymous('POST', '/auth/login', { username: 'gus', password })
    const own = { cookie: pairs(signedIn.headers.getSetCookie()), origin: host.host.url }
    const begun = await host.anonymous('POST', '/auth/admin/impersonate-user', { userId: id }, own)
    const names = begun.headers.getSetCookie().map((cookie) => cookie.split('=')[0])
    expect(names).toEqual(['__Secure-acme.session_token', '__Secure-acme.admin_session'])
    const acting = { cookie: pairs(begun.headers.getSetCookie()), origin: host.host.url }
    const back = await host.anonymous('POST', '/auth/admin/stop-impersonating', {}, acting)
    const restored = { cookie: pairs(back.headers.getSetCookie()) }
    expect((await host.anonymous('GET', '/auth/get-session', undefined, restored)).body.user.username).toBe('gus')
  })

  it('across subdomains are for the name in baseUrl where no domain is given', async () => {
    const port = await findFreePort()
    const advanced = { crossSubDomainCookies: { enabled: true } }
    const host = await start({ baseUrl: `http://localhost:${port}`, advanced }, { port })
    await host.account('hal')
    const { headers } = await host.anonymous('POST', '/auth/login', { username: 'hal', password })
    expect(headers.getSetCookie()[0]).toContain('Domain=localhost')
  })
})

describe('the paths of D-32', () => {
  const posts = {
    '': `sign-in/email sign-in/username sign-up/email sign-out revoke-session revoke-sessions revoke-other-sessions
      update-user verify-password is-username-available change-password change-email delete-user link-social unlink-account request-password-reset
      forget-password reset-password send-verification-email sign-in/social sign-in/oauth2 callback/:id
      oauth2/callback/:id login magic-link/send magic-link/verify sign-in/magic-link device/code device/token
      device/approve device/deny`,
    'two-factor/': `enable disable get-totp-uri verify-totp send-otp verify-otp generate-backup-codes
      verify-backup-code`,
    'organization/': `create update delete set-active check-slug invite-member accept-invitation reject-invitation
      cancel-invitation remove-member update-member-role leave create-team update-team remove-team add-team-member
      remove-team-member set-active-team has-permission`,
    'admin/': `create-user set-role set-user-password ban-user unban-user impersonate-user stop-impersonating
      remove-user update-user list-user-sessions revoke-user-session revoke-user-sessions has-permission`,
    'oauth2/': `authorize token introspect revoke userinfo register consent create-client delete-client delete-consent`,
  }
  const gets = {
    '': `get-session list-sessions list-accounts reset-password/:token verify-email callback/:id oauth2/callback/:id
      jwks device config bootstrap-status magic-link/verify`,
    'organization/': `list get-full-organization list-members list-invitations list-user-invitations get-invitation
      get-active-member get-active-member-role list-teams list-user-teams list-team-members`,
    'admin/': 'list-users get-user',
    'oauth2/': 'authorize userinfo end-session get-client get-clients public-client get-consents',
  }

  it('are served, with their methods, where their switches are on', async () => {
    const host = await start({ plugins: { organization: true, magicLink: true, oidcProvider: true } })
    const served = new Set(host.host.server.routeTable().map(({ method, url }) => `${method} ${url}`))
    const named = (method: string, paths: Record<string, string>): string[] =>
      Object.entries(paths).flatMap(([area, list]) =>
        list.split(/\s+/).map((path) => `${method} /api/v1/auth/${area}${path}`),
      )
    const wanted = [
      ...named('POST', posts),
      ...named('GET', gets),
      'GET /.well-known/openid-configuration',
      'GET /.well-known/oauth-authorization-server',
    ]
    expect(wanted.filter((one) => !served.has(one))).toEqual([])
    expect(wanted.length).toBeGreaterThan(90)
  })
})
