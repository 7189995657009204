// Whom an enterprise provider says somebody is: the claims of its token, whose signature the library has checked before,
// filled up by its endpoint for claims only where that speaks of the same subject. A provider without discovery has no
// keys to check a token with, so there the endpoint comes first. Whom a token is for and until when is asked of every one.
// Loaded with the library.
import { betterFetch } from '@better-fetch/fetch'
import { Email } from '#shared/contracts/auth-parts.ts'
import type { OidcProviderConfig } from './auth-config.ts'

/** What is read of a provider's answers. */
type Claims = Readonly<Record<string, unknown>> & { readonly sub: string }

/** The person as the library takes it. */
export type ProviderPerson = Record<string, unknown> & {
  readonly id: string
  readonly email?: string
  readonly emailVerified: boolean
}

const timeoutMs = 10_000

/** How far the clocks of two machines may differ. */
const skewMs = 60_000

/** What a provider gave for a code. */
interface Tokens {
  readonly idToken?: string | undefined
  readonly accessToken?: string | undefined
}

/**
 * Answers the person behind the tokens; null without a subject in the token, when that is of another issuer than the
 * configured one, for another client or over, or when the endpoint for claims names another subject.
 * @source OpenID Connect Core 2, 3.1.3.7, 5.3.2; safety N4
 */
export async function personOf(
  provider: Pick<OidcProviderConfig, 'discoveryUrl' | 'userInfoUrl' | 'issuer' | 'clientId'>,
  tokens: Tokens,
  now: number,
): Promise<ProviderPerson | null> {
  const said = claimsOf(tokens.idToken)
  if (said !== null && !counts(said, provider, now)) return null
  if (provider.discoveryUrl === undefined && provider.userInfoUrl !== undefined)
    return personAt(provider.userInfoUrl, tokens.accessToken, said)
  if (said === null) return null
  if (typeof said['email'] === 'string') return person(said)
  const address = provider.userInfoUrl ?? (await endpointOf(provider.discoveryUrl))
  if (address === undefined || tokens.accessToken === undefined) return person(said)
  const more = await ask(address, { authorization: `Bearer ${tokens.accessToken}` })
  return more?.['sub'] === said.sub ? person({ ...more, ...said }) : null
}

/** Whether a token is for this client, of the right issuer, and holds now. */
function counts(
  said: Claims,
  { issuer, clientId }: Pick<OidcProviderConfig, 'issuer' | 'clientId'>,
  now: number,
): boolean {
  const { iss, aud, azp, exp, nbf } = said
  // The library trusts the issuer that discovery names; the configured one, where there is one, is the only right one.
  if (issuer !== undefined && iss !== issuer) return false
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  // One for several says whom it was made for.
  const party = azp ?? (audiences.length === 1 ? audiences[0] : undefined)
  if (!audiences.includes(clientId) || party !== clientId) return false
  if (typeof exp !== 'number' || exp * 1000 <= now - skewMs) return false
  return typeof nbf !== 'number' || nbf * 1000 <= now + skewMs
}

/** The person the endpoint for claims speaks of; null when a token came with it that speaks of somebody else. */
async function personAt(
  address: string,
  accessToken: string | undefined,
  said: Claims | null,
): Promise<ProviderPerson | null> {
  const more = accessToken === undefined ? null : await ask(address, { authorization: `Bearer ${accessToken}` })
  // Providers of plain OAuth name a person by `id`.
  const subject = more?.['sub'] ?? more?.['id']
  const sub = typeof subject === 'string' || typeof subject === 'number' ? String(subject) : ''
  return sub === '' || (said !== null && said.sub !== sub) ? null : person({ ...more, sub })
}

function claimsOf(token: string | undefined): Claims | null {
  const payload = (token ?? '').split('.')[1]
  if (payload === undefined) return null
  const claims = parsed(Buffer.from(payload, 'base64url').toString('utf8'))
  return typeof claims['sub'] === 'string' && claims['sub'] !== '' ? (claims as Claims) : null
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // Text that says nothing: no token of anybody.
    return {}
  }
}

function person(claims: Claims): ProviderPerson {
  const { email, ...rest } = claims
  const image = typeof claims['picture'] === 'string' ? { image: claims['picture'] } : {}
  // What is no address is none: nobody could be written to.
  const address = Email.safeParse(email)
  return {
    ...rest,
    ...image,
    ...(address.success ? { email: address.data } : {}),
    id: claims.sub,
    emailVerified: claims['email_verified'] === true,
  }
}

async function endpointOf(discoveryUrl: string | undefined): Promise<string | undefined> {
  const found = discoveryUrl === undefined ? null : await ask(discoveryUrl, {})
  const address = found?.['userinfo_endpoint']
  return typeof address === 'string' ? address : undefined
}

async function ask(address: string, headers: Record<string, string>): Promise<Record<string, unknown> | null> {
  const { data } = await betterFetch<Record<string, unknown>>(address, {
    headers,
    timeout: timeoutMs,
    redirect: 'error',
  })
  return typeof data === 'object' && data !== null ? data : null
}
