// One request over TLS to a listener under test, with exactly the headers and the client certificate a test wants.
import { request } from 'node:https'
import type { Agent } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'

/** What to send, and to whom. */
export interface TlsCall {
  readonly port: number
  readonly path?: string
  readonly method?: string
  /** Flat list of names and values; nothing is added but the length of a body. */
  readonly headers?: readonly string[]
  readonly body?: string
  /** The authority the listener's certificate must come from; absent: any. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly agent?: Agent
}

/** An answer; status 0 when the connection broke before one came. */
export interface TlsAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The code and the reason of an error body. */
  readonly code: string
  readonly reason: string
}

/** Sends it to 127.0.0.1. */
export function callTls(call: TlsCall): Promise<TlsAnswer> {
  const { body, ca, cert, key } = call
  return new Promise((resolve) => {
    const broken = (): void => resolve({ status: 0, headers: {}, text: '', code: '', reason: '' })
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: call.port,
        method: call.method ?? 'GET',
        path: call.path ?? '/healthz',
        headers: [
          ...(call.headers ?? []),
          ...(body === undefined && isRead(call.method)
            ? []
            : ['Content-Length', String(Buffer.byteLength(body ?? ''))]),
        ],
        setHost: false,
        timeout: 20_000,
        servername: 'cairn.example',
        ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
        ...(cert === undefined ? {} : { cert, key }),
        agent: call.agent ?? false,
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', broken)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, ...errorOf(text) })
        })
      },
    )
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', broken)
    outgoing.end(body)
  })
}

/** Without a length Node would announce a chunked body, which no browser does for an empty one. */
function isRead(method = 'GET'): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

function errorOf(text: string): { code: string; reason: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string; details?: { reason?: string } } }
    return { code: error?.code ?? '', reason: error?.details?.reason ?? '' }
  } catch {
    // Not JSON, so not an error body.
    return { code: '', reason: '' }
  }
}
