// Owns the one error the screens see: a refused request (D-20) or a host that could not be reached.
// Knows no sentences for people; those are in problem-text.ts.
import type { ErrorCategory, FieldError } from '#shared/errors.ts'

/** A failed call. `code` is a code of the protocol, `unreachable` or `invalid_answer`; `httpStatus` 0 means no answer. */
export class ApiError extends Error {
  readonly code: string
  readonly httpStatus: number
  readonly category: ErrorCategory
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string
  /** Seconds to wait before trying again, when the host told. */
  readonly retryAfterSeconds: number | undefined

  constructor(init: {
    code: string
    message: string
    httpStatus: number
    category: ErrorCategory
    retryable: boolean
    details?: Record<string, unknown>
    requestId?: string
    retryAfterSeconds?: number
    cause?: unknown
  }) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'ApiError'
    this.code = init.code
    this.httpStatus = init.httpStatus
    this.category = init.category
    this.retryable = init.retryable
    this.details = init.details ?? {}
    this.requestId = init.requestId ?? ''
    this.retryAfterSeconds = init.retryAfterSeconds
  }

  /** Problems with single fields (D-22); empty when the error is about something else. */
  get fieldErrors(): readonly FieldError[] {
    const list = this.details.fieldErrors
    return Array.isArray(list) ? (list as FieldError[]) : []
  }
}

/** Whether an error is a refused request with one of the codes. */
export function hasCode(error: unknown, ...codes: string[]): error is ApiError {
  return error instanceof ApiError && codes.includes(error.code)
}

/** Whether the host refused a change because its disk is full (D-24). */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, 'service_unavailable') && error.details.reason === 'disk_full'
}

/** The error for a host that does not answer. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError({
    code: 'unreachable',
    message: 'The host does not answer.',
    httpStatus: 0,
    category: 'server',
    retryable: true,
    cause,
  })
}

/** Reads the error of a non-2xx answer; a body that is not of D-20 still becomes an error with its status. */
export function errorOfAnswer(httpStatus: number, body: unknown, retryAfter: string | null): ApiError {
  const error = isRecord(body) && isRecord(body.error) ? body.error : undefined
  const seconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
  if (!error || typeof error.code !== 'string') {
    return new ApiError({
      code: 'invalid_answer',
      message: `The host answered ${httpStatus} without an error body.`,
      httpStatus,
      category: httpStatus >= 500 ? 'server' : 'request',
      retryable: httpStatus >= 500,
      retryAfterSeconds: seconds,
    })
  }
  return new ApiError({
    code: error.code,
    message: typeof error.message === 'string' ? error.message : error.code,
    httpStatus,
    category: (error.category as ErrorCategory | undefined) ?? 'server',
    retryable: error.retryable === true,
    details: isRecord(error.details) ? error.details : {},
    requestId: typeof error.requestId === 'string' ? error.requestId : '',
    retryAfterSeconds: seconds,
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
