// The codes of sync and their construction.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** The codes of texts edited live, of peers and of conflicts. @source design of sync, section 17 */
export const syncErrors = defineErrors({
  sync_document_not_found: defineError(404, 'request', 'There is no text of this name that can be edited live.'),
  sync_update_invalid: defineError(400, 'validation', 'The update is not one of this document.'),
  sync_update_too_large: defineError(413, 'validation', 'The text or the update is too large to be edited live.'),
  sync_disabled: defineError(409, 'request', 'Sync is not turned on.'),
  sync_epoch_mismatch: defineError(409, 'request', 'The other side has another edition of the workspace.'),
  pairing_not_found: defineError(404, 'request', 'There is no such pairing.'),
  pairing_expired: defineError(410, 'request', 'The pairing has ended.'),
  pairing_code_invalid: defineError(403, 'auth', 'The code is not the one of the other device.'),
  pairing_refused: defineError(409, 'request', 'These devices cannot be paired.'),
  sync_conflict_not_found: defineError(404, 'request', 'There is no such conflict.'),
})

/** Builds the error of a code of {@link syncErrors}. */
export function syncError(code: keyof typeof syncErrors, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, syncErrors[code], details)
}
