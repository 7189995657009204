// A real OpenID provider on a free port: one client, one user, and a page that signs in and consents at once.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** Claims of the peer's user. */
export interface PeerClaims {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
}

/** A running provider. */
export interface OidcPeer {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Whom the next sign-in is for. */
  claims: PeerClaims
  /** Parameters of the authorization requests so far. */
  readonly requests: URLSearchParams[]
  /** The addresses the provider may lead back to. */
  allow(redirectUri: string): void
  /** Follows an authorization address like a browser and answers where the provider leads back to. */
  follow(address: string): Promise<string>
  stop(): Promise<void>
}

/** Starts the provider. */
export async function startOidcPeer(): Promise<OidcPeer> {
  let handler: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const server = createServer((request, response) => handler(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = {
    client_id: 'cairn',
    client_secret: 'a secret of the peer',
    redirect_uris: [] as string[],
    grant_types: ['authorization_code'],
    response_types: ['code' as const],
  }
  const requests: URLSearchParams[] = []
  const peer: { claims: PeerClaims } = { claims: { sub: 'nobody' } }
  const build = (): void => {
    const provider = new Provider(issuer, {
      clients: [client],
      cookies: { keys: ['a key of the test'] },
      pkce: { required: () => true },
      conformIdTokenClaims: false,
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_ctx: unknown, id: string) => ({ accountId: id, claims: () => peer.claims }),
      interactions: { url: (_ctx: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
    })
    const serve = provider.callback()
    handler = (request, response) => {
      const url = new URL(request.url ?? '/', issuer)
      if (url.pathname === '/auth') requests.push(url.searchParams)
      if (url.pathname.startsWith('/interaction/')) void interact(provider, request, response, peer.claims.sub)
      else void serve(request, response)
    }
  }
  return {
    issuer,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    requests,
    get claims() {
      return peer.claims
    },
    set claims(claims) {
      peer.claims = claims
    },
    allow(redirectUri) {
      client.redirect_uris.push(redirectUri)
      build()
    },
    follow: (address) => follow(address, issuer),
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  accountId: string,
): Promise<void> {
  const details = await provider.interactionDetails(request, response)
  const { prompt, params, grantId } = details
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId } })
    return
  }
  const grant =
    (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
    new provider.Grant({ accountId, clientId: params['client_id'] as string })
  grant.addOIDCScope(String(params['scope']))
  const consent = { grantId: await grant.save() }
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
}

async function follow(address: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>()
  let next = new URL(address)
  for (let steps = 0; steps < 10; steps += 1) {
    if (next.origin !== issuer) return next.href
    const response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(';')[0]!.split('=') as [string, string]
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`The peer answered ${response.status}: ${await response.text()}`)
    next = new URL(location, next)
  }
  throw new Error('The peer leads in circles.')
}
