// Requests over a bare socket: targets and headers arrive byte for byte as written, which no client with a URL parser
// allows. Knows no route.
import { connect } from 'node:net'

/** An answer as it came; status 0 when the connection ended before one. */
export interface BareAnswer {
  readonly status: number
  /** Header block in lower case, for a search. */
  readonly head: string
  readonly body: string
}

/**
 * Sends one request without body to a port on loopback and reads until the connection ends.
 * @param target Latin-1 text, one byte per character
 */
export function sendBare(
  port: number,
  target: string,
  {
    method = 'GET',
    connection = 'close',
    headers = [],
  }: { readonly method?: string; readonly connection?: string; readonly headers?: readonly string[] } = {},
): Promise<BareAnswer> {
  const length = method === 'POST' ? ['Content-Length: 0'] : []
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Connection: ${connection}`,
    ...length,
    ...headers,
  ]
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A broken connection is told by the status 0.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const [head = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n')
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
      resolve({ status, head: head.toLowerCase(), body: rest.join('\r\n\r\n') })
    })
    socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))
  })
}
