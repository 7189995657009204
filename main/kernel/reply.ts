// What a handler returns when a plain body is not enough: status, headers, a stream. Knows no server.
import type { Readable } from 'node:stream'

/** A body with status and headers of its own. */
export class Reply<T> {
  readonly body: T
  readonly status: number | undefined
  /** A list stands for a header that is sent several times, as Set-Cookie may be. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>

  constructor(body: T, options: { status?: number; headers?: Record<string, string | readonly string[]> } = {}) {
    this.body = body
    this.status = options.status
    this.headers = options.headers ?? {}
  }
}

/** Bytes to send as they are, with their content type. */
export class ByteStream {
  readonly stream: Readable | Buffer | string
  readonly contentType: string

  constructor(stream: Readable | Buffer | string, contentType: string) {
    this.stream = stream
    this.contentType = contentType
  }
}

/** A JSON text that is already serialised; the host sends it without another pass. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
