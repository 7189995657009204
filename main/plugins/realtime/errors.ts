// The codes of realtime (D-23, D-168 to D-176) and their construction.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** The table of D-23, part "Realtime". */
export const realtimeErrors = defineErrors({
  connection_not_found: defineError(404, 'request', 'The realtime connection does not exist.'),
  realtime_subscription_not_found: defineError(404, 'request', 'The realtime subscription does not exist.'),
  channel_invalid: defineError(400, 'validation', 'The text names no realtime channel.'),
  channel_forbidden: defineError(403, 'auth', 'The realtime channel is closed to the caller.'),
  transport_unavailable: defineError(400, 'validation', 'There is no such realtime transport.'),
  connection_limit: defineError(429, 'rate_limit', 'There are too many realtime connections or subscriptions.', true),
})

/** Builds the error of a code of {@link realtimeErrors}. */
export function realtimeError(code: keyof typeof realtimeErrors, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, realtimeErrors[code], details)
}
