// Every option of AuthConfig has the effect it states, and wrong ones stop the start with a sentence (D-39, D-40).
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'

const running: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop()
})

async function start(auth: Record<string, unknown>): Promise<AuthHost> {
  const host = await createAuthHost(auth)
  running.push(() => host.stop())
  return host
}

const signUp = (host: AuthHost, name: string, extra: Record<string, unknown> = {}) =>
  host.anonymous('POST', '/auth/sign-up/email', { name, email: `${name}@example.org`, password, ...extra })

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('wrong settings stop the start', () => {
  it.each([
    ['an unknown key', { sesion: {} }, /auth.*sesion/],
    ['a short secret', { secret: 'short' }, /auth\.secret/],
    ['limits that cross', { emailAndPassword: { minPasswordLength: 20, maxPasswordLength: 10 } }, /minPasswordLength/],
    [
      'a provider without endpoints',
      { oidcProviders: [{ providerId: 'a', clientId: 'b', clientSecret: 'c' }] },
      /discoveryUrl/,
    ],
    [
      'a provider named twice',
      {
        oidcProviders: ['x', 'y'].map((clientId) => ({
          providerId: 'a',
          clientId,
          clientSecret: 'c',
          discoveryUrl: 'http://127.0.0.1:1/',
        })),
      },
      /"a" twice/,
    ],
    ['another database', { databaseUrl: 'file:/somewhere/else.db' }, /databaseUrl/],
    ['half a mutual TLS', { mutualTls: { enabled: true } }, /mutualTls/],
    ['cookies for no domain', { advanced: { crossSubDomainCookies: { enabled: true } } }, /crossSubDomainCookies/],
  ])('%s', async (_name, auth, message) => {
    await expect(createAuthHost(auth)).rejects.toThrow(message)
  })
})

describe('plugins', () => {
  it('that are switched off have no routes, and passkeys change nothing', async () => {
    const off = { twoFactor: false, deviceAuthorization: false, admin: false, passkeys: true }
    const host = await start({ plugins: off })
    const { features } = (await host.anonymous('GET', '/auth/config')).body
    expect(features).toMatchObject({ twoFactor: false, deviceAuthorization: false, admin: false })
    expect(features).not.toHaveProperty('passkeys')
    expect(features).not.toHaveProperty('magicLink')
    for (const path of [
      '/auth/two-factor/enable',
      '/auth/device/code',
      '/auth/admin/create-user',
      '/auth/passkey/register',
    ]) {
      const answer = await fetch(`${host.host.url}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${host.host.token}` },
      })
      expect(answer.status, path).toBe(404)
    }
  })
})

describe('emailAndPassword', () => {
  it('enabled false lets nobody sign in with a password', async () => {
    const host = await start({ emailAndPassword: { enabled: false } })
    await host.account('amy')
    const answer = await host.anonymous('POST', '/auth/login', { username: 'amy', password })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await host.anonymous('GET', '/auth/config')).body.emailPassword.enabled).toBe(false)
  })

  it('disableSignUp false opens sign-up; autoSignIn and lengths hold', async () => {
    const emailAndPassword = { disableSignUp: false, autoSignIn: false, minPasswordLength: 12, maxPasswordLength: 30 }
    const host = await start({ emailAndPassword })
    const made = await signUp(host, 'ben', { role: 'admin' })
    expect([made.status, made.body.token]).toEqual([200, null])
    expect(made.body.user.role ?? 'user').toBe('user')
    const short = await signUp(host, 'cat', { password: 'short' })
    expect(short.body.error.details.fieldErrors[0]).toMatchObject({
      field: 'password',
      code: 'min_length',
      constraint: 12,
    })
    const long = await signUp(host, 'cat', { password: 'x'.repeat(31) })
    expect(long.body.error.details.fieldErrors[0]).toMatchObject({
      field: 'password',
      code: 'max_length',
      constraint: 30,
    })
    const token = await host.signIn('ben@example.org')
    const change = { currentPassword: password, newPassword: 'short' }
    const changed = await host.as(token, 'POST', '/auth/change-password', change)
    expect(changed.body.error.details.fieldErrors[0]).toMatchObject({ field: 'newPassword', code: 'min_length' })
  })

  it('autoSignIn signs in, and a taken address is refused (D-37)', async () => {
    const host = await start({ emailAndPassword: { disableSignUp: false } })
    const made = await signUp(host, 'ben')
    expect((await host.as(made.body.token, 'GET', '/auth/list-sessions')).status).toBe(200)
    const again = await signUp(host, 'ben')
    expect([again.status, again.body.error.code]).toEqual([409, 'user_already_exists'])
  })

  it('a taken address is refused without autoSignIn too, but told from none by nobody where addresses are proved', async () => {
    const open = await start({ emailAndPassword: { disableSignUp: false, autoSignIn: false } })
    expect((await signUp(open, 'ben')).status).toBe(200)
    const again = await signUp(open, 'ben')
    expect([again.status, again.body.error.code, again.body.code]).toEqual([
      409,
      'user_already_exists',
      'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
    ])
    const proving = await start({ emailAndPassword: { disableSignUp: false, requireEmailVerification: true } })
    expect((await signUp(proving, 'ben')).status).toBe(200)
    expect((await signUp(proving, 'ben')).status).toBe(200)
  })

  it('requireEmailVerification holds sessions back until the address is proved', async () => {
    const host = await start({
      emailAndPassword: { disableSignUp: false, requireEmailVerification: true },
      emailVerification: { sendOnSignUp: true, autoSignInAfterVerification: true },
    })
    const made = await signUp(host, 'dee')
    expect(made.body.token).toBeNull()
    const held = await host.anonymous('POST', '/auth/login', { username: 'dee@example.org', password })
    expect([held.status, held.body.error.code]).toEqual([403, 'email_not_verified'])
    const link = new URL(await host.waitingMail('dee@example.org', 'verify-email'))
    const proved = await host.anonymous('GET', `/auth/verify-email?token=${link.searchParams.get('token')}`)
    expect(proved.status).toBe(200)
    expect(proved.headers.getSetCookie().some((cookie) => cookie.startsWith('cairn.session_token='))).toBe(true)
    expect(await host.signIn('dee@example.org')).toBeTruthy()
    const wrong = await host.anonymous('GET', '/auth/verify-email?token=nonsense')
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'token_invalid'])
  })

  it('revokeSessionsOnPasswordReset false leaves sessions alone', async () => {
    const host = await start({ emailAndPassword: { revokeSessionsOnPasswordReset: false } })
    const { email } = await host.account('eli')
    const token = await host.signIn('eli')
    await host.anonymous('POST', '/auth/request-password-reset', { email })
    const secret = new URL(await host.waitingMail(email, 'reset-password')).pathname.split('/').at(-1)
    const reset = await host.anonymous('POST', '/auth/reset-password', {
      token: secret,
      newPassword: 'another password',
    })
    expect(reset.status).toBe(200)
    expect((await host.as(token, 'GET', '/auth/list-sessions')).status).toBe(200)
  })

  it('resetPasswordTokenExpiresIn ends a link', async () => {
    const host = await start({ emailAndPassword: { resetPasswordTokenExpiresIn: 1 } })
    const { email } = await host.account('fox')
    await host.anonymous('POST', '/auth/request-password-reset', { email })
    const secret = new URL(await host.waitingMail(email, 'reset-password')).pathname.split('/').at(-1)
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    const reset = await host.anonymous('POST', '/auth/reset-password', {
      token: secret,
      newPassword: 'another password',
    })
    expect(reset.body.error.code).toBe('token_invalid')
  })
})

describe('emailVerification', () => {
  const holding = { emailAndPassword: { disableSignUp: false, requireEmailVerification: true } }

  it('sendOnSignIn sends the link to whoever is held back, and only then', async () => {
    for (const sendOnSignIn of [true, false]) {
      const host = await start({ ...holding, emailVerification: { sendOnSignIn } })
      await signUp(host, 'mia')
      const held = await host.anonymous('POST', '/auth/login', { username: 'mia@example.org', password })
      expect(held.body.error.code).toBe('email_not_verified')
      if (sendOnSignIn)
        expect(await host.waitingMail('mia@example.org', 'verify-email')).toContain('verify-email?token=')
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect((await host.get('/auth/outbox')).body.messages).toHaveLength(sendOnSignIn ? 1 : 0)
    }
  })

  it('expiresIn ends a link', async () => {
    const host = await start({ ...holding, emailVerification: { sendOnSignUp: true, expiresIn: 1 } })
    await signUp(host, 'nia')
    const link = new URL(await host.waitingMail('nia@example.org', 'verify-email'))
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const late = await host.anonymous('GET', `/auth/verify-email?token=${link.searchParams.get('token')}`)
    expect([late.status, late.body.error.code]).toEqual([400, 'token_invalid'])
    const held = await host.anonymous('POST', '/auth/login', { username: 'nia@example.org', password })
    expect(held.body.error.code).toBe('email_not_verified')
  })

  it('proves an address once, and opens no session where a second factor is due', async () => {
    const host = await start({ emailVerification: { autoSignInAfterVerification: true } })
    const { id, email } = await host.account('ola')
    await host.anonymous('POST', '/auth/send-verification-email', { email })
    const token = new URL(await host.waitingMail(email, 'verify-email')).searchParams.get('token')
    await host.host.database.write('factor', (tx) => {
      tx.run({ sql: 'UPDATE auth_user SET twoFactorEnabled = 1 WHERE id = ?', parameters: [id] })
    })
    const proved = await host.anonymous('GET', `/auth/verify-email?token=${token}`)
    expect([proved.status, proved.headers.getSetCookie(), proved.headers.get('set-auth-token')]).toEqual([
      200,
      [],
      null,
    ])
    expect((await host.get(`/auth/admin/get-user?id=${id}`)).body.emailVerified).toBe(true)
    const again = await host.anonymous('GET', `/auth/verify-email?token=${token}`)
    expect([again.status, again.body.error.code]).toEqual([400, 'token_invalid'])
  })
})

describe('ssoEnforced', () => {
  it('lets nobody in by password or link but the local owner, whoever they are', async () => {
    const host = await start({
      ssoEnforced: true,
      plugins: { magicLink: true },
      emailAndPassword: { disableSignUp: false },
    })
    expect((await host.anonymous('GET', '/auth/config')).body.features.ssoEnforced).toBe(true)
    const { email } = await host.account('pam', 'admin')
    const tries: [string, Record<string, unknown>][] = [
      ['/auth/login', { username: 'pam', password }],
      ['/auth/login', { username: 'pam', password: 'wrong' }],
      ['/auth/login', { username: 'nobody', password }],
      ['/auth/sign-in/email', { email, password }],
      ['/auth/sign-in/username', { username: 'pam', password }],
      ['/auth/sign-up/email', { name: 'Quin', email: 'quin@example.org', password }],
    ]
    for (const [path, body] of tries) {
      const answer = await host.anonymous('POST', path, body)
      expect([answer.status, answer.body.error.details.reason, answer.headers.getSetCookie()], path).toEqual([
        403,
        'SSO_REQUIRED',
        [],
      ])
    }
    await host.anonymous('POST', '/auth/magic-link/send', { email })
    const token = new URL(await host.waitingMail(email, 'magic-link')).searchParams.get('token')
    const linked = await host.anonymous('POST', '/auth/magic-link/verify', { token })
    expect([linked.status, linked.body.error.details.reason]).toEqual([403, 'SSO_REQUIRED'])
    // The way in when the provider fails.
    await host.post('/auth/set-password', { newPassword: password })
    expect(await host.signIn('owner')).toBeTruthy()
    expect((await host.get('/auth/list-sessions')).status).toBe(200)
  })
})

describe('session', () => {
  it('expiresIn is the life of session and cookie', async () => {
    const host = await start({ session: { expiresIn: 3600, updateAge: 60 } })
    await host.account('gus')
    const { body, headers } = await host.anonymous('POST', '/auth/login', { username: 'gus', password })
    const life = new Date(body.expiresAt).getTime() - Date.now()
    expect(life).toBeGreaterThan(3_500_000)
    expect(life).toBeLessThan(3_700_000)
    expect(headers.getSetCookie()[0]).toContain('Max-Age=3600')
  })
})

describe('advanced', () => {
  it('cookiePrefix, useSecureCookies and crossSubDomainCookies shape the cookie', async () => {
    const host = await start({
      advanced: {
        cookiePrefix: 'acme',
        useSecureCookies: true,
        crossSubDomainCookies: { enabled: true, domain: 'example.org' },
      },
    })
    await host.account('hanna')
    const answer = await host.anonymous('POST', '/auth/login', { username: 'hanna', password })
    const cookie = answer.headers.getSetCookie()[0]!
    expect(cookie).toMatch(/^__Secure-acme\.session_token=/)
    expect(cookie).toContain('Secure')
    expect(cookie).toContain('Domain=example.org')
    const headers = { cookie: cookie.split(';')[0]! }
    expect((await host.anonymous('GET', '/auth/list-sessions', undefined, headers)).status).toBe(200)
  })

  it('disableCSRFCheck lifts the cookie rule only', async () => {
    const host = await start({ advanced: { disableCSRFCheck: true } })
    await host.account('ike')
    const answer = await host.anonymous('POST', '/auth/login', { username: 'ike', password })
    const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!
    const change = (headers: Record<string, string>) =>
      host.anonymous('POST', '/auth/update-user', { name: 'Ike' }, { cookie, ...headers })
    expect((await change({})).status).toBe(200)
    expect((await change({ origin: 'https://evil.example' })).body.error.code).toBe('origin_forbidden')
    expect((await change({ 'sec-fetch-site': 'cross-site' })).body.error.code).toBe('origin_forbidden')
  })
})

describe('addresses', () => {
  it('trustedOrigins may call and be led to, others not', async () => {
    const host = await start({ trustedOrigins: ['https://app.example.org'] })
    const { email } = await host.account('jan')
    const ask = (redirectTo: string, headers: Record<string, string> = {}) =>
      host.anonymous('POST', '/auth/request-password-reset', { email, redirectTo }, headers)
    expect((await ask('https://app.example.org/reset', { origin: 'https://app.example.org' })).status).toBe(200)
    expect((await ask('https://evil.example/reset')).status).toBe(403)
    expect((await ask('https://app.example.org.evil.example/reset')).status).toBe(403)
  })

  it('wildcards cover subdomains of a name, never loopback, addresses or suffixes', async () => {
    const host = await start({ trustedOrigins: ['https://*.example.org'] })
    const ask = (origin: string) => host.anonymous('GET', '/auth/config', undefined, { origin })
    expect((await ask('https://app.example.org')).headers.get('access-control-allow-origin')).toBe(
      'https://app.example.org',
    )
    for (const origin of [
      'https://example.org',
      'https://example.org.evil.example',
      'http://app.example.org',
      'https://app.example.org:8443',
      'https://a.b@x.example.org',
    ])
      expect((await ask(origin)).status, origin).toBe(403)
    for (const wide of [
      'https://*.org',
      'http://*.localhost',
      'https://*',
      'https://*.0.0.1',
      'https://a.*.example.org',
    ])
      await expect(createAuthHost({ trustedOrigins: [wide] }), wide).rejects.toThrow(/origin/i)
  })

  it('baseUrl is where links lead, and a secret of its own survives', async () => {
    const secret = randomBytes(32).toString('hex')
    const port = await freePort()
    const host = await createAuthHost({ baseUrl: `http://localhost:${port}`, secret }, { port })
    running.push(() => host.stop())
    const { email } = await host.account('kay')
    const token = await host.signIn('kay')
    await host.anonymous('POST', '/auth/request-password-reset', { email })
    expect(await host.waitingMail(email, 'reset-password')).toContain(`http://localhost:${port}/api/v1/auth/`)
    await host.restart()
    expect((await host.as(token, 'GET', '/auth/list-sessions')).status).toBe(200)
  })
})

describe('OIDC_PROVIDERS', () => {
  it('adds and replaces providers, and is gone from the environment', async () => {
    const entry = (providerId: string, name: string) => ({
      providerId,
      name,
      clientId: 'x',
      clientSecret: 'y',
      discoveryUrl: 'http://127.0.0.1:1/',
    })
    process.env['OIDC_PROVIDERS'] = JSON.stringify([entry('a', 'New'), entry('c', 'C')])
    const host = await start({ oidcProviders: [entry('a', 'Old'), entry('b', 'B')] })
    const { body } = await host.anonymous('GET', '/auth/config')
    expect(
      body.socialProviders.map(({ id, name }: { id: string; name: string }) => `${id} ${name}`).toSorted(),
    ).toEqual(['a New', 'b B', 'c C'])
    expect(process.env['OIDC_PROVIDERS']).toBeUndefined()
    process.env['OIDC_PROVIDERS'] = '[]'
    await expect(createAuthHost({ secret: 'short' })).rejects.toThrow()
  })
})

describe('mail', () => {
  it('goes through the configured server, and then nothing waits', async () => {
    const smtp = await startSmtpPeer()
    running.push(() => smtp.stop())
    const host = await start({ mail: { host: '127.0.0.1', port: smtp.port, from: 'cairn@example.org' } })
    const { email } = await host.account('lou')
    await host.anonymous('POST', '/auth/request-password-reset', { email })
    const mail = await smtp.take(email)
    expect(mail.from).toBe('cairn@example.org')
    const secret = /reset-password\/([^\s?]+)/.exec(mail.text)![1]!
    const reset = await host.anonymous('POST', '/auth/reset-password', {
      token: secret,
      newPassword: 'another password',
    })
    expect(reset.status).toBe(200)
    expect((await host.get('/auth/outbox')).body.messages).toEqual([])
    await host.anonymous('POST', '/auth/request-password-reset', { email: 'nobody@example.org' })
    expect(smtp.mails).toEqual([])
  })
})
