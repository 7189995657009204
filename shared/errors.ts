// The error catalogue every surface shares: codes, statuses, categories and the one error class.
// Knows nothing of HTTP servers, databases or any capability's rules; plugins add their own tables with defineErrors.

/** The five categories of D-21. */
export type ErrorCategory = 'validation' | 'auth' | 'request' | 'rate_limit' | 'server'

/** One row of an error table: everything that is constant about a code. */
export interface ErrorDefinition {
  readonly httpStatus: number
  readonly category: ErrorCategory
  readonly retryable: boolean
  /** One English sentence, stable per code; the variable part goes into `details`. */
  readonly message: string
}

/** A table of codes, as built by {@link defineErrors}. */
export type ErrorTable = Readonly<Record<string, ErrorDefinition>>

/** The codes of D-22 for one problem with one field. */
export const fieldErrorCodes = [
  'required',
  'unknown_field',
  'read_only',
  'invalid_type',
  'invalid_number',
  'invalid_boolean',
  'invalid_date',
  'invalid_datetime',
  'invalid_time',
  'invalid_email',
  'invalid_url',
  'invalid_phone',
  'invalid_uuid',
  'invalid_json',
  'invalid_format',
  'invalid_option',
  'invalid_reference',
  'invalid_currency',
  'invalid_color',
  'invalid_location',
  'invalid_transition',
  'min_length',
  'max_length',
  'min_value',
  'max_value',
  'min_items',
  'max_items',
  'duplicate_value',
  'not_unique',
  'json_schema_violation',
  'rule_violation',
  'expression_error',
  'file_type_not_allowed',
  'file_too_large',
  'file_too_small',
  'not_allowed',
] as const

/** A code of {@link fieldErrorCodes}. */
export type FieldErrorCode = (typeof fieldErrorCodes)[number]

/** One problem with one field (D-22). `field` is a dotted path, a query parameter's name, or '' for the whole record. */
export interface FieldError {
  field: string
  code: FieldErrorCode
  message: string
  /** The refused value, cut at 200 characters; absent for secrets. */
  value?: unknown
  /** The bound that was missed, for example the maximum length. */
  constraint?: unknown
  /** Name of the validation rule that was violated (D-96). */
  rule?: string
}

/** The error object of D-20; all seven members are always present. */
export interface ErrorObject {
  code: string
  message: string
  httpStatus: number
  category: ErrorCategory
  retryable: boolean
  details: Record<string, unknown>
  requestId: string
}

/** The body of every non-2xx answer (D-20). */
export interface ErrorBody {
  success: false
  error: ErrorObject
}

/** Checks and freezes a table of codes; a plugin calls this once in its errors.ts. */
export function defineErrors<const T extends ErrorTable>(table: T): T {
  for (const [code, row] of Object.entries(table)) {
    if (!/^[a-z][a-z0-9_]*$/.test(code) && code !== 'CONCURRENT_UPDATE')
      throw new Error(`Error code "${code}" is not snake_case.`)
    if (!row.message.endsWith('.')) throw new Error(`The message of error code "${code}" is not a sentence.`)
  }
  return Object.freeze(table)
}

/** One row of a table for {@link defineErrors}; retried without a change only when `retryable`. */
export function defineError(
  httpStatus: number,
  category: ErrorCategory,
  message: string,
  retryable = false,
): ErrorDefinition {
  return { httpStatus, category, retryable, message }
}

/**
 * The codes of the specification and the kernel-wide ones of D-23.
 * @source specification "Errors"; D-23
 */
export const baseErrors = defineErrors({
  validation_error: defineError(400, 'validation', 'The request has values that are not valid.'),
  invalid_query: defineError(400, 'validation', 'The query is malformed.'),
  unauthenticated: defineError(401, 'auth', 'A valid credential is required.'),
  invalid_credentials: defineError(401, 'auth', 'The credentials are not valid.'),
  api_key_invalid: defineError(401, 'auth', 'The API key is not valid.'),
  session_expired: defineError(401, 'auth', 'The session has ended.'),
  permission_denied: defineError(403, 'auth', 'The caller has no permission for this operation.'),
  origin_forbidden: defineError(403, 'auth', 'The request comes from a host or an origin that is not allowed.'),
  item_locked: defineError(403, 'auth', 'The metadata item is protected by the package that delivered it.'),
  resource_not_found: defineError(404, 'request', 'The resource does not exist.'),
  method_not_allowed: defineError(405, 'request', 'The resource does not offer this method.'),
  conflict: defineError(409, 'request', 'The request conflicts with the present state of the resource.'),
  CONCURRENT_UPDATE: defineError(409, 'request', 'The resource was changed since it was read.'),
  delete_restricted: defineError(409, 'request', 'The resource is still referenced and cannot be deleted.'),
  destructive_change: defineError(409, 'request', 'The schema change destroys data and was not confirmed.'),
  invalid_state_transition: defineError(409, 'request', 'The state does not allow this transition.'),
  gone: defineError(410, 'request', 'The resource is no longer available.'),
  payload_too_large: defineError(413, 'validation', 'The request body is too large.'),
  unsupported_media_type: defineError(415, 'validation', 'The content type of the request is not supported.'),
  record_locked: defineError(423, 'request', 'The record is locked while it awaits approval.'),
  rate_limit_exceeded: defineError(429, 'rate_limit', 'There were too many requests.', true),
  internal_error: defineError(500, 'server', 'The server failed to handle the request.', true),
  not_implemented: defineError(501, 'server', 'The operation is not available here.'),
  service_unavailable: defineError(503, 'server', 'The service is temporarily unavailable.', true),
  timeout: defineError(504, 'server', 'The work was stopped at its time limit.', true),
})

/** A code of {@link baseErrors}. */
export type BaseErrorCode = keyof typeof baseErrors

/** The one error class: a code of some table plus the variable details. */
export class PlatformError extends Error {
  readonly code: string
  readonly httpStatus: number
  readonly category: ErrorCategory
  readonly retryable: boolean
  readonly details: Record<string, unknown>

  constructor(code: string, definition: ErrorDefinition, details: Record<string, unknown> = {}, cause?: unknown) {
    super(definition.message, cause === undefined ? undefined : { cause })
    this.name = 'PlatformError'
    this.code = code
    this.httpStatus = definition.httpStatus
    this.category = definition.category
    this.retryable = definition.retryable
    this.details = details
  }
}

/** Builds the error of a code of {@link baseErrors}. */
export function platformError(
  code: BaseErrorCode,
  details: Record<string, unknown> = {},
  cause?: unknown,
): PlatformError {
  return new PlatformError(code, baseErrors[code], details, cause)
}

/** Builds `validation_error` from problems with fields; at most 100 are reported (D-22). */
export function validationError(
  fieldErrors: readonly FieldError[],
  details: Record<string, unknown> = {},
): PlatformError {
  return platformError('validation_error', { fieldErrors: fieldErrors.slice(0, 100).map(trimFieldError), ...details })
}

/** Builds `invalid_query` with the parameter, the path inside it and the reason (D-81). */
export function invalidQuery(parameter: string, reason: string, extra: Record<string, unknown> = {}): PlatformError {
  return platformError('invalid_query', { parameter, reason, ...extra })
}

/** Builds `resource_not_found` for a named resource (D-23). */
export function notFound(resource: string, id?: string, object?: string): PlatformError {
  return platformError('resource_not_found', {
    resource,
    ...(id === undefined ? {} : { id }),
    ...(object === undefined ? {} : { object }),
  })
}

/** The error object of D-20 without a request id, for per-item results and for the translator. */
export function errorObject(error: PlatformError, requestId = ''): ErrorObject {
  return {
    code: error.code,
    message: error.message,
    httpStatus: error.httpStatus,
    category: error.category,
    retryable: error.retryable,
    details: error.details,
    requestId,
  }
}

function trimFieldError(error: FieldError): FieldError {
  if (error.value === undefined) return error
  const text = typeof error.value === 'string' ? error.value : safeJson(error.value)
  if (text.length <= 200) return error
  return { ...error, value: text.slice(0, 200) }
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}
