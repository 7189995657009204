// Signing in for others: requests of clients that ask for more than they may, prove themselves wrongly or come out of turn
// get no code and no token (N4p).
import { createHash, randomBytes } from 'node:crypto'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { AnyHandler, AuthDoors } from '../../support/auth-doors.ts'
import { withAuthDoors } from '../../support/auth-doors.ts'
import { createAuthHost, password } from '../../support/auth-host.ts'
import type { AuthHost } from '../../support/auth-host.ts'
import { cookiesOf, send } from '../identity-client.ts'
import type { IdentityAnswer } from '../identity-client.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

const redirect = 'https://client.example/back'

interface Client {
  readonly id: string
  readonly secret: string
}

/** A pair of RFC 7636. */
interface Proof {
  readonly verifier: string
  readonly challenge: string
}

function newProof(): Proof {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The provider as its clients and a signed-in person see it. */
interface World {
  readonly host: AuthHost
  readonly cookie: string
  readonly client: Client
  readonly other: Client
  authorize(change: Record<string, string | null>, proof?: Proof, cookie?: string): Promise<IdentityAnswer>
  /** Asks for a code and agrees; null when none was given. */
  codeFor(change: Record<string, string | null>, proof?: Proof): Promise<string | null>
  token(form: Record<string, string>, headers?: Record<string, string>): Promise<IdentityAnswer>
  /** The form that exchanges a code rightly. */
  exchange(code: string, proof: Proof): Record<string, string>
}

async function makeClient(host: AuthHost, name: string, scope: string): Promise<Client> {
  const made = await host.post('/auth/oauth2/create-client', {
    client_name: name,
    redirect_uris: [redirect],
    scope,
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_post',
  })
  if (made.status !== 200) throw new Error(JSON.stringify(made.body))
  return { id: made.body.client_id as string, secret: made.body.client_secret as string }
}

async function makeWorld(host: AuthHost): Promise<World> {
  await host.post('/auth/set-password', { newPassword: password })
  const signedIn = await send(host, 'POST', '/auth/sign-in/username', { body: { username: 'owner', password } })
  const cookie = cookiesOf(signedIn)
  const client = await makeClient(host, 'Client', 'openid profile offline_access')
  const other = await makeClient(host, 'Other', 'openid')
  const authorize: World['authorize'] = (change, proof = newProof(), as = cookie) => {
    const parameters: Record<string, string | null> = {
      client_id: client.id,
      response_type: 'code',
      redirect_uri: redirect,
      scope: 'openid',
      state: 's',
      prompt: 'consent',
      code_challenge: proof.challenge,
      code_challenge_method: 'S256',
      ...change,
    }
    const kept = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null)
    const query = new URLSearchParams(kept).toString()
    return send(host, 'GET', `/auth/oauth2/authorize?${query}`, { headers: as === '' ? {} : { cookie: as } })
  }
  return {
    host,
    cookie,
    client,
    other,
    authorize,
    async codeFor(change, proof) {
      const asked = await authorize(change, proof)
      const given = codeIn(asked)
      if (given !== null) return given
      const page = String(asked.headers.location ?? '')
      if (!page.includes('consent')) return null
      return codeIn(await consent(host, cookie, page.slice(page.lastIndexOf('?') + 1)))
    },
    token: (form, headers = {}) => send(host, 'POST', '/auth/oauth2/token', { form, headers }),
    exchange: (code, proof) => ({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirect,
      client_id: client.id,
      client_secret: client.secret,
      code_verifier: proof.verifier,
    }),
  }
}

function consent(host: AuthHost, cookie: string, oauthQuery: string): Promise<IdentityAnswer> {
  const headers: Record<string, string> = cookie === '' ? {} : { cookie, origin: host.host.url }
  return send(host, 'POST', '/auth/oauth2/consent', { body: { accept: true, oauth_query: oauthQuery }, headers })
}

/** The code, or the token, in where an answer leads; null without one. */
function codeIn(answer: IdentityAnswer): string | null {
  const { url, redirect_uri: uri, redirectURI } = (answer.body ?? {}) as Record<string, string | undefined>
  const to = answer.headers.location ?? url ?? uri ?? redirectURI
  if (to === undefined || !URL.canParse(to)) return null
  const { searchParams, hash } = new URL(to)
  const fragment = new URLSearchParams(hash.slice(1))
  return searchParams.get('code') ?? fragment.get('code') ?? fragment.get('access_token') ?? fragment.get('id_token')
}

/** Whether an answer leads a browser to a place the client has not registered. */
function leadsAway(answer: IdentityAnswer): boolean {
  const to = answer.headers.location ?? ''
  if (!URL.canParse(to) || to.startsWith('http://127.0.0.1')) return false
  const { origin, pathname } = new URL(to)
  return origin + pathname !== redirect
}

const strangeRedirects = [
  'https://evil.example/back',
  'https://client.example.evil.example/back',
  'https://client.example@evil.example/back',
  'https://client.example/back/more',
  'https://client.example/back?more=1',
  'https://client.example/back#more',
  'https://client.example/back/',
  'https://client.example/back/../other',
  'https://client.example/%62ack',
  'https://CLIENT.example:444/back',
  'https://sub.client.example/back',
  'http://client.example/back',
  '//client.example/back',
  'javascript:alert(1)',
  '',
]

/** Requests for a code; true means one was given, or the browser led away. */
function codeCases(world: World): Record<string, () => Promise<boolean>> {
  const given = (change: Record<string, string | null>) => async (): Promise<boolean> =>
    leadsAway(await world.authorize(change)) || (await world.codeFor(change)) !== null
  return {
    ...Object.fromEntries(strangeRedirects.map((uri) => [`redirect to "${uri}"`, given({ redirect_uri: uri })])),
    'no proof': given({ code_challenge: null, code_challenge_method: null }),
    'a plain proof': given({ code_challenge_method: 'plain' }),
    'a proof of no method': given({ code_challenge_method: null }),
    'an unheard-of proof': given({ code_challenge_method: 'S512' }),
    'an unknown client': given({ client_id: 'nobody' }),
    'no client': given({ client_id: null }),
    'a token at once': given({ response_type: 'token' }),
    'a token of identity at once': given({ response_type: 'id_token' }),
    'a code and a token': given({ response_type: 'code token' }),
    'no kind of answer': given({ response_type: null }),
    'a scope the client does not have': given({ scope: 'openid email' }),
    'a scope nobody has': given({ scope: 'openid everything' }),
    'more than the other client may': given({ client_id: world.other.id, scope: 'openid offline_access' }),
    'without a person': async () => codeIn(await world.authorize({}, newProof(), '')) !== null,
    'without asking a person who never agreed': async () =>
      codeIn(await world.authorize({ prompt: 'none', client_id: world.other.id })) !== null,
    'consent by nobody': async () => {
      const page = String((await world.authorize({})).headers.location)
      return codeIn(await consent(world.host, '', page.slice(page.lastIndexOf('?') + 1))) !== null
    },
    'consent to something else than was asked': async () => {
      const page = String((await world.authorize({})).headers.location)
      const query = new URLSearchParams(page.slice(page.lastIndexOf('?') + 1))
      query.set('client_id', world.other.id)
      return codeIn(await consent(world.host, world.cookie, query.toString())) !== null
    },
    'consent to a scope that was not asked for': async () => {
      const page = String((await world.authorize({})).headers.location)
      const query = new URLSearchParams(page.slice(page.lastIndexOf('?') + 1))
      query.set('scope', 'openid offline_access')
      return codeIn(await consent(world.host, world.cookie, query.toString())) !== null
    },
    'consent that nobody asked for': async () =>
      codeIn(await consent(world.host, world.cookie, `client_id=${world.client.id}&redirect_uri=${redirect}`)) !== null,
  }
}

/** Exchanges of a code or a refresh token; true means a token was given. */
function tokenCases(world: World): Record<string, () => Promise<boolean>> {
  const { client, other } = world
  const exchanged = (change: Record<string, string | null>) => async (): Promise<boolean> => {
    const proof = newProof()
    const code = await world.codeFor({}, proof)
    if (code === null) throw new Error('A right request got no code.')
    const form = { ...world.exchange(code, proof), ...change }
    const kept = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== null)
    return gave(await world.token(Object.fromEntries(kept)))
  }
  const refreshed = (change: Record<string, string>) => async (): Promise<boolean> => {
    const proof = newProof()
    const code = await world.codeFor({ scope: 'openid offline_access' }, proof)
    const { body } = await world.token(world.exchange(code!, proof))
    if (typeof body?.refresh_token !== 'string') throw new Error('A right exchange gave no refresh token.')
    const proved = { client_id: client.id, client_secret: client.secret }
    const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token as string, ...proved, ...change }
    return gave(await world.token(form))
  }
  return {
    'a wrong secret': exchanged({ client_secret: 'wrong' }),
    'an empty secret': exchanged({ client_secret: '' }),
    'no secret': exchanged({ client_secret: null }),
    'no client': exchanged({ client_id: null, client_secret: null }),
    'a code of another client': exchanged({ client_id: other.id, client_secret: other.secret }),
    'another client with the secret of this one': exchanged({ client_id: other.id }),
    'another redirect': exchanged({ redirect_uri: 'https://client.example/other' }),
    'no redirect': exchanged({ redirect_uri: null }),
    'no verifier': exchanged({ code_verifier: null }),
    'an empty verifier': exchanged({ code_verifier: '' }),
    'another verifier': exchanged({ code_verifier: newProof().verifier }),
    'a code that was made up': exchanged({ code: 'made-up' }),
    'no code': exchanged({ code: null }),
    'an unheard-of grant': exchanged({ grant_type: 'password' }),
    'the grant of clients': exchanged({ grant_type: 'client_credentials' }),
    'a refresh token of another client': refreshed({ client_id: other.id, client_secret: other.secret }),
    'a refresh token with a wrong secret': refreshed({ client_secret: 'wrong' }),
    'more by a refresh token than was agreed': refreshed({ scope: 'openid profile offline_access' }),
    'a refresh token that was made up': refreshed({ refresh_token: 'made-up' }),
    'a proof in plain by another method': async () => {
      const proof = newProof()
      const code = await world.codeFor({}, proof)
      return gave(await world.token({ ...world.exchange(code!, proof), code_verifier: proof.challenge }))
    },
  }
}

/** What else a token or a client could be mistaken for; true means it was. */
function otherCases(world: World): Record<string, () => Promise<boolean>> {
  const { host, client, other } = world
  const tokens = async (): Promise<Record<string, string>> => {
    const proof = newProof()
    const code = await world.codeFor({ scope: 'openid offline_access' }, proof)
    return (await world.token(world.exchange(code!, proof))).body as Record<string, string>
  }
  const info = async (token: string): Promise<boolean> =>
    (await send(host, 'GET', '/auth/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } })).status === 200
  const inspect = async (form: Record<string, string>): Promise<boolean> => {
    const answer = await send(host, 'POST', '/auth/oauth2/introspect', { form })
    return answer.status === 200 && answer.body?.active === true
  }
  return {
    'claims for a token of identity': async () => info((await tokens())['id_token']!),
    'claims for a refresh token': async () => info((await tokens())['refresh_token']!),
    'claims for text': () => info('text'),
    'claims for nothing': async () => (await send(host, 'GET', '/auth/oauth2/userinfo')).status === 200,
    'an access token as a session': async () => {
      const token = (await tokens())['access_token']!
      return (await send(host, 'GET', '/auth/list-sessions', { token })).status === 200
    },
    'an access token as a key': async () => {
      const headers = { 'x-api-key': (await tokens())['access_token']! }
      return (await send(host, 'GET', '/data/task', { headers })).status !== 401
    },
    'a look at a token without a proof': async () => inspect({ token: (await tokens())['access_token']! }),
    'a look at a token by a wrong secret': async () =>
      inspect({ token: (await tokens())['access_token']!, client_id: client.id, client_secret: 'wrong' }),
    'a look at the refresh token of another client': async () =>
      inspect({ token: (await tokens())['refresh_token']!, client_id: other.id, client_secret: other.secret }),
    'an end of the refresh token of another client': async () => {
      const token = (await tokens())['refresh_token']!
      const theirs = { client_id: other.id, client_secret: other.secret }
      await send(host, 'POST', '/auth/oauth2/revoke', { form: { token, ...theirs } })
      return !(await inspect({ token, client_id: client.id, client_secret: client.secret }))
    },
    'a client that registers itself': async () => {
      const body = { client_name: 'Own', redirect_uris: [redirect] }
      return (await send(host, 'POST', '/auth/oauth2/register', { body })).status < 400
    },
    'a code after its client was deleted': async () => {
      const gone = await makeClient(host, 'Gone', 'openid')
      const proof = newProof()
      const code = await world.codeFor({ client_id: gone.id }, proof)
      await host.post('/auth/oauth2/delete-client', { client_id: gone.id })
      const form = { ...world.exchange(code ?? 'none', proof), client_id: gone.id, client_secret: gone.secret }
      return gave(await world.token(form))
    },
    'a farewell that leads elsewhere': async () => {
      const query = new URLSearchParams({
        post_logout_redirect_uri: 'https://evil.example/',
        client_id: client.id,
        id_token_hint: (await tokens())['id_token']!,
      })
      return leadsAway(await send(host, 'GET', `/auth/oauth2/end-session?${query}`))
    },
  }
}

const gave = ({ body }: IdentityAnswer): boolean =>
  typeof body === 'object' && body !== null && 'access_token' in (body as object)

async function countGiven(context: CheckContext, doors: AuthDoors): Promise<number> {
  const host = await createAuthHost({ plugins: { oidcProvider: true } }, { plugins: withAuthDoors(doors) })
  try {
    const world = await makeWorld(host)
    const proof = newProof()
    const code = await world.codeFor({}, proof)
    if (code === null || !gave(await world.token(world.exchange(code, proof))))
      throw new Error('A right request gets nothing.')
    let given = 0
    let cases = 0
    for (const [kind, all] of Object.entries({
      code: codeCases(world),
      token: tokenCases(world),
      other: otherCases(world),
    })) {
      for (const [name, tried] of Object.entries(all)) {
        cases += 1
        if (!(await tried())) continue
        given += 1
        context.log(`${kind}, ${name}: given`)
      }
    }
    context.log(`${cases} cases`)
    return cases >= minimumOf('oidcProviderCases') ? given : NaN
  } finally {
    await host.stop()
  }
}

/** Puts the secret of each client into requests that name it: clients prove nothing any more. */
function withSecrets(given: AnyHandler, host: PluginHost): AnyHandler {
  const secrets = new Map<string, string>()
  return (async (ctx: never, input: { body: Buffer }) => {
    const form = new URLSearchParams(input.body.toString())
    const id = form.get('client_id') ?? ''
    const sql = 'SELECT clientSecret FROM auth_oauth_client WHERE clientId = ?'
    const stored = host.read.get<{ clientSecret: string }>({ sql, parameters: [id] })?.clientSecret
    const known = secrets.get(id)
    const result = (await given(ctx, input as never)) as { body?: unknown }
    const wasRight = 'access_token' in ((result.body ?? {}) as object)
    if (wasRight) secrets.set(id, form.get('client_secret') ?? '')
    if (wasRight || stored === undefined || known === undefined) return result
    form.set('client_secret', known)
    return given(ctx, { ...input, body: Buffer.from(form.toString()) } as never)
  }) as AnyHandler
}

defineCheck({
  id: 'N4p',
  file: 'identity',
  stage: 2,
  unit: 'codes and tokens given to requests that should get none',
  target: 0,
  run: (context) => countGiven(context, {}),
  twin: (context) => countGiven(context, { handlers: { oauthToken: withSecrets } }),
})
