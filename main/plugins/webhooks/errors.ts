// The codes of webhooks and receivers (D-23) and their construction.
import type { ErrorCategory, ErrorDefinition } from '#shared/errors.ts'
import { PlatformError, defineErrors } from '#shared/errors.ts'

const define = (httpStatus: number, category: ErrorCategory, message: string): ErrorDefinition => ({
  httpStatus,
  category,
  retryable: false,
  message,
})

/** The table of D-23, part "Webhooks". */
export const webhookErrors = defineErrors({
  webhook_not_found: define(404, 'request', 'The webhook does not exist.'),
  webhook_already_exists: define(409, 'request', 'A webhook of this name exists already.'),
  webhook_inactive: define(409, 'request', 'The webhook is switched off.'),
  webhook_target_forbidden: define(400, 'validation', 'Webhooks are not sent to this address.'),
  receiver_not_found: define(404, 'request', 'The receiver does not exist.'),
  receiver_verification_failed: define(401, 'auth', 'The call does not prove that it comes from who it should.'),
  receiver_replay: define(409, 'request', 'The message was received already.'),
  receiver_action_failed: define(422, 'request', 'What the receiver should do could not be done.'),
})

/** Builds the error of a code of {@link webhookErrors}. */
export function webhookError(code: keyof typeof webhookErrors, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, webhookErrors[code], details)
}
