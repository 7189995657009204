// Turns refusals of the library into errors of the protocol. Knows its codes, no request.
import type { PlatformError } from '#shared/errors.ts'
import { platformError, validationError } from '#shared/errors.ts'
import type { AuthErrorCode } from '../errors.ts'
import { authError, authErrors } from '../errors.ts'

/** The limits a refused password missed. */
export interface PasswordLimits {
  readonly minPasswordLength: number
  readonly maxPasswordLength: number
}

const credentials = new Set([
  'INVALID_EMAIL_OR_PASSWORD',
  'INVALID_USERNAME_OR_PASSWORD',
  'INVALID_PASSWORD',
  'INVALID_CODE',
  'INVALID_BACKUP_CODE',
])

const own: Readonly<Record<string, AuthErrorCode>> = {
  EMAIL_NOT_VERIFIED: 'email_not_verified',
  BANNED_USER: 'account_banned',
  USER_ALREADY_EXISTS: 'user_already_exists',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'user_already_exists',
  USERNAME_IS_ALREADY_TAKEN: 'user_already_exists',
  INVALID_TOKEN: 'token_invalid',
  TOKEN_EXPIRED: 'token_invalid',
  OTP_HAS_EXPIRED: 'token_invalid',
  INVALID_TWO_FACTOR_COOKIE: 'token_invalid',
}

const ended = new Set(['SESSION_EXPIRED', 'SESSION_NOT_FRESH'])

const exhausted = new Set(['TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE', 'ACCOUNT_TEMPORARILY_LOCKED'])
const lockSeconds = 900

/**
 * The error behind a refusal.
 * @param body what the library answered: `{code, message}`, or `{error, error_description}` of the OAuth endpoints
 * @param passwordField the member of the request that a new password was in
 * @source D-37, D-38
 */
export function libraryError(
  status: number,
  body: unknown,
  limits: PasswordLimits,
  passwordField?: string,
): PlatformError {
  const given = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const oauth = given['error']
  if (typeof oauth === 'string') return oauthError(oauth, given['error_description'], status)
  const reason = typeof given['code'] === 'string' ? given['code'].toUpperCase() : undefined
  const details = reason === undefined ? {} : { reason }
  if (reason !== undefined) {
    if (credentials.has(reason)) return platformError('invalid_credentials', details)
    const code = own[reason]
    if (code !== undefined) return authError(code, details)
    if (ended.has(reason)) return platformError('session_expired', details)
    if (exhausted.has(reason))
      return platformError('rate_limit_exceeded', { ...details, retryAfterSeconds: lockSeconds, class: 'auth' })
    if (reason === 'PASSWORD_TOO_SHORT' || reason === 'PASSWORD_TOO_LONG')
      return passwordLength(reason, limits, passwordField)
    if (/^(USER|ORGANIZATION|MEMBER|INVITATION|TEAM|ACCOUNT|PROVIDER|ROLE)_NOT_FOUND$/.test(reason))
      return platformError('resource_not_found', details)
    if (/(ALREADY_EXISTS|ALREADY_TAKEN|IS_ALREADY_|ALREADY_SET|ALREADY_LINKED|ONLY_OWNER)/.test(reason))
      return platformError('conflict', details)
    if (/NOT_ALLOWED|YOU_CANNOT|NOT_A_MEMBER|NO_LONGER_A_MEMBER/.test(reason))
      return platformError('permission_denied', details)
  }
  if (status === 401) return platformError('unauthenticated', details)
  if (status === 403) return platformError('permission_denied', details)
  if (status === 404) return platformError('resource_not_found', details)
  if (status === 409) return platformError('conflict', details)
  if (status === 429) return platformError('rate_limit_exceeded', { ...details, retryAfterSeconds: 60, class: 'auth' })
  if (status >= 500) return platformError('internal_error', {}, new Error(`The library answered ${status}.`))
  return platformError('validation_error', details)
}

/** Judges the length of a new password. @throws validation_error when the options refuse it */
export function requirePasswordLength(password: string, limits: PasswordLimits): void {
  if (password.length < limits.minPasswordLength) throw passwordLength('PASSWORD_TOO_SHORT', limits)
  if (password.length > limits.maxPasswordLength) throw passwordLength('PASSWORD_TOO_LONG', limits)
}

/** A password whose length the options refuse. */
export function passwordLength(
  reason: 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG',
  limits: PasswordLimits,
  field = 'newPassword',
): PlatformError {
  const isShort = reason === 'PASSWORD_TOO_SHORT'
  const constraint = isShort ? limits.minPasswordLength : limits.maxPasswordLength
  const message = isShort
    ? `The password needs at least ${constraint} characters.`
    : `The password has at most ${constraint} characters.`
  return validationError([{ field, code: isShort ? 'min_length' : 'max_length', message, constraint }], { reason })
}

function oauthError(code: string, description: unknown, status: number): PlatformError {
  const details = {
    reason: code,
    ...(typeof description === 'string' ? { description: description.slice(0, 300) } : {}),
  }
  if (Object.hasOwn(authErrors, code)) return authError(code as AuthErrorCode, details)
  if (status === 401) return platformError('unauthenticated', details)
  if (status === 403) return platformError('permission_denied', details)
  return status >= 500
    ? platformError('internal_error', {}, new Error(`The library answered ${status} ${code}.`))
    : authError('invalid_request', details)
}
