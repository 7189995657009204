// An OpenID provider that says what a test wants: real discovery, keys and endpoints on a free port, tokens that are
// right or forged. For the cases in which a client must refuse.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a token is made of; everything left out is right. */
export interface TokenRecipe {
  readonly claims?: Readonly<Record<string, unknown>>
  /** Claims that are left out. */
  readonly without?: readonly string[]
  readonly header?: Readonly<Record<string, unknown>>
  /** Signs with a key nobody published. */
  readonly strangeKey?: boolean
  /** Signs with HMAC over this instead. */
  readonly hmac?: 'public-key' | 'client-secret'
  /** Changes the finished text. */
  readonly spoil?: (token: string) => string
}

/** A running forger. */
export interface ForgingPeer {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** A token for somebody with this nonce. */
  mint(nonce: string, recipe: TokenRecipe): string
  /** What the token endpoint answers next; null for a page instead of JSON. */
  answer: Record<string, unknown> | null
  /** What the endpoint for claims answers. */
  userInfo: Record<string, unknown>
  /** Bodies the token endpoint was sent. */
  readonly exchanges: URLSearchParams[]
  stop(): Promise<void>
}

const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2_048 })

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Starts the forger. */
export async function startForgingPeer(): Promise<ForgingPeer> {
  const [own, strange] = [newKeys(), newKeys()]
  const published = { ...own.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }
  const exchanges: URLSearchParams[] = []
  let issuer = ''
  const peer: Pick<ForgingPeer, 'answer' | 'userInfo'> = { answer: {}, userInfo: {} }
  const json = (response: ServerResponse, body: unknown): void => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (pathname === '/.well-known/openid-configuration') {
        json(response, {
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/me`,
          jwks_uri: `${issuer}/jwks`,
          authorization_response_iss_parameter_supported: true,
          id_token_signing_alg_values_supported: ['RS256'],
        })
      } else if (pathname === '/jwks') json(response, { keys: [published] })
      else if (pathname === '/me') json(response, peer.userInfo)
      else if (pathname === '/token') {
        exchanges.push(new URLSearchParams(Buffer.concat(chunks).toString()))
        if (peer.answer === null) response.end('<html>not now</html>')
        else json(response, peer.answer)
      } else response.writeHead(404).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clientSecret = 'a secret of the forger that is long enough'
  return {
    issuer,
    clientId: 'cairn',
    clientSecret,
    exchanges,
    get answer() {
      return peer.answer
    },
    set answer(answer) {
      peer.answer = answer
    },
    get userInfo() {
      return peer.userInfo
    },
    set userInfo(claims) {
      peer.userInfo = claims
    },
    mint(nonce, { claims = {}, without = [], header = {}, strangeKey = false, hmac, spoil }) {
      const now = Math.floor(Date.now() / 1000)
      const person = { sub: 'forged', email: 'forged@example.org', email_verified: true, name: 'Forged' }
      const all = { iss: issuer, aud: 'cairn', iat: now, exp: now + 300, nonce, ...person, ...claims }
      const payload = Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)))
      const alg = hmac === undefined ? 'RS256' : 'HS256'
      const signed = `${encode({ alg, kid: 'own', ...header })}.${encode(payload)}`
      const secret =
        hmac === 'public-key' ? own.publicKey.export({ format: 'pem', type: 'spki' }).toString() : clientSecret
      const key = strangeKey ? strange.privateKey : own.privateKey
      const signature =
        hmac === undefined
          ? sign('RSA-SHA256', Buffer.from(signed), key)
          : createHmac('sha256', secret).update(signed).digest()
      const token = `${signed}.${signature.toString('base64url')}`
      return spoil === undefined ? token : spoil(token)
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** The token with other claims under the old signature. */
export function tampered(token: string, claims: Record<string, unknown>): string {
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const given = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
  return [header, encode({ ...given, ...claims }), signature].join('.')
}

/** The token with another header and, unless told otherwise, no signature. */
export function unsigned(token: string, header: Record<string, unknown>, signature = ''): string {
  return [encode(header), token.split('.')[1], signature].join('.')
}
