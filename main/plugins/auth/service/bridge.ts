// Hands a call to the library and its answer back: builds the request, lets only a proved session reach it, copies
// cookies and redirects. Knows no route by name.
import { platformError } from '#shared/errors.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { Reply } from '#main/kernel/reply.ts'
import { inNameOf } from './calling.ts'
import type { Library } from './library.ts'
import type { PasswordLimits } from './library-errors.ts'
import { libraryError } from './library-errors.ts'
import type { SessionLookup } from './session-lookup.ts'

/** Headers of a request, in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** One call of the library. */
export interface LibraryCall {
  readonly method: 'GET' | 'POST'
  /** Below the routes of auth, with its leading slash. */
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  /** The body as it came, of a form. */
  readonly form?: Buffer
  readonly headers: RequestHeaders
  /** A client of the provider role proves itself in the Authorization header. Elsewhere the library never sees that header. */
  readonly byClient?: boolean
}

/** What the library answered. */
export interface LibraryAnswer {
  readonly status: number
  readonly body: unknown
  readonly location: string | null
  /** Headers to hand on. */
  readonly headers: Record<string, string | readonly string[]>
}

/** The way to the library. */
export interface Bridge {
  /** Calls, and answers refusals as they are. */
  ask(ctx: RequestContext, call: LibraryCall): Promise<LibraryAnswer>
  /** Calls. @throws the platform's error for a refusal */
  call(ctx: RequestContext, call: LibraryCall): Promise<LibraryAnswer>
  /** The token of the session in use; null when the caller has none. */
  sessionToken(ctx: RequestContext, headers: RequestHeaders): string | null
  /** The token of the session the library sees, which a credential of the host has too. @throws permission_denied */
  provedToken(ctx: RequestContext, headers: RequestHeaders): Promise<string | null>
}

/** What the bridge works with. */
export interface BridgeParts {
  readonly library: () => Promise<Library>
  readonly lookup: SessionLookup
  readonly limits: PasswordLimits
  readonly baseUrl: () => string
  /** Path of the routes of auth. */
  readonly basePath: string
  readonly cookieName: string
  /** Start of the names of all cookies of the library. */
  readonly cookiePrefix: string
  /** A session in which the local owner acts who came with a credential of the host itself. */
  readonly ownerSession: () => Promise<string>
}

const handedOn = ['set-auth-token', 'location', 'www-authenticate'] as const

/** Makes the bridge. */
export function createBridge(parts: BridgeParts): Bridge {
  const { lookup, cookieName } = parts

  const sessionToken = (ctx: RequestContext, headers: RequestHeaders): string | null => {
    if (ctx.credential !== 'session') return null
    const { authorization, cookie } = headers
    if (authorization !== undefined) return lookup.tokenOfBearer(authorization.slice(7).trim())
    return cookie === undefined ? null : (lookup.tokenOfCookie(cookie) ?? null)
  }

  /** The session the library is to see, which the host has proved before. */
  const proved = async (ctx: RequestContext, headers: RequestHeaders): Promise<string | null> => {
    if (ctx.credential === 'api-key') throw platformError('permission_denied', { reason: 'SESSION_REQUIRED' })
    const byHost = ctx.credential === 'connection-token' || ctx.credential === 'console-session'
    if (byHost && ctx.actor.id === localOwnerId) return parts.ownerSession()
    return sessionToken(ctx, headers)
  }

  const ask = async (ctx: RequestContext, call: LibraryCall): Promise<LibraryAnswer> => {
    const token = await proved(ctx, call.headers)
    const cookies = ownCookies(call.headers['cookie'], parts.cookiePrefix).filter(
      (pair) => !pair.startsWith(`${cookieName}=`),
    )
    if (token !== null) cookies.push(`${cookieName}=${lookup.sign(token)}`)
    const base = parts.baseUrl()
    const headers = new Headers({ origin: base })
    if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
    const agent = call.headers['user-agent']
    if (agent !== undefined) headers.set('user-agent', agent.slice(0, 300))
    // Sessions never pass as they came: what the host does not take for one must not be one to the library (C6).
    const authorization = call.headers['authorization']
    if (authorization !== undefined && call.byClient === true && ctx.credential === 'none')
      headers.set('authorization', authorization)
    const init: RequestInit = { method: call.method, headers }
    if (call.form !== undefined) {
      headers.set('content-type', 'application/x-www-form-urlencoded')
      init.body = new Uint8Array(call.form)
    } else if (call.method === 'POST') {
      headers.set('content-type', 'application/json')
      init.body = JSON.stringify(withAddresses(call.body ?? {}))
    }
    const library = await parts.library()
    const request = new Request(
      `${base}${parts.basePath}${call.path}${queryText(withAddresses(call.query ?? {}))}`,
      init,
    )
    const answer = await answerOf(await inNameOf(ctx, () => library.handle(request)))
    const own = ctx.credential === 'session' ? answer : withoutToken(answer, token)
    return withNewToken(withoutEndedToken(own), token)
  }

  /** The session of the host itself is no credential of anybody: it takes the place of no other one. */
  const withoutToken = (answer: LibraryAnswer, token: string | null): LibraryAnswer => {
    if (token === null) return answer
    const { 'set-auth-token': signed, 'set-cookie': cookies, ...rest } = answer.headers
    const isOther = (pair: string): boolean =>
      !pair.startsWith(`${cookieName}=`) || lookup.tokenOfCookie(pair.split(';', 1)[0]!) !== token
    const kept = Array.isArray(cookies) ? (cookies as string[]).filter(isOther) : []
    const isOtherToken = typeof signed === 'string' && lookup.tokenOfBearer(signed) !== token
    return {
      ...answer,
      headers: {
        ...rest,
        ...(isOtherToken ? { 'set-auth-token': signed } : {}),
        ...(kept.length === 0 ? {} : { 'set-cookie': kept }),
      },
    }
  }

  /**
   * A body names the session that counts from now on: where the library has replaced the caller's, it repeats the old one
   * or says nothing, and who reads bodies only would be signed out.
   */
  const withNewToken = (answer: LibraryAnswer, before: string | null): LibraryAnswer => {
    const { body, headers } = answer
    const signed = headers['set-auth-token']
    const token = typeof signed === 'string' ? lookup.tokenOfBearer(signed) : null
    if (token === null || token === before || typeof body !== 'object' || body === null) return answer
    const names = 'token' in body ? body.token !== null : before !== null
    return names ? { ...answer, body: { ...body, token } } : answer
  }

  return {
    ask,
    sessionToken,
    provedToken: proved,
    async call(ctx, call) {
      const answer = await ask(ctx, call)
      if (answer.status >= 400) throw libraryError(answer.status, answer.body, parts.limits, passwordFieldOf(call.body))
      return answer
    },
  }
}

/** Where a new password stands in a body: beside the old one, or in the place of one. */
function passwordFieldOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'newPassword' in body ? 'newPassword' : 'password'
}

/** The answer as a handler returns it; a redirect keeps its status. */
export function replyOf(answer: LibraryAnswer, body: unknown = answer.body): Reply<never> {
  const isRedirect = answer.status >= 300 && answer.status < 400
  return new Reply((isRedirect ? {} : body) as never, {
    ...(isRedirect ? { status: answer.status } : {}),
    headers: answer.headers,
  })
}

/** The session a password opened has ended again where a second factor is due; clients keep any token they are sent. */
function withoutEndedToken(answer: LibraryAnswer): LibraryAnswer {
  const { body, headers } = answer
  const isDue = typeof body === 'object' && body !== null && 'twoFactorRedirect' in body
  if (!isDue || body.twoFactorRedirect !== true) return answer
  const { 'set-auth-token': _ended, ...kept } = headers
  return { ...answer, headers: kept }
}

async function answerOf(response: Response): Promise<LibraryAnswer> {
  const headers: Record<string, string | readonly string[]> = { 'cache-control': 'no-store' }
  for (const name of handedOn) {
    const value = response.headers.get(name)
    if (value !== null) headers[name] = value
  }
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  const text = await response.text()
  return { status: response.status, body: parse(text), location: response.headers.get('location'), headers }
}

function parse(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    // The library answers a few refusals as plain text.
    return { message: text.slice(0, 200) }
  }
}

function ownCookies(header: string | undefined, prefix: string): string[] {
  return (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
}

/** What a request may name to be led back to. */
const addresses: ReadonlySet<string> = new Set(['callbackURL', 'errorCallbackURL', 'newUserCallbackURL', 'redirectTo'])

/** An address as a header can carry it: the library leads there with what it was given. */
export function headerAddress(text: string): string {
  return text.toWellFormed().replaceAll(/[^\u0000-\u007F]+/gu, encodeURIComponent)
}

function withAddresses(given: object): Readonly<Record<string, unknown>> {
  const written = Object.entries(given).map(([name, value]: [string, unknown]) =>
    addresses.has(name) && typeof value === 'string' ? [name, headerAddress(value)] : [name, value],
  )
  return Object.fromEntries(written) as Readonly<Record<string, unknown>>
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean') text.append(name, String(one))
  }
  const joined = text.toString()
  return joined === '' ? '' : `?${joined}`
}
