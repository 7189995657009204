// An answer written to a bare connection: for what Node's parser refused and for upgrades that are. Knows no route.
import type { Duplex } from 'node:stream'
import type { PlatformError } from '#shared/errors.ts'
import { errorBody, retryAfterOf } from './error-handler.ts'
import { baseHeaders, jsonType } from './headers.ts'

/** Sends an error in the shape of D-20 and ends the connection. */
export function answerBare(socket: Duplex, refusal: PlatformError, requestId: string): void {
  const body = JSON.stringify(errorBody(refusal, requestId))
  const retryAfter = retryAfterOf(refusal)
  const headers = {
    ...baseHeaders,
    'x-request-id': requestId,
    'content-type': jsonType,
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(body)),
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const { httpStatus } = refusal
  // Not imported: see running-host.ts.
  const { STATUS_CODES } = process.getBuiltinModule('node:http')
  socket.end(`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}\r\n${lines.join('')}\r\n${body}`)
}
