// The codes of packages (D-23) and their construction.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** The table of D-23, part "Package". */
export const packageErrors = defineErrors({
  package_not_found: defineError(404, 'request', 'The package is not installed.'),
  package_already_installed: defineError(409, 'request', 'The package is installed already.'),
  version_not_found: defineError(404, 'request', 'No such version of the package is uploaded.'),
  dependency_conflict: defineError(409, 'request', 'The packages that depend on each other do not fit together.'),
  namespace_conflict: defineError(409, 'request', 'A name the package brings along belongs to somebody else.'),
  platform_incompatible: defineError(409, 'request', 'The package is made for another version of the platform.'),
  artifact_invalid: defineError(400, 'validation', 'The archive is not a package that can be read safely.'),
  checksum_mismatch: defineError(400, 'validation', 'The bytes are not the ones the checksum was taken over.'),
  signature_invalid: defineError(400, 'validation', 'The package is not signed as it has to be.'),
  upgrade_failed: defineError(500, 'server', 'The upgrade failed, and everything is as it was before.'),
  rollback_failed: defineError(500, 'server', 'The package could not be put back, and is as it was before.'),
  snapshot_not_found: defineError(404, 'request', 'The package has no such snapshot.'),
  upload_failed: defineError(500, 'server', 'The archive could not be stored. Nothing was kept; try again.', true),
})

/** Builds the error of a code of {@link packageErrors}. */
export function packageError(
  code: keyof typeof packageErrors,
  details: Record<string, unknown> = {},
  cause?: unknown,
): PlatformError {
  return new PlatformError(code, packageErrors[code], details, cause)
}
