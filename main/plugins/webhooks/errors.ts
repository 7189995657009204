// The codes of webhooks and receivers (D-23) and their construction.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** The table of D-23, part "Webhooks". */
export const webhookErrors = defineErrors({
  webhook_not_found: defineError(404, 'request', 'The webhook does not exist.'),
  webhook_already_exists: defineError(409, 'request', 'A webhook of this name exists already.'),
  webhook_inactive: defineError(409, 'request', 'The webhook is switched off.'),
  webhook_target_forbidden: defineError(400, 'validation', 'Webhooks are not sent to this address.'),
  delivery_not_found: defineError(404, 'request', 'The delivery does not exist.'),
  receiver_not_found: defineError(404, 'request', 'The receiver does not exist.'),
  receiver_verification_failed: defineError(401, 'auth', 'The call does not prove that it comes from who it should.'),
  receiver_replay: defineError(409, 'request', 'The message was received already.'),
  receiver_action_failed: defineError(422, 'request', 'What the receiver should do could not be done.'),
})

/** Builds the error of a code of {@link webhookErrors}. */
export function webhookError(code: keyof typeof webhookErrors, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, webhookErrors[code], details)
}
