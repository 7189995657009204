// Says why a presented credential does not hold: a key that is none, a session that has ended, or anything else. Asked
// on the way out only. Knows no route.
import type { IncomingHttpHeaders } from 'node:http'
import type { PlatformError } from '#shared/errors.ts'
import { platformError } from '#shared/errors.ts'
import type { IdentityProvider } from '#main/kernel/identity.ts'

/** The refusal of a request whose credential was judged `invalid`. */
export type RefuseCredential = (headers: IncomingHttpHeaders) => PlatformError

/** How an API key begins, whichever header carries it. */
const keyMark = 'cairn_'

/**
 * Makes the refusals; the credential looked at is the one the authenticator looked at.
 * @source D-23, D-27
 */
export function createCredentialRefusal(identities: () => IdentityProvider): RefuseCredential {
  return (headers) => {
    const { authorization, cookie } = headers
    const refusal = (code: 'unauthenticated' | 'api_key_invalid' | 'session_expired'): PlatformError =>
      platformError(code, { reason: 'credential_invalid' })
    if (authorization === undefined && headers['x-api-key'] !== undefined) return refusal('api_key_invalid')
    if (authorization !== undefined) {
      if (/^apikey /i.test(authorization)) return refusal('api_key_invalid')
      if (!/^bearer /i.test(authorization)) return refusal('unauthenticated')
      const bearer = authorization.slice(7).trim()
      if (bearer.startsWith(keyMark)) return refusal('api_key_invalid')
      return refusal(identities().hasEnded?.({ bearer }) === true ? 'session_expired' : 'unauthenticated')
    }
    const ended = cookie !== undefined && identities().hasEnded?.({ cookie }) === true
    return refusal(ended ? 'session_expired' : 'unauthenticated')
  }
}
