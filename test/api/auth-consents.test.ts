// What people let other applications know: they see it, end it, and an application has nothing left afterwards (D-32).
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

const back = 'https://client.example/back'
let host: AuthHost
let client: { id: string; secret: string }

beforeAll(async () => {
  host = await createAuthHost({ plugins: { oidcProvider: true } })
  const made = await host.post('/auth/oauth2/create-client', {
    client_name: 'Reports',
    client_uri: 'https://client.example',
    redirect_uris: [back],
    scope: 'openid profile offline_access',
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_post',
  })
  client = { id: made.body.client_id, secret: made.body.client_secret }
})

afterAll(() => host.stop())

/** Somebody with a session in a browser and one in a program. */
async function person(name: string): Promise<{ id: string; cookie: string; token: string }> {
  const { id, email } = await host.account(name)
  const answer = await host.anonymous('POST', '/auth/sign-in/email', { email, password })
  return { id, cookie: answer.headers.getSetCookie()[0]!.split(';')[0]!, token: await host.signIn(name) }
}

/** Asks for a code; `code` is null where the person is asked first, and `asked` is what there is to agree to. */
async function ask(cookie: string, verifier: string): Promise<{ code: string | null; asked: string }> {
  const query = new URLSearchParams({
    client_id: client.id,
    response_type: 'code',
    redirect_uri: back,
    scope: 'openid profile offline_access',
    state: 's',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const answer = await host.anonymous('GET', `/auth/oauth2/authorize?${query}`, undefined, { cookie })
  const to = answer.headers.get('location')!
  return {
    code: to.startsWith(back) ? new URL(to).searchParams.get('code') : null,
    asked: to.slice(to.lastIndexOf('?') + 1),
  }
}

async function agree(cookie: string, asked: string, accept = true): Promise<URL> {
  const headers = { cookie, origin: host.host.url }
  const answer = await host.anonymous('POST', '/auth/oauth2/consent', { accept, oauth_query: asked }, headers)
  expect(answer.status).toBe(200)
  return new URL(answer.body.url)
}

async function exchange(fields: Record<string, string>): Promise<Record<string, string>> {
  const answer = await fetch(`${host.host.url}/api/v1/auth/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: client.id, client_secret: client.secret, ...fields }),
  })
  return (await answer.json()) as Record<string, string>
}

const redeem = (code: string, verifier: string) =>
  exchange({ grant_type: 'authorization_code', code, redirect_uri: back, code_verifier: verifier })
const refresh = (token: string) => exchange({ grant_type: 'refresh_token', refresh_token: token })

async function userInfo(accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await host.anonymous('GET', '/auth/oauth2/userinfo', undefined, headers)).status
}

/** Agrees and answers what the application then holds. */
async function signedIn(cookie: string): Promise<Record<string, string>> {
  const verifier = randomBytes(32).toString('base64url')
  const { code, asked } = await ask(cookie, verifier)
  return redeem(code ?? (await agree(cookie, asked)).searchParams.get('code')!, verifier)
}

const consentsOf = async (token: string) => (await host.as(token, 'GET', '/auth/oauth2/get-consents')).body

describe('what a person lets an application know', () => {
  it('is listed for that person alone, with the name of the application', async () => {
    const ada = await person('ada')
    const bea = await person('bea')
    expect(await consentsOf(ada.token)).toEqual([])
    await signedIn(ada.cookie)
    expect(await consentsOf(ada.token)).toEqual([
      {
        id: expect.any(String),
        clientId: client.id,
        userId: ada.id,
        clientName: 'Reports',
        clientUri: 'https://client.example',
        scopes: ['openid', 'profile', 'offline_access'],
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    ])
    expect(await consentsOf(bea.token)).toEqual([])
  })

  it('ends with codes and tokens, and the application has to ask again', async () => {
    const cleo = await person('cleo')
    const held = await signedIn(cleo.cookie)
    const verifier = randomBytes(32).toString('base64url')
    // Remembered: nobody is asked.
    const { code } = await ask(cleo.cookie, verifier)
    expect(code).not.toBeNull()
    const renewed = await refresh(held['refresh_token']!)
    expect(await userInfo(renewed['access_token']!)).toBe(200)
    const dora = await person('dora')
    const others = await signedIn(dora.cookie)

    const [{ id }] = await consentsOf(cleo.token)
    host.takeEvents()
    const ended = await host.as(cleo.token, 'POST', '/auth/oauth2/delete-consent', { id })
    expect([ended.status, ended.body]).toEqual([200, { success: true }])
    expect(host.takeEvents()).toMatchObject([
      {
        type: 'auth.oauth_consent_ended',
        actor: { id: cleo.id },
        payload: { userId: cleo.id, clientId: client.id, clientName: 'Reports' },
      },
    ])
    expect(await consentsOf(cleo.token)).toEqual([])
    expect(await userInfo(renewed['access_token']!)).toBe(401)
    expect((await refresh(renewed['refresh_token']!))['error']).toBe('invalid_grant')
    expect((await redeem(code!, verifier))['error']).toBe('invalid_grant')
    expect((await ask(cleo.cookie, verifier)).code).toBeNull()
    // Others are left alone.
    expect(await userInfo(others['access_token']!)).toBe(200)
    expect((await refresh(others['refresh_token']!))['refresh_token']).toBeTruthy()
  })

  it('is ended by nobody else, by no key and by nobody who acts as them', async () => {
    const [eve, fay] = [await person('eve'), await person('fay')]
    await signedIn(eve.cookie)
    const [{ id }] = await consentsOf(eve.token)
    const end = (token: string, given: string) => host.as(token, 'POST', '/auth/oauth2/delete-consent', { id: given })
    const foreign = await end(fay.token, id)
    const absent = await end(fay.token, '0190f2a4-0000-7000-8000-0000000000ff')
    expect([foreign.status, foreign.body.error.code, absent.status]).toEqual([404, 'resource_not_found', 404])
    const { key } = (await host.as(eve.token, 'POST', '/keys', { name: 'Key' })).body
    expect((await end(key, id)).body.error.details.reason).toBe('SESSION_REQUIRED')
    const acting = await host.post('/auth/admin/impersonate-user', { userId: eve.id })
    expect((await end(acting.body.session.token, id)).body.error.details.reason).toBe('IMPERSONATED')
    expect((await host.anonymous('GET', '/auth/oauth2/get-consents')).status).toBe(401)
    expect(await consentsOf(eve.token)).toHaveLength(1)
  })

  it('is told of when it is given and when it is refused', async () => {
    const gil = await person('gil')
    host.takeEvents()
    const refused = await agree(gil.cookie, (await ask(gil.cookie, 'x'.repeat(43))).asked, false)
    expect(refused.searchParams.get('error')).toBe('access_denied')
    await signedIn(gil.cookie)
    const told = host.takeEvents().filter(({ type }) => type.startsWith('auth.oauth_consent'))
    const payload = { userId: gil.id, clientId: client.id, scope: 'openid profile offline_access' }
    expect(told.map(({ type, payload: said }) => [type, said])).toEqual([
      ['auth.oauth_consent_refused', payload],
      ['auth.oauth_consent_given', payload],
    ])
  })
})

describe('claims about a user', () => {
  it('are answered to GET and POST, with the token in the header or in the form', async () => {
    const kim = await person('kim')
    const token = (await signedIn(kim.cookie))['access_token']!
    const authorization = `Bearer ${token}`
    const url = `${host.host.url}/api/v1/auth/oauth2/userinfo`
    const calls: RequestInit[] = [
      { headers: { authorization } },
      { method: 'POST', headers: { authorization } },
      { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: '{}' },
      { method: 'POST', headers: { authorization }, body: new URLSearchParams() },
      { method: 'POST', body: new URLSearchParams({ access_token: token }) },
    ]
    for (const init of calls) {
      const answer = await fetch(url, init)
      expect([answer.status, (await answer.json()).sub], JSON.stringify(init)).toEqual([200, kim.id])
    }
    const refused = await fetch(url, { method: 'POST', body: new URLSearchParams({ access_token: 'none' }) })
    expect([refused.status, (await refused.json()).error]).toEqual([401, 'invalid_token'])
    for (const method of ['GET', 'POST']) {
      const signedInOnly = await host.as(kim.token, method, '/auth/oauth2/userinfo')
      expect([signedInOnly.status, signedInOnly.body.error.code], method).toEqual([401, 'unauthenticated'])
      const bare = await fetch(url, { method })
      expect([bare.status, (await bare.json()).error.code], method).toEqual([401, 'unauthenticated'])
    }
  })
})

describe('what an application holds for somebody', () => {
  it('ends when that person is shut out, and when all their sessions end', async () => {
    const ends: [string, (id: string, token: string) => Promise<unknown>][] = [
      ['hal', (userId) => host.post('/auth/admin/ban-user', { userId })],
      ['ivo', (userId) => host.post('/auth/admin/set-user-password', { userId, newPassword: 'given by the owner' })],
      ['joe', (_userId, token) => host.as(token, 'POST', '/auth/revoke-sessions', {})],
      ['kai', (userId) => host.post('/auth/admin/remove-user', { userId })],
    ]
    for (const [name, end] of ends) {
      const { id, cookie, token } = await person(name)
      const held = await signedIn(cookie)
      expect(await userInfo(held['access_token']!), name).toBe(200)
      await end(id, token)
      expect(await userInfo(held['access_token']!), name).toBe(401)
      expect((await refresh(held['refresh_token']!))['error'], name).toBe('invalid_grant')
    }
  })
})
