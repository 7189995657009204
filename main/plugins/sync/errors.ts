// The codes of sync and their construction.
import { PlatformError, defineErrors } from '#shared/errors.ts'

/** The codes of texts edited live, of peers and of conflicts. @source design of sync, section 17 */
export const syncErrors = defineErrors({
  sync_document_not_found: {
    httpStatus: 404,
    category: 'request',
    retryable: false,
    message: 'There is no text of this name that can be edited live.',
  },
  sync_update_invalid: {
    httpStatus: 400,
    category: 'validation',
    retryable: false,
    message: 'The update is not one of this document.',
  },
  sync_update_too_large: {
    httpStatus: 413,
    category: 'validation',
    retryable: false,
    message: 'The text or the update is too large to be edited live.',
  },
  sync_disabled: {
    httpStatus: 409,
    category: 'request',
    retryable: false,
    message: 'Sync is not turned on.',
  },
  sync_epoch_mismatch: {
    httpStatus: 409,
    category: 'request',
    retryable: false,
    message: 'The other side has another edition of the workspace.',
  },
  pairing_not_found: {
    httpStatus: 404,
    category: 'request',
    retryable: false,
    message: 'There is no such pairing.',
  },
  pairing_expired: {
    httpStatus: 410,
    category: 'request',
    retryable: false,
    message: 'The pairing has ended.',
  },
  pairing_code_invalid: {
    httpStatus: 403,
    category: 'auth',
    retryable: false,
    message: 'The code is not the one of the other device.',
  },
  pairing_refused: {
    httpStatus: 409,
    category: 'request',
    retryable: false,
    message: 'These devices cannot be paired.',
  },
  sync_conflict_not_found: {
    httpStatus: 404,
    category: 'request',
    retryable: false,
    message: 'There is no such conflict.',
  },
})

/** Builds the error of a code of {@link syncErrors}. */
export function syncError(code: keyof typeof syncErrors, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, syncErrors[code], details)
}
