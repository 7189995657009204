// Who is calling: reads the credential of a request, and judges it again later, with bare tokens that came with it. Holds
// digests only, never a credential; a check keeps the headers that carry it and nothing else of the request. Knows no route.
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Actor } from '#shared/events.ts'
import { localOwner } from '#main/kernel/context.ts'
import type { Caller, IdentityProvider } from '#main/kernel/identity.ts'
import { noIdentities } from '#main/kernel/identity.ts'
import { defaultCookies, sessionCookieName } from './session-cookie.ts'
import type { CredentialCheck } from '#main/kernel/sockets.ts'

/** The parts of a request a credential is read from. */
export interface CredentialSource {
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
}

/**
 * Answers the caller of a request; `invalid` when a credential was presented that does not hold.
 * @param beyondLoopback the request came over the listener other machines reach: the host's own credentials, the
 * connection token and sessions opened with a one-time code, do not hold there
 */
export type Authenticate = (request: CredentialSource, beyondLoopback?: boolean) => Caller | 'invalid'

/** Finds the session a cookie names; null when there is none or it has ended. */
export type FindSession = (token: string) => { id: string; actor: Actor } | null

/** The caller of a request without credential. */
export const anonymousCaller: Caller = Object.freeze({
  actor: Object.freeze({ type: 'user', id: 'anonymous' }),
  credential: 'none',
  organizationId: null,
  credentialId: '',
  byCookie: false,
})

/** What an authenticator works with. */
export interface AuthenticatorOptions {
  readonly connectionToken: string
  /** Browser sessions opened with a one-time code. */
  readonly findSession: FindSession
  /** Name of the session cookie; default `cairn.session_token`. */
  readonly cookieName?: string
  /** Accounts; asked for everything that is not the host's own. Default: none. */
  readonly identities?: () => IdentityProvider
}

/**
 * Makes the authenticator of a host: the connection token acts as the local owner, and so does a browser session opened
 * with a one-time code; other credentials belong to accounts. First presented credential wins, in the order of D-27.
 * @source D-27, D-29
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const identities = options.identities ?? (() => noIdentities)
  const cookieName = options.cookieName ?? sessionCookieName(defaultCookies)
  const tokenDigest = hash('sha256', options.connectionToken, 'buffer')
  const owner: Caller = Object.freeze({
    actor: localOwner,
    credential: 'connection-token',
    organizationId: null,
    credentialId: 'connection-token',
    byCookie: false,
  })
  /** A credential of the host itself acts in the organization the owner works in. */
  const inOrganization = (caller: Caller): Caller => {
    const organizationId = identities().ownerOrganization?.() ?? null
    return organizationId === null ? caller : { ...caller, organizationId }
  }
  const isToken = (text: string): boolean => timingSafeEqual(hash('sha256', text, 'buffer'), tokenDigest)
  // What a connection has proved once need not be proved again: comparing with it can only tell the connection what
  // it sent itself.
  const proved = new WeakMap<Socket, string>()

  return ({ headers, socket }, beyondLoopback = false) => {
    const authorization = headers.authorization
    if (authorization !== undefined) {
      if (!beyondLoopback && proved.get(socket) === authorization) return inOrganization(owner)
      if (authorization.startsWith('Bearer ') || /^bearer /i.test(authorization)) {
        const text = authorization.slice(7).trim()
        if (beyondLoopback || !isToken(text)) return identities().byBearer(text) ?? 'invalid'
        proved.set(socket, authorization)
        return inOrganization(owner)
      }
      if (/^apikey /i.test(authorization)) return identities().byApiKey(authorization.slice(7).trim()) ?? 'invalid'
      // Other schemes are not ours.
      return 'invalid'
    }
    const key = headers['x-api-key']
    if (key !== undefined) return (typeof key === 'string' ? identities().byApiKey(key) : null) ?? 'invalid'
    if (headers.cookie === undefined) return anonymousCaller
    const token = readCookie(headers.cookie, cookieName)
    const session = token === null || beyondLoopback ? null : options.findSession(token)
    if (session !== null) {
      const { actor, id } = session
      const caller = {
        actor,
        credential: 'console-session',
        organizationId: null,
        credentialId: id,
        byCookie: true,
      } as const
      return inOrganization(caller)
    }
    const caller = identities().byCookie(headers.cookie)
    if (caller === undefined) return token === null ? anonymousCaller : 'invalid'
    return caller ?? 'invalid'
  }
}

/** The value of one cookie; null when absent. */
export function readCookie(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const equals = part.indexOf('=')
    if (equals !== -1 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return null
}

/** Makes the check of one request; what holds on loopback only does not hold for a request from beyond. */
export function credentialCheck(
  authenticate: Authenticate,
  request: CredentialSource,
  beyondLoopback: boolean,
): CredentialCheck {
  const { socket } = request
  const { authorization, cookie } = request.headers
  const key = request.headers['x-api-key']
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...(cookie === undefined ? {} : { cookie }),
  }
  const holding = (source: CredentialSource): Caller | null => {
    const caller = authenticate(source, beyondLoopback)
    return caller === 'invalid' || caller.credential === 'none' ? null : caller
  }
  return {
    recheck: () => holding({ headers, socket }),
    ofToken: (token) => holding({ headers: { authorization: `Bearer ${token}` }, socket }),
  }
}
