// Judges the credential of a request again later, and bare tokens that came with it. Keeps the headers that carry
// credentials and nothing else of the request. Knows no route.
import type { Caller } from '#main/kernel/identity.ts'
import type { CredentialCheck } from '#main/kernel/sockets.ts'
import type { Authenticate, CredentialSource } from './authenticate.ts'

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
