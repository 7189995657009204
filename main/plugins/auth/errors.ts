// The codes of accounts (D-23, D-36 to D-38) and their construction.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** The table of D-23, part "Auth"; the codes of the kernel are not repeated. */
export const authErrors = defineErrors({
  two_factor_required: defineError(401, 'auth', 'A second factor is due.'),
  email_not_verified: defineError(403, 'auth', 'The email address was not verified yet.'),
  account_banned: defineError(403, 'auth', 'The account is shut out.'),
  user_already_exists: defineError(409, 'request', 'There is an account with this address or username already.'),
  token_invalid: defineError(400, 'validation', 'The token is not valid any more.'),
  authorization_pending: defineError(400, 'auth', 'The device was not approved yet.', true),
  slow_down: defineError(400, 'auth', 'The device asks too often.', true),
  expired_token: defineError(400, 'auth', 'The device code has expired.'),
  access_denied: defineError(400, 'auth', 'The request of the device was refused.'),
  invalid_request: defineError(400, 'validation', 'The authorization request is not valid.'),
  invalid_client: defineError(401, 'auth', 'The client is unknown or did not prove itself.'),
  invalid_grant: defineError(400, 'validation', 'The grant is not valid any more.'),
  unauthorized_client: defineError(400, 'validation', 'The client may not use this grant.'),
  unsupported_grant_type: defineError(400, 'validation', 'The grant type is not offered.'),
  invalid_scope: defineError(400, 'validation', 'The scope is not offered.'),
})

/** A code of {@link authErrors}. */
export type AuthErrorCode = keyof typeof authErrors

/** Builds the error of a code of {@link authErrors}. */
export function authError(code: AuthErrorCode, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, authErrors[code], details)
}
