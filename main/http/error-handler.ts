// The one translator from anything thrown to the error of the protocol, used by HTTP and by every other surface, and its
// writing to a bare connection: for what Node's parser refused and for upgrades that are. Knows the codes of Fastify and
// SQLite by their text only.
import type { Socket } from 'node:net'
import type { ErrorBody } from '#shared/errors.ts'
import { PlatformError, errorObject, platformError, validationError } from '#shared/errors.ts'
import { diskFullError, isDiskFull } from '#main/kernel/disk-full.ts'
import type { Duplex } from 'node:stream'
import { maxHeaderBytes } from './guard.ts'
import { baseHeaders, jsonType } from './headers.ts'

/** The kind of credential that every 401 asks for. @source D-295 */
export const missingCredential = 'Bearer'

/** Seconds a client waits before it repeats a request that met a passing fault (D-24). */
const retryAfterSeconds = 1

/**
 * Answers the platform error behind a thrown value. Unforeseen ones become `internal_error` with the value as `cause`,
 * which is for the log alone.
 * @param limitBytes the body limit of the route, named when a body was too large
 * @source D-20, D-24
 */
export function translateError(thrown: unknown, limitBytes?: number): PlatformError {
  if (thrown instanceof PlatformError) return thrown
  if (isDiskFull(thrown)) return diskFullError(thrown)
  const code = codeOf(thrown)
  if (code.startsWith('FST_')) return fromFastify(code, thrown, limitBytes)
  if (code.startsWith('SQLITE_')) return fromSqlite(code, thrown)
  return platformError('internal_error', {}, thrown)
}

/**
 * The body of D-20.
 * @param localizedMessage the message in the language of the caller, when that is not English
 */
export function errorBody(error: PlatformError, requestId: string, localizedMessage?: string): ErrorBody {
  const object = errorObject(error, requestId)
  if (localizedMessage === undefined) return { success: false, error: object }
  return { success: false, error: { ...object, details: { ...object.details, localizedMessage } } }
}

/**
 * The `Retry-After` of an error in whole seconds, at least 1; null when it has none, as one that no repetition mends.
 * @source D-24, D-323
 */
export function retryAfterOf(error: PlatformError): number | null {
  if (!error.retryable || (error.httpStatus !== 503 && error.httpStatus !== 429)) return null
  const seconds = error.details['retryAfterSeconds']
  return typeof seconds === 'number' ? Math.max(1, Math.ceil(seconds)) : retryAfterSeconds
}

function fromFastify(code: string, thrown: unknown, limitBytes: number | undefined): PlatformError {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return platformError('payload_too_large', limitBytes === undefined ? {} : { limitBytes })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return platformError('unsupported_media_type')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return platformError('validation_error', { reason: 'content_length' })
    case 'FST_ERR_BAD_URL':
      return platformError('validation_error', { reason: 'percent_encoding' })
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return validationError([{ field: '', code: 'invalid_json', message: 'The body is not valid JSON.' }])
    default:
      return platformError('internal_error', {}, thrown)
  }
}

function fromSqlite(code: string, thrown: unknown): PlatformError {
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return platformError('conflict', {}, thrown)
  }
  if (/^SQLITE_(BUSY|LOCKED|IOERR|READONLY|CANTOPEN|NOMEM)/.test(code)) {
    return platformError('service_unavailable', { retryAfterSeconds }, thrown)
  }
  return platformError('internal_error', {}, thrown)
}

function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return ''
  return typeof thrown.code === 'string' ? thrown.code : ''
}

/** Sends an error in the shape of D-20 and ends the connection. @param own further headers */
export function answerBare(
  socket: Duplex,
  refusal: PlatformError,
  requestId: string,
  own: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(errorBody(refusal, requestId))
  const retryAfter = retryAfterOf(refusal)
  const headers = {
    ...baseHeaders,
    'x-request-id': requestId,
    'content-type': jsonType,
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(body)),
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    ...(refusal.httpStatus === 401 ? { 'www-authenticate': missingCredential } : {}),
    ...own,
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const { httpStatus } = refusal
  // Not imported: see running-host.ts.
  const { STATUS_CODES } = process.getBuiltinModule('node:http')
  socket.end(`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}\r\n${lines.join('')}\r\n${body}`)
}

/** Answers what Node's parser refused; the request never became one, so the guards have not seen it. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  // Browsers keep connections that they may need: one that crosses with their first request would take this for its answer.
  if (late && socket.bytesRead === 0) {
    socket.destroy()
    return
  }
  const refusal = late
    ? platformError('timeout', { reason: 'request_incomplete' })
    : platformError(
        'validation_error',
        tooLarge ? { reason: 'headers_too_large', limitBytes: maxHeaderBytes } : { reason: 'http' },
      )
  answerBare(socket, refusal, requestId)
  // Who is late may never stop sending.
  if (late) socket.destroySoon()
}
