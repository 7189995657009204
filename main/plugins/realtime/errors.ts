// The codes of realtime (D-23, D-168 to D-176) and their construction.
import { PlatformError, defineErrors } from '#shared/errors.ts'

/** The table of D-23, part "Realtime". */
export const realtimeErrors = defineErrors({
  connection_not_found: {
    httpStatus: 404,
    category: 'request',
    retryable: false,
    message: 'The realtime connection does not exist.',
  },
  realtime_subscription_not_found: {
    httpStatus: 404,
    category: 'request',
    retryable: false,
    message: 'The realtime subscription does not exist.',
  },
  channel_invalid: {
    httpStatus: 400,
    category: 'validation',
    retryable: false,
    message: 'The text names no realtime channel.',
  },
  channel_forbidden: {
    httpStatus: 403,
    category: 'auth',
    retryable: false,
    message: 'The realtime channel is closed to the caller.',
  },
  transport_unavailable: {
    httpStatus: 400,
    category: 'validation',
    retryable: false,
    message: 'There is no such realtime transport.',
  },
  connection_limit: {
    httpStatus: 429,
    category: 'rate_limit',
    retryable: true,
    message: 'There are too many realtime connections or subscriptions.',
  },
})

/** Builds the error of a code of {@link realtimeErrors}. */
export function realtimeError(code: keyof typeof realtimeErrors, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, realtimeErrors[code], details)
}
