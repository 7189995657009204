// Calls of the identity checks: from an address of the loopback network, with headers that pretend another one, as JSON or
// as a form. Knows no route and no promise.
import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AuthHost } from '../support/auth-host.ts'

/** An answer; `code` is that of the error body, or of an OAuth error. */
export interface IdentityAnswer {
  readonly status: number
  readonly code: string
  // oxlint-disable-next-line no-explicit-any -- checks reach into bodies freely
  readonly body: any
  readonly headers: IncomingHttpHeaders
}

/** What is sent. Paths are below `/api/v1` unless they begin with `/api`, `/_console`, `/.well-known` or a health check. */
export interface IdentityRequest {
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
  /** The last number of the caller's address, 127.0.0.x; where a system has one loopback address only, it is that. */
  readonly from?: number
}

/** Headers in which proxies name an address; each call another one. */
export function pretendedAddress(index: number): Record<string, string> {
  const address = `10.${(index >> 8) % 256}.${index % 256}.7`
  return {
    'x-forwarded-for': `${address}, 127.0.0.1`,
    forwarded: `for=${address};proto=https`,
    'x-real-ip': address,
    'x-client-ip': address,
    'cf-connecting-ip': address,
    'true-client-ip': address,
    'x-cluster-client-ip': address,
    'fastly-client-ip': address,
  }
}

/** Sends one request. @throws Error when the connection breaks */
export function send(
  host: AuthHost,
  method: string,
  path: string,
  given: IdentityRequest = {},
): Promise<IdentityAnswer> {
  const full = /^\/(api\/|_console|\.well-known|healthz|readyz|$)/.test(path) ? path : `/api/v1${path}`
  const text = given.form === undefined ? JSON.stringify(given.body) : new URLSearchParams(given.form).toString()
  const type = given.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const hasBody = given.form !== undefined || given.body !== undefined
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: host.host.port,
        method,
        path: full,
        agent: false,
        headers: {
          host: `127.0.0.1:${host.host.port}`,
          ...(hasBody ? { 'content-type': type, 'content-length': Buffer.byteLength(text) } : {}),
          ...(given.token === undefined ? {} : { authorization: `Bearer ${given.token}` }),
          ...given.headers,
        },
        ...(given.from === undefined || process.platform !== 'linux' ? {} : { localAddress: `127.0.0.${given.from}` }),
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const body = parse(Buffer.concat(chunks).toString())
          resolve({ status: incoming.statusCode ?? 0, code: codeOf(body), body, headers: incoming.headers })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(hasBody ? text : undefined)
  })
}

/** Sends many at once, each made from its number. */
export function sendMany<T>(count: number, one: (index: number) => Promise<T>, first = 0): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_none, index) => one(first + index)))
}

/** What a browser keeps of the cookies of an answer. */
export function cookiesOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const kept = (headers['set-cookie'] ?? []).filter((cookie) => !/Max-Age=0/i.test(cookie))
  return kept.map((cookie) => cookie.split(';')[0]!).join('; ')
}

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    // A page or a file; checks that look into bodies see text.
    return text
  }
}

function codeOf(body: unknown): string {
  const error = typeof body === 'object' && body !== null ? (body as { error?: unknown }).error : undefined
  if (typeof error === 'string') return error
  return (error as { code?: string } | undefined)?.code ?? ''
}
