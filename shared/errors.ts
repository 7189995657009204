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

const define = (httpStatus: number, category: ErrorCategory, retryable: boolean, message: string): ErrorDefinition => ({
  httpStatus,
  category,
  retryable,
  message,
})

/**
 * The codes of the specification and the kernel-wide ones of D-23.
 * @source specification "Errors"; D-23
 */
export const baseErrors = defineErrors({
  validation_error: define(400, 'validation', false, 'The request has values that are not valid.'),
  invalid_query: define(400, 'validation', false, 'The query is malformed.'),
  unauthenticated: define(401, 'auth', false, 'A valid credential is required.'),
  invalid_credentials: define(401, 'auth', false, 'The credentials are not valid.'),
  api_key_invalid: define(401, 'auth', false, 'The API key is not valid.'),
  session_expired: define(401, 'auth', false, 'The session has ended.'),
  permission_denied: define(403, 'auth', false, 'The caller has no permission for this operation.'),
  origin_forbidden: define(403, 'auth', false, 'The request comes from a host or an origin that is not allowed.'),
  item_locked: define(403, 'auth', false, 'The metadata item is protected by the package that delivered it.'),
  resource_not_found: define(404, 'request', false, 'The resource does not exist.'),
  method_not_allowed: define(405, 'request', false, 'The resource does not offer this method.'),
  conflict: define(409, 'request', false, 'The request conflicts with the present state of the resource.'),
  CONCURRENT_UPDATE: define(409, 'request', false, 'The resource was changed since it was read.'),
  delete_restricted: define(409, 'request', false, 'The resource is still referenced and cannot be deleted.'),
  destructive_change: define(409, 'request', false, 'The schema change destroys data and was not confirmed.'),
  invalid_state_transition: define(409, 'request', false, 'The state does not allow this transition.'),
  gone: define(410, 'request', false, 'The resource is no longer available.'),
  payload_too_large: define(413, 'validation', false, 'The request body is too large.'),
  unsupported_media_type: define(415, 'validation', false, 'The content type of the request is not supported.'),
  record_locked: define(423, 'request', false, 'The record is locked while it awaits approval.'),
  rate_limit_exceeded: define(429, 'rate_limit', true, 'There were too many requests.'),
  internal_error: define(500, 'server', true, 'The server failed to handle the request.'),
  not_implemented: define(501, 'server', false, 'The operation is not available here.'),
  service_unavailable: define(503, 'server', true, 'The service is temporarily unavailable.'),
  timeout: define(504, 'server', true, 'The work was stopped at its time limit.'),
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
