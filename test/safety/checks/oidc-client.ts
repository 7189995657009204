// Signing in with another provider: every answer of it that is forged, stale, meant for somebody else or out of turn opens
// nothing (N4).
import { createAuthHost } from '../../support/auth-host.ts'
import type { AuthHost } from '../../support/auth-host.ts'
import { startForgingPeer, tampered, unsigned } from '../../support/forging-peer.ts'
import type { ForgingPeer, TokenRecipe } from '../../support/forging-peer.ts'
import { cookiesOf, send } from '../identity-client.ts'
import type { IdentityAnswer } from '../identity-client.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** A sign-in that was begun. */
interface Begun {
  readonly url: URL
  readonly cookie: string
  readonly state: string
  readonly nonce: string
}

async function begin(host: AuthHost, providerId: string): Promise<Begun> {
  const begun = await send(host, 'POST', '/auth/sign-in/oauth2', { body: { providerId, callbackURL: '/_console/' } })
  if (begun.status !== 200) throw new Error(`The sign-in could not be begun: ${JSON.stringify(begun.body)}`)
  const url = new URL(begun.body.url as string)
  const [state, nonce] = [url.searchParams.get('state') ?? '', url.searchParams.get('nonce') ?? '']
  return { url, cookie: cookiesOf(begun), state, nonce }
}

/** Comes back from the provider. */
function comeBack(
  host: AuthHost,
  cookie: string,
  query: Readonly<Record<string, string>>,
  providerId = 'forger',
  path = 'callback',
): Promise<IdentityAnswer> {
  const text = new URLSearchParams(query).toString()
  return send(host, 'GET', `/auth/${path}/${providerId}?${text}`, { headers: cookie === '' ? {} : { cookie } })
}

const opened = (answer: IdentityAnswer): boolean =>
  (answer.headers['set-cookie'] ?? []).some((cookie) => /session_token=[^;]/.test(cookie)) ||
  answer.headers['set-auth-token'] !== undefined

const past = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds

/** Tokens that are wrong in one thing. */
function forgedTokens(peer: ForgingPeer): Record<string, TokenRecipe> {
  const header = { alg: 'RS256', kid: 'own' }
  return {
    'another issuer': { claims: { iss: 'https://evil.example' } },
    'the issuer with a slash': { claims: { iss: `${peer.issuer}/` } },
    'no issuer': { without: ['iss'] },
    'for another client': { claims: { aud: 'somebody-else' } },
    'for other clients': { claims: { aud: ['one', 'two'] } },
    'for another client, by this one': { claims: { aud: 'somebody-else', azp: 'cairn' } },
    'for nobody': { without: ['aud'] },
    'another nonce': { claims: { nonce: 'another' } },
    'no nonce': { without: ['nonce'] },
    'an empty nonce': { claims: { nonce: '' } },
    expired: { claims: { exp: past(3_600), iat: past(7_200) } },
    'not valid yet': { claims: { nbf: past(-3_600) } },
    'no subject': { without: ['sub'] },
    'signed by a key nobody published': { strangeKey: true },
    'signed by an unknown key': { strangeKey: true, header: { kid: 'other' } },
    'signed by the key in its own header': { strangeKey: true, header: { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } } },
    'keys from an address in its header': { strangeKey: true, header: { jku: 'https://evil.example/jwks' } },
    'HMAC with the public key': { hmac: 'public-key' },
    'HMAC with the secret of the client': { hmac: 'client-secret' },
    'no algorithm': { spoil: (token) => unsigned(token, { alg: 'none' }) },
    'no algorithm, in capitals': { spoil: (token) => unsigned(token, { alg: 'NONE' }) },
    'no algorithm, old signature': { spoil: (token) => unsigned(token, { alg: 'none' }, token.split('.')[2]) },
    'an unsigned one of a right algorithm': { spoil: (token) => unsigned(token, header) },
    'a signature of another algorithm': {
      spoil: (token) => unsigned(token, { alg: 'ES256', kid: 'own' }, token.split('.')[2]),
    },
    'another subject under the old signature': { spoil: (token) => tampered(token, { sub: 'admin' }) },
    'another address under the old signature': { spoil: (token) => tampered(token, { email: 'owner@cairn.local' }) },
    'an unknown critical header': { header: { crit: ['unheard-of'], 'unheard-of': true } },
    'no token but text': { spoil: () => 'a.b.c' },
    'an empty token': { spoil: () => '' },
  }
}

/** Answers in which the token is right and something else is not. */
async function outOfTurn(host: AuthHost, peer: ForgingPeer): Promise<Record<string, () => Promise<IdentityAnswer>>> {
  const right = async (recipe: TokenRecipe = {}): Promise<Begun> => {
    const begun = await begin(host, 'forger')
    peer.answer = { access_token: 'a', token_type: 'Bearer', id_token: peer.mint(begun.nonce, recipe) }
    return begun
  }
  const iss = peer.issuer
  return {
    'no state': async () => comeBack(host, (await right()).cookie, { code: 'c', iss }),
    'a forged state': async () => comeBack(host, (await right()).cookie, { code: 'c', state: 'forged', iss }),
    'no code': async () => {
      const { cookie, state } = await right()
      return comeBack(host, cookie, { state, iss })
    },
    'an error with a code': async () => {
      const { cookie, state } = await right()
      return comeBack(host, cookie, { error: 'access_denied', code: 'c', state, iss })
    },
    'without the cookie of its beginning': async () =>
      comeBack(host, '', { code: 'c', state: (await right()).state, iss }),
    'with the cookie of another beginning': async () => {
      const other = await begin(host, 'forger')
      return comeBack(host, other.cookie, { code: 'c', state: (await right()).state, iss })
    },
    'said by another provider': async () => {
      const { cookie, state } = await right()
      return comeBack(host, cookie, { code: 'c', state, iss: 'https://evil.example' })
    },
    'at the address of another provider': async () => {
      const { cookie, state } = await right()
      return comeBack(host, cookie, { code: 'c', state, iss }, 'other')
    },
    'begun at one provider, ended at the old address of another': async () => {
      const { cookie, state } = await right()
      return comeBack(host, cookie, { code: 'c', state, iss }, 'other', 'oauth2/callback')
    },
    'a second time': async () => {
      const { cookie, state } = await right({ claims: { sub: 'twice', email: 'twice@example.org' } })
      await comeBack(host, cookie, { code: 'c', state, iss })
      return comeBack(host, cookie, { code: 'c', state, iss })
    },
    'no token at all': async () => {
      const { cookie, state } = await right()
      peer.answer = { access_token: 'a', token_type: 'Bearer' }
      return comeBack(host, cookie, { code: 'c', state, iss })
    },
    'an error of the token endpoint': async () => {
      const { cookie, state } = await right()
      peer.answer = { error: 'invalid_grant' }
      return comeBack(host, cookie, { code: 'c', state, iss })
    },
    'a page of the token endpoint': async () => {
      const { cookie, state } = await right()
      peer.answer = null
      return comeBack(host, cookie, { code: 'c', state, iss })
    },
    'the token of an earlier sign-in': async () => {
      const earlier = await begin(host, 'forger')
      const { cookie, state } = await right()
      peer.answer = { access_token: 'a', token_type: 'Bearer', id_token: peer.mint(earlier.nonce, {}) }
      return comeBack(host, cookie, { code: 'c', state, iss })
    },
    'an address of somebody here, not proved there': async () => {
      const { cookie, state } = await right({ claims: { sub: 'm1', email: 'vic@example.org', email_verified: false } })
      return comeBack(host, cookie, { code: 'c', state, iss })
    },
    'an address of somebody here who never proved it': async () => {
      const { cookie, state } = await right({ claims: { sub: 'm2', email: 'vic@example.org', email_verified: true } })
      return comeBack(host, cookie, { code: 'c', state, iss })
    },
    'claims about somebody else': async () => {
      const { cookie, state } = await right({ without: ['email'] })
      return comeBack(host, cookie, { code: 'c', state, iss })
    },
  }
}

/** Sign-ins that must not begin: they would lead elsewhere. */
const foreignTargets = ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)']

/** Begins with a target and answers whether the sign-in would lead there. */
async function leadsAway(host: AuthHost, member: string, target: string): Promise<boolean> {
  const { status } = await send(host, 'POST', '/auth/sign-in/oauth2', {
    body: { providerId: 'forger', callbackURL: '/_console/', [member]: target },
  })
  return status === 200
}

async function countAccepted(context: CheckContext, careless: boolean): Promise<number> {
  const peer = await startForgingPeer()
  const endpoints = { authorizationUrl: `${peer.issuer}/auth`, tokenUrl: `${peer.issuer}/token` }
  const found = { discoveryUrl: `${peer.issuer}/.well-known/openid-configuration` }
  const client = { clientId: peer.clientId, clientSecret: peer.clientSecret }
  // Without discovery the host knows no keys: it takes the claims of the provider as they come.
  const provider = { ...client, ...(careless ? { ...endpoints, pkce: false } : found) }
  const host = await createAuthHost({
    oidcProviders: ['forger', 'other'].map((providerId) => ({ providerId, ...provider })),
  })
  try {
    await host.account('vic')
    peer.userInfo = { sub: 'somebody-else', email: 'forged@example.org', email_verified: true, name: 'Forged' }
    if (!careless) await proveSight(host, peer)
    let accepted = 0
    let cases = 0
    const judge = (name: string, isOpen: boolean): void => {
      cases += 1
      if (!isOpen) return
      accepted += 1
      context.log(`accepted: ${name}`)
    }
    for (const [name, recipe] of Object.entries(forgedTokens(peer))) {
      const { cookie, state, nonce } = await begin(host, 'forger')
      peer.answer = { access_token: 'a', token_type: 'Bearer', id_token: peer.mint(nonce, recipe) }
      judge(`a token ${name}`, opened(await comeBack(host, cookie, { code: 'c', state, iss: peer.issuer })))
    }
    for (const [name, turn] of Object.entries(await outOfTurn(host, peer))) judge(name, opened(await turn()))
    for (const member of ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL'])
      for (const target of foreignTargets) judge(`${member} ${target}`, await leadsAway(host, member, target))
    for (const exchange of peer.exchanges)
      judge('an exchange without its proof', !careless && (exchange.get('code_verifier')?.length ?? 0) < 43)
    context.log(`${cases} cases`)
    return cases >= minimumOf('oidcClientCases') ? accepted : NaN
  } finally {
    await host.stop()
    await peer.stop()
  }
}

/** A right answer signs in; otherwise a refusal would prove nothing. */
async function proveSight(host: AuthHost, peer: ForgingPeer): Promise<void> {
  const { cookie, state, nonce, url } = await begin(host, 'forger')
  if (url.searchParams.get('code_challenge_method') !== 'S256') throw new Error('The sign-in begins without its proof.')
  const claims = { sub: 'right', email: 'right@example.org' }
  peer.answer = { access_token: 'a', token_type: 'Bearer', id_token: peer.mint(nonce, { claims }) }
  const answer = await comeBack(host, cookie, { code: 'c', state, iss: peer.issuer })
  if (!opened(answer)) throw new Error(`A right answer is refused: ${answer.status} ${String(answer.headers.location)}`)
  const second = await begin(host, 'forger')
  const recipe = { claims: { sub: 'somebody-else' }, without: ['email', 'name'] }
  peer.answer = { access_token: 'a', token_type: 'Bearer', id_token: peer.mint(second.nonce, recipe) }
  const filled = await comeBack(host, second.cookie, { code: 'c', state: second.state, iss: peer.issuer })
  if (!opened(filled)) throw new Error('Claims of the endpoint for them are not taken.')
}

defineCheck({
  id: 'N4',
  file: 'identity',
  stage: 2,
  unit: 'forged, stale and misdirected answers of a provider that are accepted',
  target: 0,
  run: (context) => countAccepted(context, false),
  twin: (context) => countAccepted(context, true),
})
