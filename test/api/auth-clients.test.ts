// What clients of the library read in answers and send with requests, beyond what the screens need (D-32, D-37).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

let host: AuthHost

const pairs = (answer: { headers: Headers }): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0]!)
    .join('; ')

beforeAll(async () => {
  host = await createAuthHost({
    socialProviders: { github: { clientId: 'id', clientSecret: 'a secret', scope: ['repo'] } },
  })
  await host.post('/auth/set-password', { newPassword: password })
})

afterAll(() => host.stop())

describe('the answers of the administration', () => {
  it('are the account itself where it was changed, and the account beside it', async () => {
    const { id } = await host.account('adam')
    const { body } = await host.post('/auth/admin/update-user', { userId: id, data: { name: 'Adam II' } })
    expect(body).toMatchObject({ id, name: 'Adam II', username: 'adam', user: { id, name: 'Adam II' } })
  })

  /** Acts as somebody in the owner's browser; answers the cookies of before and since. */
  const act = async (name: string): Promise<{ own: string; acting: { cookie: string; origin: string } }> => {
    const origin = host.host.url
    const own = pairs(await host.anonymous('POST', '/auth/sign-in/username', { username: 'owner', password }))
    const { id } = await host.account(name)
    const headers = { cookie: own, origin }
    const begun = await host.anonymous('POST', '/auth/admin/impersonate-user', { userId: id }, headers)
    return { own, acting: { cookie: pairs(begun), origin } }
  }

  it('are the session and the account that come back where acting as somebody ends', async () => {
    const { own, acting } = await act('bea')
    const before = (await host.anonymous('GET', '/auth/get-session', undefined, { cookie: own })).body
    const ended = await host.anonymous('POST', '/auth/admin/stop-impersonating', {}, acting)
    expect(ended.body).toMatchObject({ status: true, session: { id: before.session.id }, user: { id: localOwnerId } })
    expect(ended.body.session).toEqual(before.session)
    const back = { cookie: pairs(ended).split('; ')[0]! }
    expect((await host.anonymous('GET', '/auth/get-session', undefined, back)).body).toEqual(before)
  })

  it('are none of a session that ended meanwhile, and its cookie goes', async () => {
    const { own, acting } = await act('cal')
    await host.anonymous('POST', '/auth/sign-out', {}, { cookie: own, origin: host.host.url })
    const ended = await host.anonymous('POST', '/auth/admin/stop-impersonating', {}, acting)
    expect(ended.body).toEqual({ status: true, session: null, user: null })
    for (const cookie of ended.headers.getSetCookie()) expect(cookie).toMatch(/=; Max-Age=0;/)
  })

  it('are none of the session of somebody else in the place of the own one', async () => {
    const { acting } = await act('dee')
    const { id } = await host.account('eli')
    const theirs = pairs(await host.anonymous('POST', '/auth/sign-in/username', { username: 'eli', password }))
    const admin = theirs.replace('cairn.session_token=', 'cairn.admin_session=')
    const cookie = `${acting.cookie.split('; ')[0]!}; ${admin}`
    const ended = await host.anonymous('POST', '/auth/admin/stop-impersonating', {}, { ...acting, cookie })
    expect(ended.body).toEqual({ status: true, session: null, user: null })
    expect(JSON.stringify(ended.body)).not.toContain(id)
  })

  it('name no session that comes back to whoever acts by a token', async () => {
    const { id } = await host.account('fay')
    const begun = await host.post('/auth/admin/impersonate-user', { userId: id })
    const ended = await host.as(begun.body.session.token, 'POST', '/auth/admin/stop-impersonating', {})
    expect(ended.body).toEqual({ status: true, session: null, user: null })
  })
})

describe('the token of the session in use', () => {
  it('is the one that came, where one came as a token, and opens the same session', async () => {
    await host.account('gus')
    const token = await host.signIn('gus')
    const { body } = await host.as(token, 'GET', '/auth/get-session')
    expect(body.session.token).toBe(token)
    const again = await host.as(body.session.token, 'GET', '/auth/get-session')
    expect(again.body.session.id).toBe(body.session.id)
    const list = (await host.as(token, 'GET', '/auth/list-sessions')).body as { id: string; token: string }[]
    expect(list.map(({ id }) => id)).toEqual([body.session.id])
    expect(list[0]!.token).not.toBe(token)
  })

  it('stays out of what pages can read, where it came as a cookie', async () => {
    const signedIn = await host.anonymous('POST', '/auth/sign-in/username', { username: 'owner', password })
    const { body } = await host.anonymous('GET', '/auth/get-session', undefined, { cookie: pairs(signedIn) })
    expect(body.user.id).toBe(localOwnerId)
    expect(pairs(signedIn)).not.toContain(encodeURIComponent(body.session.token))
    expect((await host.as(body.session.token, 'GET', '/auth/list-sessions')).status).toBe(401)
  })
})

describe('signing in, up, and setting a password', () => {
  it('tells a wrong password of a username in the words for usernames, whoever is there', async () => {
    const [known, unknown] = await Promise.all(
      ['owner', 'nobody-at-all'].map((username) =>
        host.anonymous('POST', '/auth/sign-in/username', { username, password: 'nonsense' }),
      ),
    )
    expect([known!.status, known!.body.error.code, known!.body.code]).toEqual([
      401,
      'invalid_credentials',
      'INVALID_USERNAME_OR_PASSWORD',
    ])
    expect(known!.body.error.details.reason).toBe('INVALID_USERNAME_OR_PASSWORD')
    const told = ({ body: { error, ...rest } }: typeof known & object) => ({
      ...rest,
      ...error,
      requestId: null,
      timestamp: null,
    })
    expect(told(unknown!)).toEqual(told(known!))
    const byAddress = await host.anonymous('POST', '/auth/sign-in/email', { email: 'x@example.org', password: 'no' })
    expect(byAddress.body.code).toBe('INVALID_EMAIL_OR_PASSWORD')
  })

  it('takes the token of a link beside the body, too', async () => {
    await host.account('hal')
    await host.anonymous('POST', '/auth/request-password-reset', { email: 'hal@example.org' })
    const link = await host.waitingMail('hal@example.org', 'reset-password')
    const token = new URL(link).pathname.split('/').at(-1)!
    const newPassword = 'a wholly new password'
    const none = await host.anonymous('POST', '/auth/reset-password', { newPassword })
    expect([none.status, none.body.error.code, none.body.code]).toEqual([400, 'token_invalid', 'INVALID_TOKEN'])
    const set = await host.anonymous('POST', `/auth/reset-password?token=${token}`, { newPassword })
    expect([set.status, set.body]).toEqual([200, { status: true }])
    expect((await host.anonymous('POST', `/auth/reset-password?token=${token}`, { newPassword })).status).toBe(400)
    await host.signIn('hal', newPassword)
  })

  it('tells of no username while nobody can sign up', async () => {
    const names = ['owner', 'nobody']
    const answers = await Promise.all(
      names.map((username) =>
        host.anonymous('POST', '/auth/sign-up/email', {
          name: 'X',
          email: `${username}@x.example`,
          password,
          username,
        }),
      ),
    )
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      names.map(() => [400, 'EMAIL_PASSWORD_SIGN_UP_DISABLED']),
    )
    const asked = await host.anonymous('POST', '/auth/is-username-available', { username: 'owner' })
    expect([asked.status, asked.body.error.code]).toEqual([401, 'unauthenticated'])
    const token = await host.signIn('owner')
    const free = (username: string) => host.as(token, 'POST', '/auth/is-username-available', { username })
    expect((await free('Owner')).body).toEqual({ available: false })
    expect((await free('nobody')).body).toEqual({ available: true })
    expect((await free('a name')).body.code).toBe('INVALID_USERNAME')
  })

  it('keeps a displayed username and forgets the session with the browser, where anybody may sign up', async () => {
    const open = await createAuthHost({ emailAndPassword: { disableSignUp: false } })
    try {
      expect((await open.anonymous('POST', '/auth/is-username-available', { username: 'ivy' })).body).toEqual({
        available: true,
      })
      const made = await open.anonymous('POST', '/auth/sign-up/email', {
        name: 'Ivy',
        email: 'ivy@example.org',
        password,
        username: 'ivy',
        displayUsername: 'I.V.Y.',
        rememberMe: false,
      })
      expect([made.status, made.body.user]).toMatchObject([200, { username: 'ivy', displayUsername: 'I.V.Y.' }])
      const session = made.headers.getSetCookie().find((cookie) => cookie.includes('session_token='))
      expect(session).not.toMatch(/max-age/i)
      expect((await open.anonymous('POST', '/auth/is-username-available', { username: 'ivy' })).body).toEqual({
        available: false,
      })
    } finally {
      await open.stop()
    }
  })
})

describe('sessions that are ended', () => {
  it('may be gone already, or never have been there', async () => {
    await host.account('jan')
    const [one, two] = [await host.signIn('jan'), await host.signIn('jan')]
    host.takeEvents()
    for (const token of [one, one, 'nothing'])
      expect((await host.as(two!, 'POST', '/auth/revoke-session', { token })).body).toEqual({ status: true })
    const types = host.takeEvents().map(({ type }) => type)
    expect(types.filter((type) => type === 'auth.session_ended')).toHaveLength(1)
  })
})

describe('proving the own password', () => {
  it('is for a person who signed in as themselves, and guesses count', async () => {
    const { id } = await host.account('kay')
    const token = await host.signIn('kay')
    const verify = (by: string, secret: string) => host.as(by, 'POST', '/auth/verify-password', { password: secret })
    expect((await verify(token, password)).body).toEqual({ status: true })
    const wrong = await verify(token, 'nonsense')
    expect([wrong.status, wrong.body.error.code, wrong.body.code]).toEqual([
      401,
      'invalid_credentials',
      'INVALID_PASSWORD',
    ])
    expect((await host.anonymous('POST', '/auth/verify-password', { password })).status).toBe(401)
    const { key } = (await host.as(token, 'POST', '/keys', { name: 'mine' })).body
    const byKey = await verify(key, password)
    expect([byKey.status, byKey.body.error.details.reason]).toEqual([403, 'SESSION_REQUIRED'])
    const acting = (await host.post('/auth/admin/impersonate-user', { userId: id })).body.session.token
    const acted = await verify(acting, password)
    expect([acted.status, acted.body.error.details.reason]).toEqual([403, 'IMPERSONATED'])
    const statuses = []
    for (let tries = 0; tries < 12; tries += 1) statuses.push((await verify(token, `guess ${tries}`)).status)
    expect(statuses.at(-1)).toBe(429)
    expect((await verify(token, password)).status).toBe(429)
    expect((await host.anonymous('POST', '/auth/login', { username: 'kay', password })).status).toBe(429)
  })
})

describe('signing in with a provider', () => {
  const begin = (body: object) => host.anonymous('POST', '/auth/sign-in/social', { provider: 'github', ...body })

  it('takes no token in the place of the way through the provider', async () => {
    const token = await host.signIn('owner')
    const idToken = { token: 'x' }
    for (const answer of [
      await begin({ idToken }),
      await host.as(token, 'POST', '/auth/link-social', { provider: 'github', idToken }),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
      expect(answer.body.error.details.fieldErrors).toMatchObject([{ field: 'idToken', code: 'not_allowed' }])
    }
  })

  it('hands on whom it is for, and asks for what is configured alone', async () => {
    const begun = await begin({ loginHint: 'ada@example.org', scopes: ['repo'] })
    expect(begun.status).toBe(200)
    const { searchParams } = new URL(begun.body.url)
    expect(searchParams.get('login_hint') ?? searchParams.get('login')).toBe('ada@example.org')
    expect(searchParams.get('scope')).toContain('repo')
    const more = await begin({ scopes: ['repo', 'admin:org'] })
    expect([more.status, more.body.error.details.fieldErrors]).toMatchObject([
      400,
      [{ field: 'scopes.1', code: 'not_allowed' }],
    ])
    expect((await begin({ provider: 'nowhere', scopes: ['repo'] })).status).toBe(404)
  })
})
