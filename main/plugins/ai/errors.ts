// The codes of AI (section 3 of the decisions) and their construction.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** The table of the plugin. */
export const aiErrors = defineErrors({
  ai_provider_failed: defineError(502, 'server', 'The provider of answers failed.', true),
  ai_query_not_understood: defineError(422, 'request', 'The question was not understood.'),
})

/** Builds the error of a code of {@link aiErrors}. */
export function aiError(code: keyof typeof aiErrors, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, aiErrors[code], details)
}
