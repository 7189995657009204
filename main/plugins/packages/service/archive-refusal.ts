// The refusal of an archive (D-129): one code, and a reason for programs and people.
import type { PlatformError } from '#shared/errors.ts'
import { packageError } from '../errors.ts'

/** Builds `artifact_invalid` with what is wrong. */
export function artifactInvalid(
  reason: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): PlatformError {
  return packageError('artifact_invalid', { reason, ...details }, cause)
}
