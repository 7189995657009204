// The codes of files (D-23) and their construction.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** The table of D-23, part "Storage", and the code of bytes that are others than announced. */
export const storageErrors = defineErrors({
  file_not_found: defineError(404, 'request', 'The file does not exist.'),
  upload_not_found: defineError(404, 'request', 'The upload does not exist.'),
  upload_expired: defineError(410, 'request', 'The time of the upload is over.'),
  upload_incomplete: defineError(409, 'request', 'Not everything of the file has arrived.'),
  resume_token_invalid: defineError(403, 'auth', 'The token does not belong to this upload.'),
  chunk_invalid: defineError(400, 'validation', 'The bytes have another length or place than the upload says.'),
  file_type_not_allowed: defineError(400, 'validation', 'Files of this type are not taken here.'),
  file_too_large: defineError(413, 'validation', 'The file is too large.'),
  signed_url_invalid: defineError(403, 'auth', 'The address is not valid, or its time is over.'),
  storage_quota_exceeded: defineError(409, 'request', 'There is no room left for files of this size.'),
  range_not_satisfiable: defineError(416, 'request', 'The file does not have these bytes.'),
  checksum_mismatch: defineError(400, 'validation', 'The bytes differ from their checksum.'),
})

/** Builds the error of a code of {@link storageErrors}. */
export function storageError(
  code: keyof typeof storageErrors,
  details: Record<string, unknown> = {},
  cause?: unknown,
): PlatformError {
  return new PlatformError(code, storageErrors[code], details, cause)
}
