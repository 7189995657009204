// What a request must be before anything else looks at it: host, origin, size, content type. Pure checks over the raw
// request, used for HTTP, the application shell and upgrades alike. Knows no route and no credential.
import type { IncomingMessage } from 'node:http'
import { anyType } from '#shared/route.ts'
import { platformError } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import { parseJsonBody } from '#main/kernel/json-body.ts'
import type { Authorities } from './authority.ts'
import { baseHeaders } from './headers.ts'

/** Longest request target in bytes (D-199). */
export const maxUrlBytes = 16 * 1024

/** Largest header block in bytes; above the URL limit so that a long URL still gets a proper answer. */
export const maxHeaderBytes = 32 * 1024

/** The parts of a request the guards read. */
export type GuardedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>

/**
 * The checks of one server. They are a value so that a safety twin can switch one off and prove that its test notices;
 * nothing outside the code can: no header, setting or environment variable reaches them.
 */
export interface Guards {
  host(request: GuardedRequest, authorities: Authorities): PlatformError | null
  origin(request: GuardedRequest, authorities: Authorities, isEntry?: boolean): PlatformError | null
  url(request: GuardedRequest): PlatformError | null
  mediaType(request: GuardedRequest, accepted: ReadonlySet<string>): PlatformError | null
  cookieWrite(request: GuardedRequest, authorities: Authorities): PlatformError | null
  /** Whether routes that are not public refuse a caller without credential. */
  readonly credential: boolean
  /** Whether an origin that may call is told so by CORS headers. */
  cors(origin: string, authorities: Authorities): boolean
  /** Turns the bytes of a JSON body into a value, within its limits. */
  parseBody(bytes: Buffer): unknown
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>
}

/** Every guard, as a server runs them. */
export const allGuards: Guards = Object.freeze<Guards>({
  host: checkHost,
  origin: checkOrigin,
  url: checkUrl,
  mediaType: checkMediaType,
  cookieWrite: checkCookieWrite,
  credential: true,
  cors: (origin, authorities) => authorities.corsOrigins.has(origin),
  parseBody: parseJsonBody,
  headers: baseHeaders,
})

/**
 * Refuses a request whose `Host` is not exactly one of ours, is missing or given twice, or whose target is in absolute
 * form (that form would override the header).
 * @source D-31; RFC 9112 section 3.2.2
 */
export function checkHost(request: GuardedRequest, authorities: Authorities): PlatformError | null {
  const host = request.headers.host
  if (host === undefined || !authorities.hosts.has(host)) return platformError('origin_forbidden', { reason: 'host' })
  if (request.url?.charCodeAt(0) !== 47) return platformError('origin_forbidden', { reason: 'target_form' })
  // Node keeps the first of two Host headers; a proxy before us may have used the second.
  let seen = 0
  const raw = request.rawHeaders
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') seen += 1
  }
  return seen === 1 ? null : platformError('origin_forbidden', { reason: 'host' })
}

/**
 * Refuses a request that a page of a foreign origin caused: an `Origin` that is not ours, or fetch metadata that says
 * so where no Origin is sent. Cookies ignore ports, so for writes another program on this machine ("same-site") is foreign.
 * A person whom another site leads to an entry (a whole page, by a read, without Origin) is let through: nothing of the
 * answer reaches that site.
 * @source D-31
 */
export function checkOrigin(
  request: GuardedRequest,
  authorities: Authorities,
  isEntry: boolean = false,
): PlatformError | null {
  const origin = request.headers.origin
  if (origin !== undefined) {
    return authorities.origins.has(origin) ? null : platformError('origin_forbidden', { reason: 'origin' })
  }
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'none' || site === 'same-origin') return null
  if (site === 'same-site' && isReadMethod(request.method)) return null
  if (isEntry && request.method === 'GET' && isWholePage(request)) return null
  return platformError('origin_forbidden', { reason: 'fetch_site' })
}

function isWholePage({ headers }: GuardedRequest): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/** Refuses a request target over 16 KB or one with a broken percent-encoding. */
export function checkUrl(request: GuardedRequest): PlatformError | null {
  const url = request.url ?? ''
  if (url.length > maxUrlBytes)
    return platformError('validation_error', { reason: 'url_too_long', limitBytes: maxUrlBytes })
  if (url.includes('%') && !hasSoundPercentEncoding(url)) {
    return platformError('validation_error', { reason: 'percent_encoding' })
  }
  return null
}

/**
 * Refuses a body whose content type the route does not take, or that has none. A request without body passes whatever
 * it says, except that a type only browsers send by themselves (forms, text) is refused even when the body is empty.
 * @source D-02
 */
export function checkMediaType(request: GuardedRequest, accepted: ReadonlySet<string>): PlatformError | null {
  if (isReadMethod(request.method)) return null
  const headers = request.headers
  const header = headers['content-type']
  // The parser takes what ends in "chunked" and leaves the codings before it to us: we have none.
  const coding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked'
  if (coding !== 'chunked') return unsupported(`transfer-encoding ${coding}`, accepted)
  if (header === 'application/json' && headers['content-encoding'] === undefined && accepted.has(header)) return null
  const takesAny = accepted.has(anyType)
  if (header === undefined) {
    const length = headers['content-length']
    const empty = headers['transfer-encoding'] === undefined && (length === undefined || length === '0')
    return empty || takesAny ? null : unsupported('none', accepted)
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return unsupported(`content-encoding ${encoding}`, accepted)
  if (takesAny) return null
  const { type, charset } = parseMediaType(header)
  if (!accepted.has(type) || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) {
    return unsupported(header, accepted)
  }
  return null
}

/**
 * Refuses a write that only a cookie authorises unless a page of ours must have sent it: an allowed `Origin`, and a
 * JSON content type or `X-Requested-With`, which no foreign form can add. Holds for empty bodies too.
 * @source D-31
 */
export function checkCookieWrite(request: GuardedRequest, authorities: Authorities): PlatformError | null {
  const headers = request.headers
  const deliberate =
    headers['x-requested-with'] !== undefined ||
    (headers['content-type'] !== undefined && parseMediaType(headers['content-type']).type === 'application/json')
  if (headers.origin !== undefined && authorities.origins.has(headers.origin) && deliberate) return null
  return platformError('origin_forbidden', { reason: 'cookie_write' })
}

/** The guards of a WebSocket upgrade: host, origin and URL; an upgrade must say where it comes from like a write. */
export function guardUpgrade(request: GuardedRequest, authorities: Authorities, guards: Guards): PlatformError | null {
  return guards.host(request, authorities) ?? guards.origin(request, authorities) ?? guards.url(request)
}

/** Whether the method may never change anything. */
export function isReadMethod(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** Media type and charset of a Content-Type header, in lower case. */
export function parseMediaType(header: string): { type: string; charset: string | undefined } {
  const semicolon = header.indexOf(';')
  if (semicolon === -1) return { type: header.trim().toLowerCase(), charset: undefined }
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(header)?.[1]?.toLowerCase()
  return { type: header.slice(0, semicolon).trim().toLowerCase(), charset }
}

function unsupported(contentType: string, accepted: ReadonlySet<string>): PlatformError {
  return platformError('unsupported_media_type', { contentType: contentType.slice(0, 100), accepted: [...accepted] })
}

/**
 * Whether a request is to become a socket; any other upgrade is offered by the client and need not be taken: the request is
 * answered as if it had none.
 * @source RFC 9110 section 7.8
 */
export function isSocketUpgrade({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

function hasSoundPercentEncoding(url: string): boolean {
  try {
    // The text is looked at: a bundler takes the call alone for one without effect, and leaves it out.
    return decodeURIComponent(url) !== ''
  } catch {
    // decodeURIComponent has one failure: a broken escape or escapes that are no UTF-8.
    return false
  }
}
