// The load generator: HTTP/1.1 over keep-alive sockets in a closed loop, one request in flight per connection. Plain
// sockets, so that the client costs a small part of what a server does on the same machine. Knows no server.
import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** One request, already complete as bytes on the wire. */
export interface WireRequest {
  readonly bytes: string
  /** The status that counts as success. */
  readonly status: number
}

/** Makes the n-th request of a run. */
export type RequestSource = (index: number) => WireRequest

/** What one run measured. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** Answered requests per second. */
  readonly rate: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** When a run ends: after a time, after a number of requests, or when something else has happened. */
export type LoadEnd = { readonly ms: number } | { readonly requests: number } | { readonly until: () => boolean }

/** Writes a request of HTTP/1.1; a body is sent as JSON unless `contentType` says otherwise. */
export function wireRequest(options: {
  method: string
  path: string
  port: number
  headers?: Readonly<Record<string, string>>
  body?: string
  contentType?: string
}): string {
  const lines = [`${options.method} ${options.path} HTTP/1.1`, `host: 127.0.0.1:${options.port}`]
  for (const [name, value] of Object.entries(options.headers ?? {})) lines.push(`${name}: ${value}`)
  if (options.body !== undefined) {
    lines.push(`content-type: ${options.contentType ?? 'application/json'}`)
    lines.push(`content-length: ${Buffer.byteLength(options.body)}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n${options.body ?? ''}`
}

/** A complete answer. */
export interface WireResponse {
  readonly status: number
  readonly body: Buffer
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * Takes one complete answer from the front of the bytes read so far; undefined while more is to come.
 * @throws Error when the bytes are no answer with a Content-Length or chunks
 */
export function takeResponse(bytes: Buffer): { response: WireResponse; rest: Buffer } | undefined {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  if (!head.startsWith('HTTP/1.1 ') || !(status >= 100)) throw new Error(`not an HTTP answer: ${head.slice(0, 60)}`)
  const start = end + 4
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)
  if (length) {
    const stop = start + Number(length[1])
    if (bytes.length < stop) return undefined
    return { response: { status, body: bytes.subarray(start, stop) }, rest: bytes.subarray(stop) }
  }
  if (status === 204 || status === 304) {
    return { response: { status, body: Buffer.alloc(0) }, rest: bytes.subarray(start) }
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error('an answer without length')
  const parts: Buffer[] = []
  let at = start
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const stop = lineEnd + 2 + size + 2
    if (bytes.length < stop) return undefined
    if (size === 0) return { response: { status, body: Buffer.concat(parts) }, rest: bytes.subarray(stop) }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = stop
  }
}

/** A keep-alive connection that carries one request at a time. */
export interface Wire {
  /** Whether a request may still be sent over it. */
  readonly isOpen: boolean
  send(bytes: string): Promise<WireResponse>
  close(): void
}

/** Opens a connection to a port of this machine. @throws Error when nothing listens there */
export async function openWire(port: number): Promise<Wire> {
  const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let pending: { resolve: (response: WireResponse) => void; reject: (error: Error) => void } | undefined
  let chunks: Buffer[] = []
  const fail = (error: Error): void => {
    pending?.reject(error)
    pending = undefined
  }
  socket.on('error', fail)
  socket.on('close', () => {
    fail(new Error('the server closed the connection'))
  })
  socket.on('data', (chunk: Buffer) => {
    try {
      chunks.push(chunk)
      const taken = takeResponse(chunks.length === 1 ? chunk : Buffer.concat(chunks))
      if (!taken) return
      chunks = taken.rest.length > 0 ? [taken.rest] : []
      const waiting = pending
      pending = undefined
      waiting?.resolve(taken.response)
    } catch (error) {
      fail(error as Error)
      socket.destroy()
    }
  })
  return {
    get isOpen() {
      return !socket.destroyed && socket.writable
    },
    send: (bytes) =>
      new Promise((resolve, reject) => {
        if (pending) throw new Error('one request at a time')
        if (socket.destroyed) throw new Error('the server closed the connection')
        pending = { resolve, reject }
        socket.write(bytes)
      }),
    close: () => {
      socket.destroy()
    },
  }
}

/** The value below which a share of the sorted times lies. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/**
 * Runs a closed loop over `connections` connections and measures every request.
 * @throws Error with status and body at the first answer of another status than the request expects
 */
export async function runLoad(
  port: number,
  connections: number,
  end: LoadEnd,
  source: RequestSource,
  firstIndex = 0,
): Promise<LoadResult> {
  const wires = await Promise.all(Array.from({ length: connections }, () => openWire(port)))
  const times: number[] = []
  let next = 0
  const startedAt = performance.now()
  const more = (): boolean => {
    if ('until' in end) return !end.until()
    return 'ms' in end ? performance.now() - startedAt < end.ms : next < end.requests
  }
  try {
    await Promise.all(
      wires.map(async (wire) => {
        while (more()) {
          const request = source(firstIndex + next++)
          const sentAt = performance.now()
          const response = await wire.send(request.bytes)
          times.push(performance.now() - sentAt)
          if (response.status !== request.status) {
            const shown = response.body.toString('utf8', 0, 400)
            throw new Error(`${request.bytes.split('\r\n', 1)[0]!} answered ${response.status}: ${shown}`)
          }
        }
      }),
    )
  } finally {
    for (const wire of wires) wire.close()
  }
  const seconds = (performance.now() - startedAt) / 1_000
  times.sort((a, b) => a - b)
  return {
    requests: times.length,
    seconds,
    rate: times.length / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  }
}
