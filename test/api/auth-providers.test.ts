// Signing in with another provider, and being one: code flow with PKCE, state and nonce against real peers (D-32, D-38;
// safety N4).
import { createHash, randomBytes } from 'node:crypto'
import { get } from 'node:http'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import type { ForgingPeer, TokenRecipe } from '../support/forging-peer.ts'
import { startForgingPeer } from '../support/forging-peer.ts'
import { startOidcPeer } from '../support/oidc-peer.ts'
import type { OidcPeer } from '../support/oidc-peer.ts'

let peer: OidcPeer
let host: AuthHost

const pairs = (cookies: readonly string[]): string => cookies.map((cookie) => cookie.split(';')[0]!).join('; ')

beforeAll(async () => {
  peer = await startOidcPeer()
  host = await createAuthHost({
    plugins: { oidcProvider: true },
    oidcProviders: [
      {
        providerId: 'company',
        name: 'Company',
        discoveryUrl: `${peer.issuer}/.well-known/openid-configuration`,
        clientId: peer.clientId,
        clientSecret: peer.clientSecret,
      },
    ],
    socialProviders: { github: { clientId: 'id', clientSecret: 'a secret' } },
  })
  peer.allow(`${host.host.url}/api/v1/auth/callback/company`)
  peer.allow(`${host.host.url}/api/v1/auth/oauth2/callback/company`)
})

afterAll(async () => {
  await host.stop()
  await peer.stop()
})

/** Begins at the host; answers where to go and the cookies of the browser. */
async function begin(path = '/auth/sign-in/oauth2', body: Record<string, unknown> = { providerId: 'company' }) {
  const answer = await host.anonymous('POST', path, { ...body, callbackURL: '/_console/' })
  expect(answer.status).toBe(200)
  return { url: answer.body.url as string, cookie: pairs(answer.headers.getSetCookie()) }
}

const comeBack = (address: string, cookie: string) => {
  const { pathname, search } = new URL(address)
  return host.anonymous('GET', pathname + search, undefined, { cookie })
}

const sessionOf = (answer: { headers: Headers }): string | undefined =>
  answer.headers.getSetCookie().find((cookie) => /^cairn\.session_token=[^;]/.test(cookie))

describe('an enterprise provider', () => {
  it('signs a person in, with state, nonce and S256', async () => {
    peer.claims = { sub: 'peer-1', email: 'tess@example.org', email_verified: true, name: 'Tess' }
    const { url, cookie } = await begin()
    const asked = new URL(url).searchParams
    expect(asked.get('code_challenge_method')).toBe('S256')
    expect(asked.get('state')).toBeTruthy()
    expect(asked.get('nonce')).toBeTruthy()
    expect(asked.get('scope')!.split(' ')).toEqual(expect.arrayContaining(['openid', 'email', 'profile']))
    const back = await peer.follow(url)
    host.takeEvents()
    const done = await comeBack(back, cookie)
    expect(done.status).toBe(302)
    expect(new URL(done.headers.get('location')!, host.host.url).pathname).toBe('/_console/')
    const session = sessionOf(done)!.split(';')[0]!
    const who = await host.anonymous('GET', '/auth/get-session', undefined, { cookie: session })
    expect(who.body.user).toMatchObject({ email: 'tess@example.org', name: 'Tess', role: 'user' })
    expect(host.takeEvents().map(({ type }) => type)).toContain('auth.signed_in')
    // The same answer opens nothing a second time.
    expect(sessionOf(await comeBack(back, cookie))).toBeUndefined()
  })

  it('signs in at the path of the library too', async () => {
    peer.claims = { sub: 'peer-1', email: 'tess@example.org', email_verified: true, name: 'Tess' }
    const { url, cookie } = await begin('/auth/sign-in/social', { provider: 'company' })
    expect(sessionOf(await comeBack(await peer.follow(url), cookie))).toBeDefined()
  })

  it('opens nothing with a foreign state, without the cookie, or with a code of another request', async () => {
    peer.claims = { sub: 'peer-2', email: 'uma@example.org', email_verified: true, name: 'Uma' }
    const mine = await begin()
    const other = await begin()
    const back = new URL(await peer.follow(mine.url))
    const forged = new URL(back)
    forged.searchParams.set('state', 'forged')
    const crossed = new URL(await peer.follow(other.url))
    crossed.searchParams.set('code', back.searchParams.get('code')!)
    const tries: [string, string, string][] = [
      ['forged state', forged.href, mine.cookie],
      ['no cookie', back.href, ''],
      ['cookie of another request', back.href, other.cookie],
      ['code of another request', crossed.href, other.cookie],
    ]
    for (const [name, address, cookie] of tries) {
      const answer = await comeBack(address, cookie === '' ? 'x=y' : cookie)
      expect(sessionOf(answer), name).toBeUndefined()
    }
    const users = await host.get('/auth/admin/list-users?searchValue=uma@example.org')
    expect(users.body.total).toBe(0)
  })

  it('never joins an account by an address nobody has proved', async () => {
    const { id } = await host.account('vic')
    for (const email_verified of [false, true]) {
      peer.claims = { sub: `peer-3-${email_verified}`, email: 'vic@example.org', email_verified, name: 'Mallory' }
      const { url, cookie } = await begin()
      expect(sessionOf(await comeBack(await peer.follow(url), cookie))).toBeUndefined()
    }
    const token = await host.signIn('vic')
    const accounts = await host.as(token, 'GET', '/auth/list-accounts')
    expect(accounts.body.map((account: { providerId: string }) => account.providerId)).toEqual(['credential'])
    expect((await host.as(token, 'GET', '/auth/get-session')).body.user.id).toBe(id)
  })

  it('becomes a way to sign in of an account, and is taken from it by its name, by either id, and by nobody else', async () => {
    const { id, email } = await host.account('lin')
    await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
    const token = await host.signIn('lin')
    const providers = async (): Promise<{ id: string; providerId: string; accountId: string }[]> =>
      (await host.as(token, 'GET', '/auth/list-accounts')).body
    const unlink = (body: Record<string, unknown>, by = token) => host.as(by, 'POST', '/auth/unlink-account', body)
    peer.claims = { sub: 'peer-4', email, email_verified: true, name: 'Lin' }
    for (const way of ['providerId', 'accountId', 'id'] as const) {
      const begun = await host.as(token, 'POST', '/auth/link-social', {
        provider: 'company',
        callbackURL: '/_console/',
      })
      host.takeEvents()
      await comeBack(await peer.follow(begun.body.url), pairs(begun.headers.getSetCookie()))
      expect(host.takeEvents()).toMatchObject([
        { type: 'auth.account_linked', actor: { id }, payload: { userId: id, provider: 'company' } },
      ])
      const linked = (await providers()).find(({ providerId }) => providerId === 'company')!
      const foreign = await unlink({ accountId: linked.id }, await host.signIn('vic'))
      expect([foreign.status, foreign.body.error.code]).toEqual([404, 'resource_not_found'])
      expect((await unlink(way === 'providerId' ? { providerId: 'company' } : { accountId: linked[way] })).status).toBe(
        200,
      )
      expect(host.takeEvents().map(({ type }) => type)).toContain('auth.account_unlinked')
      expect((await providers()).map(({ providerId }) => providerId)).toEqual(['credential'])
    }
    expect((await unlink({})).body.error.details.fieldErrors[0].field).toBe('providerId')
    // The only way in stays.
    expect((await unlink({ providerId: 'credential' })).body.error.details.reason).toBe('FAILED_TO_UNLINK_LAST_ACCOUNT')
  })

  it('is listed, with the social ones, and never with its secret', async () => {
    const { body } = await host.anonymous('GET', '/auth/config')
    expect(body.socialProviders).toEqual([
      { id: 'github', name: 'Github', type: 'social', enabled: true },
      { id: 'company', name: 'Company', type: 'oidc', enabled: true },
    ])
    const github = await host.anonymous('POST', '/auth/sign-in/social', {
      provider: 'github',
      callbackURL: '/_console/',
    })
    expect(github.body.url).toMatch(/^https:\/\/github\.com\/login\/oauth\/authorize\?/)
    expect(JSON.stringify(body) + github.body.url).not.toContain('secret')
    const unknown = await host.anonymous('POST', '/auth/sign-in/oauth2', { providerId: 'nobody' })
    expect(unknown.status).toBe(404)
  })
})

describe('options of a provider', () => {
  it('pkce false leaves the proof out, and issuer must be the one that answers', async () => {
    const forger = await startForgingPeer()
    const provider = (providerId: string, rest: Record<string, unknown>) => ({
      providerId,
      discoveryUrl: `${forger.issuer}/.well-known/openid-configuration`,
      clientId: forger.clientId,
      clientSecret: forger.clientSecret,
      ...rest,
    })
    const own = await createAuthHost({
      oidcProviders: [
        provider('plain', { pkce: false }),
        provider('right', { issuer: forger.issuer }),
        provider('wrong', { issuer: 'https://elsewhere.example' }),
      ],
    })
    const signInWith = async (providerId: string): Promise<{ asked: URLSearchParams; opened: boolean }> => {
      const begun = await own.anonymous('POST', '/auth/sign-in/oauth2', { providerId, callbackURL: '/_console/' })
      const asked = new URL(begun.body.url as string).searchParams
      forger.answer = { access_token: 'a', token_type: 'Bearer', id_token: forger.mint(asked.get('nonce')!, {}) }
      const query = new URLSearchParams({ code: 'c', state: asked.get('state')!, iss: forger.issuer })
      const cookie = pairs(begun.headers.getSetCookie())
      const back = await own.anonymous('GET', `/auth/callback/${providerId}?${query}`, undefined, { cookie })
      return { asked, opened: sessionOf(back) !== undefined }
    }
    const plain = await signInWith('plain')
    expect([plain.opened, plain.asked.has('code_challenge')]).toEqual([true, false])
    expect(forger.exchanges.at(-1)!.has('code_verifier')).toBe(false)
    await own.post('/auth/admin/remove-user', {
      userId: (await own.get('/auth/admin/list-users?searchValue=forged@example.org')).body.users[0].id,
    })
    const right = await signInWith('right')
    expect([right.opened, right.asked.get('code_challenge_method')]).toEqual([true, 'S256'])
    expect(forger.exchanges.at(-1)!.get('code_verifier')!.length).toBeGreaterThanOrEqual(43)
    expect((await signInWith('wrong')).opened).toBe(false)
    await own.stop()
    await forger.stop()
  })
})

describe('what a provider says', () => {
  let forger: ForgingPeer
  let own: AuthHost
  let person = 0

  beforeAll(async () => {
    forger = await startForgingPeer()
    const { issuer, clientId, clientSecret } = forger
    const bare = { authorizationUrl: `${issuer}/auth`, tokenUrl: `${issuer}/token`, clientId, clientSecret, issuer }
    own = await createAuthHost({
      oidcProviders: [
        { providerId: 'found', discoveryUrl: `${issuer}/.well-known/openid-configuration`, clientId, clientSecret },
        { providerId: 'bare', ...bare },
        { providerId: 'asked', ...bare, userInfoUrl: `${issuer}/me` },
      ],
    })
  })

  afterAll(async () => {
    await own.stop()
    await forger.stop()
  })

  /** Begins; `go` comes back with a token of the recipe, for somebody new unless it says who. */
  async function begun(providerId: string, recipe: TokenRecipe = {}, callbackURL = '/_console/') {
    const answer = await own.anonymous('POST', '/auth/sign-in/oauth2', { providerId, callbackURL })
    const asked = new URL(answer.body.url as string).searchParams
    person += 1
    const sub = `person-${person}`
    const claims = { sub, email: `${sub}@example.org`, ...recipe.claims }
    const token = forger.mint(asked.get('nonce') ?? '', { ...recipe, claims })
    const cookie = pairs(answer.headers.getSetCookie())
    const path = `/auth/callback/${providerId}?${new URLSearchParams({ code: 'c', state: asked.get('state')! })}`
    return {
      sub,
      async go() {
        forger.userInfo = claims
        forger.answer = { access_token: 'a', token_type: 'Bearer', id_token: token }
        return own.anonymous('GET', path, undefined, { cookie })
      },
    }
  }

  it.each(['found', 'bare', 'asked'])(
    'counts only in a token that is for this client, and not over (%s)',
    async (id) => {
      const seconds = Math.floor(Date.now() / 1000)
      const wrong: [string, TokenRecipe][] = [
        ['another audience', { claims: { aud: 'somebody-else' } }],
        ['no audience', { without: ['aud'] }],
        ['a further audience, and nobody said for whom', { claims: { aud: ['cairn', 'somebody-else'] } }],
        ['for another one', { claims: { aud: ['cairn', 'somebody-else'], azp: 'somebody-else' } }],
        ['for another one alone', { claims: { azp: 'somebody-else' } }],
        ['over', { claims: { exp: seconds - 3_600 } }],
        ['without an end', { without: ['exp'] }],
        ['not yet', { claims: { nbf: seconds + 3_600 } }],
        ['another issuer', { claims: { iss: 'https://elsewhere.example' } }],
      ]
      for (const [name, recipe] of wrong)
        expect(sessionOf(await (await begun(id, recipe)).go()), `${id}: ${name}`).toBeUndefined()
      const right: [string, TokenRecipe][] = [
        ['for this client', {}],
        ['named twice', { claims: { aud: ['cairn', 'somebody-else'], azp: 'cairn' } }],
      ]
      for (const [name, recipe] of right)
        expect(sessionOf(await (await begun(id, recipe)).go()), `${id}: ${name}`).toBeDefined()
    },
  )

  it('makes no account of an address that is none, and a name of one line (D-302)', async () => {
    const none = await (await begun('found', { claims: { email: 'no address' } })).go()
    expect([sessionOf(none), none.headers.get('location')]).toEqual([
      undefined,
      expect.stringContaining('error=email_not_found'),
    ])
    for (const [given, kept] of [
      ['Ann\r\nBcc: x@example.org\u0085', 'Ann Bcc: x@example.org'],
      ['B'.repeat(5_000), 'B'.repeat(200)],
      ['\n', ''],
    ] as const) {
      const { sub, go } = await begun('found', {
        claims: { name: given, picture: `https://a.example/${'p'.repeat(9_000)}` },
      })
      expect(sessionOf(await go())).toBeDefined()
      const { body } = await own.get(`/auth/admin/list-users?searchValue=${sub}@example.org`)
      expect([body.users[0].name, body.users[0].image]).toEqual([kept, null])
    }
  })

  it('opens one session however often it comes back at once', async () => {
    const { go } = await begun('found')
    const answers = await Promise.all(Array.from({ length: 6 }, go))
    expect(answers.filter((answer) => sessionOf(answer) !== undefined)).toHaveLength(1)
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(302))
  })

  it('leads back to addresses of any letters, as browsers write them', async () => {
    const { go } = await begun('found', {}, '/_console/?to=日本#/ü')
    const back = await go()
    expect([back.status, back.headers.get('location')]).toEqual([302, '/_console/?to=%E6%97%A5%E6%9C%AC#/%C3%BC'])
  })

  it('becomes no way to sign in of an account that is gone meanwhile', async () => {
    const { id, email } = await own.account('moe')
    await own.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
    const link = { provider: 'found', callbackURL: '/_console/' }
    const answer = await own.as(await own.signIn('moe'), 'POST', '/auth/link-social', link)
    const asked = new URL(answer.body.url as string).searchParams
    await own.post('/auth/admin/remove-user', { userId: id })
    forger.answer = { access_token: 'a', id_token: forger.mint(asked.get('nonce')!, { claims: { sub: 'moe', email } }) }
    const query = new URLSearchParams({ code: 'c', state: asked.get('state')! })
    const cookie = pairs(answer.headers.getSetCookie())
    const back = await own.anonymous('GET', `/auth/callback/found?${query}`, undefined, { cookie })
    expect([back.status, back.body.error?.code]).toEqual([400, 'token_invalid'])
  })
})

describe('the provider role', () => {
  const redirect = 'https://client.example/back'
  let clientId: string
  let secret: string
  let config: openid.Configuration
  let cookie: string

  beforeAll(async () => {
    const made = await host.post('/auth/oauth2/create-client', {
      client_name: 'Client',
      redirect_uris: [redirect],
      scope: 'openid profile email offline_access',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    })
    expect(made.status).toBe(200)
    clientId = made.body.client_id
    secret = made.body.client_secret
    await host.post('/auth/set-password', { newPassword: password })
    const signedIn = await host.anonymous('POST', '/auth/sign-in/username', { username: 'owner', password })
    cookie = pairs(signedIn.headers.getSetCookie())
    config = await openid.discovery(
      new URL(`${host.host.url}/.well-known/openid-configuration`),
      clientId,
      secret,
      openid.ClientSecretPost(secret),
      { execute: [openid.allowInsecureRequests] },
    )
  })

  async function authorize(parameters: Record<string, string>): Promise<URL> {
    const url = openid.buildAuthorizationUrl(config, { redirect_uri: redirect, ...parameters })
    const asked = await host.anonymous('GET', url.pathname + url.search, undefined, { cookie })
    expect(asked.status).toBe(302)
    const consent = new URL(asked.headers.get('location')!, host.host.url)
    if (consent.href.startsWith(redirect)) return consent
    const query = consent.search === '' ? consent.hash.slice(consent.hash.indexOf('?') + 1) : consent.search.slice(1)
    const origin = host.host.url
    const agreed = await host.anonymous(
      'POST',
      '/auth/oauth2/consent',
      { accept: true, oauth_query: query },
      { cookie, origin },
    )
    expect(agreed.status).toBe(200)
    return new URL(agreed.body.url ?? agreed.body.redirect_uri ?? agreed.body.redirectURI)
  }

  it('takes the request as a form too, and goes on by a GET', async () => {
    const headers = { authorization: `Bearer ${host.host.token}`, 'content-type': 'application/x-www-form-urlencoded' }
    const body = 'client_id=nobody&response_type=code&scope=openid+email&state=a%26b'
    const url = `${host.host.url}/api/v1/auth/oauth2/authorize`
    const asked = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
    expect(asked.status).toBe(303)
    expect(asked.headers.get('location')).toBe(
      '/api/v1/auth/oauth2/authorize?client_id=nobody&response_type=code&scope=openid+email&state=a%26b',
    )
    const twice = await fetch(url, { method: 'POST', headers, body: `${body}&state=c`, redirect: 'manual' })
    expect(twice.status).toBe(400)
  })

  it('signs a person in at a standard client, whose tokens are checked by it', async () => {
    const verifier = openid.randomPKCECodeVerifier()
    const [state, nonce] = [openid.randomState(), openid.randomNonce()]
    const back = await authorize({
      scope: 'openid profile email',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
    const tokens = await openid.authorizationCodeGrant(config, back, checks)
    expect(tokens.claims()?.sub).toBe(localOwnerId)
    const info = await openid.fetchUserInfo(config, tokens.access_token, localOwnerId)
    expect(info.email).toBe('owner@cairn.local')
    // The code was used.
    await expect(openid.authorizationCodeGrant(config, back, checks)).rejects.toThrow()
  })

  it('refuses another redirect, a missing proof and a wrong secret', async () => {
    const ask = async (parameters: Record<string, string>) => {
      const query = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        scope: 'openid',
        state: 's',
        ...parameters,
      })
      return host.anonymous('GET', `/auth/oauth2/authorize?${query}`, undefined, { cookie })
    }
    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
    const elsewhere = await ask({ redirect_uri: 'https://evil.example/', ...pkce })
    expect(elsewhere.headers.get('location') ?? '').not.toMatch(/^https:\/\/evil\.example/)
    const bare = await ask({ redirect_uri: redirect })
    expect(new URL(bare.headers.get('location')!).searchParams.get('error')).toBe('invalid_request')
    const wrong = await fetch(`${host.host.url}/api/v1/auth/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: 'x',
        redirect_uri: redirect,
        client_id: clientId,
        client_secret: 'wrong',
        code_verifier: verifier,
      }),
    })
    expect(wrong.status).toBeGreaterThanOrEqual(400)
    expect(Object.keys((await wrong.json()) as object).toSorted()).toEqual(['error', 'error_description'])
  })

  it('keeps clients for the workspace: every administrator sees them, whoever made them', async () => {
    const { id } = await host.account('bea', 'admin')
    await host.put(`/permissions/assignments/${id}`, { profile: 'administrator' })
    const bea = await host.signIn('bea')
    const listed = await host.as(bea, 'GET', '/auth/oauth2/get-clients')
    expect(listed.body).toMatchObject([{ client_id: clientId, client_name: 'Client' }])
    expect(JSON.stringify(listed.body)).not.toContain(secret)
    const made = await host.as(bea, 'POST', '/auth/oauth2/create-client', {
      client_name: 'Second',
      redirect_uris: [redirect],
    })
    const rotated = await host.as(bea, 'POST', '/auth/oauth2/client/rotate-secret', { client_id: made.body.client_id })
    expect([rotated.status, rotated.body.client_secret === made.body.client_secret]).toEqual([200, false])
    await host.post('/auth/admin/remove-user', { userId: id })
    const left = (await host.get('/auth/oauth2/get-clients')).body as { client_name: string }[]
    expect(left.map(({ client_name }) => client_name).toSorted()).toEqual(['Client', 'Second'])
    await host.account('cal')
    const cal = await host.signIn('cal')
    expect((await host.as(cal, 'GET', '/auth/oauth2/get-clients')).status).toBe(403)
    const stolen = await host.as(cal, 'POST', '/auth/oauth2/client/rotate-secret', { client_id: clientId })
    expect(stolen.status).toBe(403)
  })

  it('gives nothing away to whoever acts as somebody else', async () => {
    const { id } = await host.account('dot')
    const acting = await host.post('/auth/admin/impersonate-user', { userId: id })
    const query = new URLSearchParams({ client_id: clientId, response_type: 'code', redirect_uri: redirect })
    const asked = await host.as(acting.body.session.token, 'GET', `/auth/oauth2/authorize?${query}`)
    expect([asked.status, asked.headers.get('location')]).toEqual([
      302,
      '/_console/#/authorize-error?error=acting_as_somebody_else',
    ])
    const agreed = await host.as(acting.body.session.token, 'POST', '/auth/oauth2/consent', { accept: true })
    expect([agreed.status, agreed.body.error.details.reason]).toEqual([403, 'IMPERSONATED'])
  })

  it('lets people come from other sites, and pages of theirs do nothing', async () => {
    const page = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    // By hand: fetch writes these headers itself.
    const come = (path: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get(host.host.url + path, { headers: { ...page, ...headers } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        }).on('error', reject)
      })
    const authorize = '/api/v1/auth/oauth2/authorize?client_id=nobody&response_type=code'
    expect(await come(authorize)).toBe(302)
    expect(await come(authorize, { 'sec-fetch-dest': 'iframe' })).toBe(403)
    expect(await come(authorize, { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).toBe(403)
    expect(await come(authorize, { origin: 'https://evil.example' })).toBe(403)
    expect(await come('/api/v1/auth/get-session')).toBe(403)
    expect(await come('/api/v1/data/task')).toBe(403)
  })

  it('serves its documents and keys', async () => {
    const document = (await host.anonymous('GET', '/.well-known/oauth-authorization-server')).body
    expect(document).toMatchObject({
      token_endpoint: `${host.host.url}/api/v1/auth/oauth2/token`,
      code_challenge_methods_supported: ['S256'],
    })
    expect((await host.anonymous('GET', '/auth/jwks')).body.keys[0]).not.toHaveProperty('d')
  })
})
