// Fetches a small document of a certificate authority. No redirects, no more bytes and no more time than given.

/** What to ask for. */
export interface BytesRequest {
  /** Absent: GET. */
  readonly body?: Uint8Array
  readonly contentType?: string
  readonly limitBytes: number
  readonly timeoutMs: number
}

/**
 * Answers the body of a 200.
 * @throws Error with a sentence for the log: another status, too many bytes, too late, no connection
 */
export function fetchBytes(address: string, options: BytesRequest): Promise<Buffer> {
  // As a module it would load the fetch implementation too, which every start would pay for.
  const { request } = process.getBuiltinModule(address.startsWith('https:') ? 'node:https' : 'node:http')
  return new Promise((resolve, reject) => {
    const { body, contentType, limitBytes } = options
    const outgoing = request(
      address,
      {
        method: body === undefined ? 'GET' : 'POST',
        headers: body === undefined ? {} : { 'content-type': contentType ?? '', 'content-length': body.length },
        agent: false,
        signal: AbortSignal.timeout(options.timeoutMs),
      },
      (incoming) => {
        const chunks: Buffer[] = []
        let size = 0
        if (incoming.statusCode !== 200) {
          outgoing.destroy(new Error(`${address} answered ${incoming.statusCode}.`))
          return
        }
        incoming.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > limitBytes) outgoing.destroy(new Error(`${address} answered more than ${limitBytes} bytes.`))
          else chunks.push(chunk)
        })
        incoming.on('end', () => resolve(Buffer.concat(chunks)))
        incoming.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
