// The second factor, links and devices (D-32, D-35, D-36; safety N1, N3, N4, C6).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { totp } from '../support/totp.ts'

let host: AuthHost

beforeAll(async () => {
  host = await createAuthHost({ plugins: { magicLink: true } })
})

afterAll(() => host.stop())

async function withFactor(name: string): Promise<{ uri: string; backupCodes: string[] }> {
  await host.account(name)
  const token = await host.signIn(name)
  const enabled = await host.as(token, 'POST', '/auth/two-factor/enable', { password })
  expect(enabled.status).toBe(200)
  // Not verified yet: signing in needs nothing more.
  await host.signIn(name)
  const verified = await host.as(token, 'POST', '/auth/two-factor/verify-totp', { code: totp(enabled.body.totpURI) })
  expect(verified.status).toBe(200)
  // The session was replaced by a new one.
  expect((await host.as(token, 'GET', '/auth/list-sessions')).status).toBe(401)
  const fresh = decodeURIComponent(verified.headers.get('set-auth-token')!)
  expect(fresh.split('.')[0]).toBe(verified.body.token)
  expect((await host.as(verified.body.token, 'GET', '/auth/list-sessions')).status).toBe(200)
  expect((await host.as(fresh, 'GET', '/auth/list-sessions')).status).toBe(200)
  return { uri: enabled.body.totpURI, backupCodes: enabled.body.backupCodes }
}

async function challenge(name: string): Promise<string> {
  const answer = await host.anonymous('POST', '/auth/login', { username: name, password })
  expect(answer.body).toEqual({ token: null, expiresAt: null, user: null, twoFactorRedirect: true })
  const cookies = answer.headers.getSetCookie().filter((cookie) => !/Max-Age=0/.test(cookie))
  return cookies.map((cookie) => cookie.split(';')[0]!).join('; ')
}

const verify = (cookie: string, code: string, path = 'verify-totp') =>
  host.anonymous('POST', `/auth/two-factor/${path}`, { code }, { cookie, origin: host.host.url })

describe('a second factor', () => {
  it('is due after the password, and until then nothing is open (C6)', async () => {
    const { uri } = await withFactor('ida')
    const cookie = await challenge('ida')
    for (const path of ['/auth/list-sessions', '/keys', '/settings', '/meta'])
      expect((await host.anonymous('GET', path, undefined, { cookie })).status, path).toBe(401)
    host.takeEvents()
    const done = await verify(cookie, totp(uri))
    expect(done.status).toBe(200)
    expect((await host.as(done.body.token, 'GET', '/auth/list-sessions')).status).toBe(200)
    expect(host.takeEvents().map(({ type }) => type)).toContain('auth.signed_in')
    expect((await verify(cookie, totp(uri))).body.error.code).toBe('token_invalid')
  })

  it('sends no token before it is given, on any way to sign in with a password', async () => {
    const { uri } = await withFactor('una')
    for (const [path, body] of [
      ['login', { username: 'una', password }],
      ['sign-in/email', { email: 'una@example.org', password }],
      ['sign-in/username', { username: 'una', password }],
    ] as const) {
      const answer = await host.anonymous('POST', `/auth/${path}`, body)
      expect([answer.status, answer.body.twoFactorRedirect, answer.headers.get('set-auth-token')], path).toEqual([
        200,
        true,
        null,
      ])
      const sessions = answer.headers.getSetCookie().filter((cookie) => cookie.startsWith('cairn.session_token='))
      for (const cookie of sessions) expect(cookie).toMatch(/^cairn\.session_token=;.*Max-Age=0/)
    }
    const done = await verify(await challenge('una'), totp(uri))
    expect(done.headers.get('set-auth-token')).toContain(done.body.token)
  })

  it('takes five tries per challenge', async () => {
    const { uri } = await withFactor('joy')
    const cookie = await challenge('joy')
    const wrong = totp(uri) === '000000' ? '000001' : '000000'
    for (let index = 0; index < 5; index += 1) expect((await verify(cookie, wrong)).status).toBe(401)
    expect((await verify(cookie, totp(uri))).status).not.toBe(200)
    const parallel = await challenge('joy')
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(parallel, wrong)))
    expect(answers.filter(({ body }) => body.error.code === 'invalid_credentials').length).toBeLessThanOrEqual(5)
  })

  it('can be a backup code, which works once', async () => {
    const { backupCodes } = await withFactor('kim')
    const code = backupCodes[0]!
    expect((await verify(await challenge('kim'), code, 'verify-backup-code')).status).toBe(200)
    expect((await verify(await challenge('kim'), code, 'verify-backup-code')).status).toBe(401)
  })

  it('can be a mailed code', async () => {
    await withFactor('leo')
    const cookie = await challenge('leo')
    const headers = { cookie, origin: host.host.url }
    expect((await host.anonymous('POST', '/auth/two-factor/send-otp', {}, headers)).status).toBe(200)
    const code = await host.waitingMail('leo@example.org', 'two-factor-code')
    expect((await verify(cookie, code, 'verify-otp')).status).toBe(200)
  })

  it('opens nothing either while the password must be changed (C10)', async () => {
    const { uri } = await withFactor('lia')
    const { body } = await host.get('/auth/admin/list-users?searchValue=lia')
    await host.post('/auth/admin/set-user-password', { userId: body.users[0].id, newPassword: password })
    const held = await verify(await challenge('lia'), totp(uri))
    expect([held.status, held.body.error.details.reason]).toEqual([403, 'PASSWORD_CHANGE_REQUIRED'])
    const change = { token: held.body.error.details.resetToken, newPassword: 'chosen by lia' }
    expect((await host.anonymous('POST', '/auth/reset-password', change)).status).toBe(200)
  })

  it('is switched off with the password', async () => {
    const { uri } = await withFactor('mia')
    const token = (await verify(await challenge('mia'), totp(uri))).body.token as string
    expect((await host.as(token, 'POST', '/auth/two-factor/disable', { password: 'wrong one' })).status).toBe(401)
    const off = await host.as(token, 'POST', '/auth/two-factor/disable', { password })
    expect(off).toMatchObject({ status: 200, body: { status: true } })
    // The session that counts from now on.
    expect((await host.as(token, 'GET', '/auth/list-sessions')).status).toBe(401)
    expect((await host.as(off.body.token, 'GET', '/auth/list-sessions')).status).toBe(200)
    await host.signIn('mia')
  })
})

describe('links that sign in (D-35)', () => {
  const tokenOf = (link: string) => new URL(link).searchParams.get('token')!

  it('work once, also when 50 redeem one at the same time', async () => {
    await host.account('nora')
    const sent = await host.anonymous('POST', '/auth/magic-link/send', { email: 'nora@example.org' })
    const unknown = await host.anonymous('POST', '/auth/magic-link/send', { email: 'nobody@example.org' })
    expect([sent.body, unknown.body]).toEqual([{ status: true }, { status: true }])
    const token = tokenOf(await host.waitingMail('nora@example.org', 'magic-link'))
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => host.anonymous('POST', '/auth/magic-link/verify', { token })),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(Object.keys(won[0]!.body).toSorted()).toEqual(['expiresAt', 'session', 'token', 'user'])
    expect((await host.as(won[0]!.body.token, 'GET', '/auth/list-sessions')).status).toBe(200)
    expect(answers.find(({ status }) => status !== 200)!.body.error.code).toBe('token_invalid')
    const { body } = await host.get('/auth/outbox')
    expect(body.messages.some(({ to }: { to: string }) => to === 'nobody@example.org')).toBe(false)
  })

  it('can be followed, and lead nowhere else', async () => {
    await host.account('olga')
    const email = 'olga@example.org'
    await host.anonymous('POST', '/auth/sign-in/magic-link', { email, callbackURL: '/_console/' })
    const link = new URL(await host.waitingMail(email, 'magic-link'))
    const followed = await host.anonymous('GET', link.pathname + link.search)
    expect(followed.status).toBe(302)
    expect(new URL(followed.headers.get('location')!, host.host.url).href).toBe(`${host.host.url}/_console/`)
    expect(followed.headers.getSetCookie().some((cookie) => cookie.startsWith('cairn.session_token='))).toBe(true)
    const evil = await host.anonymous('POST', '/auth/magic-link/send', { email, callbackURL: 'https://evil.example/' })
    expect(evil.status).toBeGreaterThanOrEqual(400)
  })

  it('are not enough where a second factor is due', async () => {
    await withFactor('pia')
    await host.anonymous('POST', '/auth/magic-link/send', { email: 'pia@example.org' })
    const token = tokenOf(await host.waitingMail('pia@example.org', 'magic-link'))
    const answer = await host.anonymous('POST', '/auth/magic-link/verify', { token })
    expect([answer.status, answer.body.error.code]).toEqual([401, 'two_factor_required'])
  })
})

describe('devices (D-36)', () => {
  const begin = async () =>
    (await host.anonymous('POST', '/auth/device/code', { client_id: 'cairn-cli', scope: 'all' })).body
  const poll = (code: string, headers: Record<string, string> = {}, form = false) => {
    const fields = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: code,
      client_id: 'cairn-cli',
    }
    return form
      ? fetch(`${host.host.url}/api/v1/auth/device/token`, {
          method: 'POST',
          body: new URLSearchParams(fields),
          headers,
        })
      : host.anonymous('POST', '/auth/device/token', fields, headers)
  }

  it('get a code, wait, and act as whoever approved', async () => {
    const { id } = await host.account('rosa')
    const token = await host.signIn('rosa')
    const code = await begin()
    expect(Object.keys(code).toSorted()).toEqual([
      'device_code',
      'expires_in',
      'intervalSeconds',
      'user_code',
      'verification_uri',
      'verification_uri_complete',
    ])
    expect(code).toMatchObject({ expires_in: 1800, intervalSeconds: 5 })
    expect(code.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    const pending = (await poll(code.device_code)) as { status: number; body: { error: { code: string } } }
    expect([pending.status, pending.body.error.code]).toEqual([400, 'authorization_pending'])
    const early = (await poll(code.device_code)) as typeof pending
    expect(early.body.error.code).toBe('slow_down')
    const seen = await host.as(token, 'GET', `/auth/device?user_code=${code.user_code}`)
    expect(seen.body).toMatchObject({ user_code: code.user_code, status: 'pending' })
    // Somebody else can neither approve nor refuse what she has looked up.
    await host.account('sara')
    const other = await host.signIn('sara')
    expect((await host.as(other, 'POST', '/auth/device/approve', { userCode: code.user_code })).status).not.toBe(200)
    expect((await host.as(token, 'POST', '/auth/device/approve', { userCode: code.user_code })).body).toEqual({
      success: true,
    })
    const next = await begin()
    await host.as(token, 'POST', '/auth/device/approve', { userCode: next.user_code.toLowerCase() })
    const done = (await poll(next.device_code)) as { status: number; body: Record<string, unknown> }
    expect(done.body).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number), scope: 'all' })
    const who = await host.as(String(done.body['access_token']), 'GET', '/auth/get-session')
    expect(who.body.user.id).toBe(id)
    expect(((await poll(next.device_code)) as typeof pending).body.error.code).toBe('invalid_grant')
  })

  it('are refused when the person says so, and unknown clients get no code', async () => {
    const token = await host.signIn('rosa')
    const code = await begin()
    await host.as(token, 'POST', '/auth/device/deny', { userCode: code.user_code })
    expect(((await poll(code.device_code)) as { body: { error: { code: string } } }).body.error.code).toBe(
      'access_denied',
    )
    const stranger = await host.anonymous('POST', '/auth/device/code', { client_id: 'stranger' })
    expect(stranger.body.error.code).toBe('invalid_client')
  })

  it('that send forms are answered as their RFC says (D-38)', async () => {
    const answer = (await poll('unknown', {}, true)) as Response
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: 'invalid_grant', error_description: expect.any(String) })
  })
})
