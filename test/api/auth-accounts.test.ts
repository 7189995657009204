// Accounts: signing in and out, sessions, the account itself, reset (D-26 to D-40).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

let host: AuthHost

beforeAll(async () => {
  host = await createAuthHost()
})

afterAll(() => host.stop())

describe('the local owner (D-29)', () => {
  it('exists from the first start, without a password', async () => {
    expect((await host.anonymous('GET', '/auth/bootstrap-status')).body).toEqual({ hasOwner: true })
    const { body } = await host.get('/auth/get-session')
    expect(body.user).toMatchObject({ id: localOwnerId, username: 'owner', role: 'admin' })
    const refused = await host.anonymous('POST', '/auth/login', { username: 'owner', password })
    expect([refused.status, refused.body.error.code]).toEqual([401, 'invalid_credentials'])
  })

  it('sets a first password once, and then signs in with it', async () => {
    const short = await host.post('/auth/set-password', { newPassword: 'short' })
    expect(short.body.error.details.fieldErrors[0]).toMatchObject({ field: 'newPassword', code: 'min_length' })
    expect((await host.post('/auth/set-password', { newPassword: password })).body).toEqual({ status: true })
    expect((await host.post('/auth/set-password', { newPassword: password })).status).toBe(409)
    const { body } = await host.anonymous('POST', '/auth/login', { username: 'owner', password })
    expect(body.user).toMatchObject({
      id: localOwnerId,
      username: 'owner',
      role: 'admin',
      roles: [],
      profile: 'administrator',
    })
    expect(new Date(body.expiresAt).getTime()).toBeGreaterThan(Date.now() + 6 * 86_400_000)
    const settings = await host.as(body.token, 'GET', '/settings')
    expect(settings.status).toBe(200)
  })

  it('changes the password while the connection token acts as the owner', async () => {
    const next = 'another long password'
    const changed = await host.post('/auth/change-password', { currentPassword: password, newPassword: next })
    expect(changed.status).toBe(200)
    await host.signIn('owner', next)
    const wrong = await host.post('/auth/change-password', { currentPassword: 'nonsense', newPassword: next })
    expect([wrong.status, wrong.body.error.code, wrong.body.code]).toEqual([
      401,
      'invalid_credentials',
      'INVALID_PASSWORD',
    ])
  })
})

describe('signing in', () => {
  it('works by username, by address, and by the routes of the library', async () => {
    const { id, email } = await host.account('ada')
    for (const username of ['ada', 'ADA', email]) {
      const answer = await host.anonymous('POST', '/auth/login', { username, password })
      expect([answer.status, answer.body.user.id]).toEqual([200, id])
    }
    const byEmail = await host.anonymous('POST', '/auth/sign-in/email', { email, password })
    expect(byEmail.body).toMatchObject({ token: expect.any(String), user: { id, email } })
    const byName = await host.anonymous('POST', '/auth/sign-in/username', { username: 'ada', password })
    expect(byName.body.user.id).toBe(id)
  })

  it('sets a cookie that reads, and writes only with an Origin (D-27, D-31)', async () => {
    const answer = await host.anonymous('POST', '/auth/sign-in/username', {
      username: 'owner',
      password: 'another long password',
    })
    const cookies = answer.headers.getSetCookie()
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatch(/^cairn\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    const cookie = cookies[0]!.split(';')[0]!
    expect((await host.anonymous('GET', '/auth/get-session', undefined, { cookie })).body.user.id).toBe(localOwnerId)
    expect((await host.anonymous('GET', '/settings', undefined, { cookie })).status).toBe(200)
    const forged = await host.anonymous('POST', '/auth/update-user', { name: 'x' }, { cookie })
    expect(forged.body.error.code).toBe('origin_forbidden')
    const origin = host.host.url
    expect((await host.anonymous('POST', '/auth/update-user', { name: 'The owner' }, { cookie, origin })).status).toBe(
      200,
    )
    const tampered = `${cookie.slice(0, -6)}AAAA%3D`
    expect((await host.anonymous('GET', '/settings', undefined, { cookie: tampered })).status).toBe(401)
  })

  it('answers unknown names like wrong passwords (N2)', async () => {
    const known = await host.anonymous('POST', '/auth/login', { username: 'ada', password: 'nonsense' })
    const unknown = await host.anonymous('POST', '/auth/login', { username: 'nobody-here', password: 'nonsense' })
    const strip = ({ body }: typeof known) => ({ ...body, error: { ...body.error, requestId: '' } })
    expect(known.status).toBe(401)
    expect(strip(unknown)).toEqual(strip(known))
    expect(known.body).toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD', message: known.body.error.message })
    expect(known.body.error.details.reason).toBe('INVALID_EMAIL_OR_PASSWORD')
    const headers = (answer: typeof known) => [...answer.headers.keys()].toSorted()
    expect(headers(unknown)).toEqual(headers(known))
  })

  it('leaves no token of a session in the database (D1)', async () => {
    const token = await host.signIn('ada')
    await host.as(token, 'GET', '/auth/get-session')
    for (const name of ['cairn.db', 'cairn.db-wal'])
      expect(readFileSync(join(host.dataDir, name)).includes(token), name).toBe(false)
  })

  it('raises events without secrets', async () => {
    host.takeEvents()
    await host.signIn('ada')
    await host.anonymous('POST', '/auth/login', { username: 'ada', password: 'nonsense' })
    const events = host.takeEvents()
    expect(events.map(({ type }) => type)).toEqual(['auth.signed_in', 'auth.sign_in_failed'])
    expect(events[0]!.actor.id).toBe((events[0]!.payload as { userId: string }).userId)
    expect(JSON.stringify(events)).not.toContain('nonsense')
  })
})

describe('sessions', () => {
  it('are listed and ended, one, all but this, or all', async () => {
    await host.account('grace')
    const [one, two, three] = [await host.signIn('grace'), await host.signIn('grace'), await host.signIn('grace')]
    const list = (await host.as(three!, 'GET', '/auth/list-sessions')).body as { token: string; id: string }[]
    expect(list).toHaveLength(3)
    expect(list.some(({ token }) => token === one)).toBe(false)
    // What a list shows ends a session and opens none.
    expect((await host.as(list[0]!.token, 'GET', '/auth/list-sessions')).status).toBe(401)
    expect((await host.as(three!, 'POST', '/auth/revoke-session', { token: one })).body).toEqual({ status: true })
    expect((await host.as(one!, 'GET', '/auth/list-sessions')).status).toBe(401)
    expect((await host.as(three!, 'POST', '/auth/revoke-other-sessions')).status).toBe(200)
    expect((await host.as(two!, 'GET', '/auth/list-sessions')).status).toBe(401)
    expect((await host.as(three!, 'GET', '/auth/list-sessions')).status).toBe(200)
    expect((await host.as(three!, 'POST', '/auth/revoke-sessions')).status).toBe(200)
    expect((await host.as(three!, 'GET', '/auth/list-sessions')).status).toBe(401)
  })

  it('of others are not theirs to end', async () => {
    const mine = await host.signIn('ada')
    const theirs = await host.signIn('grace')
    expect((await host.as(mine, 'POST', '/auth/revoke-session', { token: theirs })).body).toEqual({ status: true })
    expect((await host.as(theirs, 'GET', '/auth/list-sessions')).status).toBe(200)
  })

  it('end at sign-out, and a restart ends none', async () => {
    const token = await host.signIn('ada')
    await host.restart()
    expect((await host.as(token, 'GET', '/auth/list-sessions')).status).toBe(200)
    const out = await host.as(token, 'POST', '/auth/sign-out', {})
    expect(out.body).toEqual({ success: true })
    expect((await host.as(token, 'GET', '/auth/list-sessions')).status).toBe(401)
    expect((await host.anonymous('GET', '/auth/get-session')).body).toBeNull()
  })

  it('are found without a statement once they are known', async () => {
    const token = await host.signIn('ada')
    await host.as(token, 'GET', '/auth/config')
    // The host works in the background too: what one of several requests does without, none of them needs.
    const counts: number[] = []
    for (let tries = 0; tries < 5; tries += 1) {
      const before = host.host.database.statementCount()
      await host.as(token, 'GET', '/auth/config')
      counts.push(host.host.database.statementCount() - before)
    }
    expect(Math.min(...counts)).toBe(0)
  })
})

describe('resetting a password', () => {
  it('takes the link of a mail once, and ends every session (N3)', async () => {
    await host.account('linus')
    const token = await host.signIn('linus')
    const asked = await host.anonymous('POST', '/auth/forget-password', { email: 'linus@example.org' })
    const unknown = await host.anonymous('POST', '/auth/request-password-reset', { email: 'nobody@example.org' })
    expect([asked.status, asked.body]).toEqual([unknown.status, unknown.body])
    const link = await host.waitingMail('linus@example.org', 'reset-password')
    const secret = new URL(link).pathname.split('/').at(-1)!
    const tries = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        host.anonymous('POST', '/auth/reset-password', { token: secret, newPassword: `a new password ${index}` }),
      ),
    )
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(tries.map(({ body }) => body.error?.code))).toEqual(new Set([undefined, 'token_invalid']))
    expect((await host.as(token, 'GET', '/auth/list-sessions')).status).toBe(401)
    const won = tries.findIndex(({ status }) => status === 200)
    await host.signIn('linus', `a new password ${won}`)
  })
})

describe('configuration (D-34)', () => {
  it('is public', async () => {
    const { body, status } = await host.anonymous('GET', '/auth/config')
    expect(status).toBe(200)
    expect(body).toEqual({
      emailAndPassword: {
        enabled: true,
        disableSignUp: true,
        requireEmailVerification: false,
        minPasswordLength: 8,
        maxPasswordLength: 128,
      },
      emailPassword: body.emailAndPassword,
      socialProviders: [],
      features: {
        organization: false,
        ssoEnforced: false,
        twoFactor: true,
        oidcProvider: false,
        deviceAuthorization: true,
        admin: true,
      },
      uiBasePath: '/_console',
    })
  })

  it('closes sign-up once there is an owner, and the switched-off routes do not exist', async () => {
    const refused = await host.anonymous('POST', '/auth/sign-up/email', { name: 'x', email: 'x@example.org', password })
    expect(refused.status).toBe(400)
    for (const path of ['/auth/magic-link/send', '/auth/organization/create', '/auth/oauth2/token'])
      expect((await host.anonymous('POST', path, {})).body.error.details.reason, path).toBe('route')
  })
})
