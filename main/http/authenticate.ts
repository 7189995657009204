// Who is calling: reads the credential of a request. Holds digests only, never a credential. Knows no route.
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Actor } from '#shared/events.ts'
import type { CredentialKind } from '#main/kernel/context.ts'
import { localOwner } from '#main/kernel/context.ts'

/** A caller with a valid credential, or nobody in particular (`kind` none). */
export interface Caller {
  readonly actor: Actor
  readonly credential: CredentialKind
  readonly organizationId: string | null
  /** Names the credential in rate buckets and idempotency keys without revealing it; '' for an anonymous caller. */
  readonly credentialId: string
}

/** The parts of a request a credential is read from. */
export interface CredentialSource {
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
}

/** Answers the caller of a request; `invalid` when a credential was presented that does not hold. */
export type Authenticate = (request: CredentialSource) => Caller | 'invalid'

/** Finds the session a cookie names; null when there is none or it has ended. */
export type FindSession = (token: string) => { id: string; actor: Actor } | null

/** Name of the session cookie (D-27). */
export const sessionCookie = 'cairn.session_token'

/** The caller of a request without credential. */
export const anonymousCaller: Caller = Object.freeze({
  actor: Object.freeze({ type: 'user', id: 'anonymous' }),
  credential: 'none',
  organizationId: null,
  credentialId: '',
})

/**
 * Makes the authenticator of a host without accounts: the connection token acts as the local owner, and so does a
 * browser session opened with a one-time code. First presented credential wins, in the order of D-27.
 * @source D-27, D-29
 */
export function createAuthenticator(options: { connectionToken: string; findSession: FindSession }): Authenticate {
  const tokenDigest = hash('sha256', options.connectionToken, 'buffer')
  const owner: Caller = Object.freeze({
    actor: localOwner,
    credential: 'connection-token',
    organizationId: null,
    credentialId: 'connection-token',
  })
  const isToken = (text: string): boolean => timingSafeEqual(hash('sha256', text, 'buffer'), tokenDigest)
  // What a connection has proved once need not be proved again: comparing with it can only tell the connection what
  // it sent itself.
  const proved = new WeakMap<Socket, string>()

  return ({ headers, socket }) => {
    const authorization = headers.authorization
    if (authorization !== undefined) {
      if (proved.get(socket) === authorization) return owner
      if (authorization.startsWith('Bearer ') || /^bearer /i.test(authorization)) {
        if (!isToken(authorization.slice(7).trim())) return 'invalid'
        proved.set(socket, authorization)
        return owner
      }
      // API keys arrive with accounts; until then none can be valid. Other schemes are not ours.
      return 'invalid'
    }
    if (headers['x-api-key'] !== undefined) return 'invalid'
    if (headers.cookie === undefined) return anonymousCaller
    const token = readCookie(headers.cookie, sessionCookie)
    if (token === null) return anonymousCaller
    const session = options.findSession(token)
    if (session === null) return 'invalid'
    return { actor: session.actor, credential: 'console-session', organizationId: null, credentialId: session.id }
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
