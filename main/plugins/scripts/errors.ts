// Codes of runs that end without a value.
import { defineError, defineErrors } from '#shared/errors.ts'

/** How a script fails outside of a hook. @source D-23, D-99 */
export const scriptErrors = defineErrors({
  execution_failed: defineError(422, 'request', 'The execution failed.'),
  execution_timeout: defineError(504, 'server', 'The execution was stopped at its time limit.', true),
})
