// Owns the request of another application to sign somebody in, as the host hands it to the sign-in and consent pages in
// the address. Leads back to the host's own path and nowhere else; whether the application may be led back to is the
// host's to judge.
import { pagePrefix } from '../../lib/bridge.ts'

/** A request of an application. */
export interface AuthorizeRequest {
  clientId: string
  scopes: readonly string[]
  /** Where the application wants the person led back to, as a name people know; '' for none. */
  returnsTo: string
  /** Whether it wants the person to prove anew who they are, however they are signed in. */
  asksToSignIn: boolean
  /** When the host signed the request, in ms. */
  issuedAt: number
  /** The query as the host signed it. */
  signed: string
}

/** What the host added to the request of the application. */
const addedByHost = ['sig', 'exp', 'ba_iat', 'ba_param', 'ba_pl']
/** What a person has done by signing in. */
const doneBySignIn = new Set(['login', 'create', 'select_account'])

/** Reads the request in a query; undefined when there is none. */
export function readAuthorizeRequest(search: string): AuthorizeRequest | undefined {
  const query = new URLSearchParams(search)
  const clientId = query.get('client_id')
  if (clientId === null || clientId === '' || query.get('sig') === null) return undefined
  const prompts = wordsOf(query.get('prompt'))
  return {
    clientId,
    scopes: wordsOf(query.get('scope')),
    returnsTo: placeOf(query.get('redirect_uri')),
    asksToSignIn: query.has('max_age') || prompts.some((prompt) => doneBySignIn.has(prompt)),
    issuedAt: Number(query.get('ba_iat')) || 0,
    signed: query.toString(),
  }
}

/** The path of the host that goes on with a request whose person is signed in. */
export function continuePath(request: AuthorizeRequest): string {
  return pathOf(request, [])
}

/** The path of the host that begins a request anew, with the choice of another account. */
export function otherAccountPath(request: AuthorizeRequest): string {
  return pathOf(request, ['login'])
}

function pathOf(request: AuthorizeRequest, further: readonly string[]): string {
  const query = new URLSearchParams(request.signed)
  for (const name of [...addedByHost, 'max_age']) query.delete(name)
  const prompts = [...further, ...wordsOf(query.get('prompt')).filter((prompt) => !doneBySignIn.has(prompt))]
  if (prompts.length > 0) query.set('prompt', prompts.join(' '))
  else query.delete('prompt')
  return `${pagePrefix()}/auth/oauth2/authorize?${query.toString()}`
}

function wordsOf(text: string | null): string[] {
  return (text ?? '').split(' ').filter((word) => word !== '')
}

function placeOf(address: string | null): string {
  try {
    const url = new URL(address ?? '')
    return url.host === '' ? url.protocol.replace(/:$/, '') : url.host
  } catch {
    return '' // no address: the host will say so
  }
}
