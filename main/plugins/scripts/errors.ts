// Codes of runs that end without a value.
import { defineErrors } from '#shared/errors.ts'

/** How a script fails outside of a hook. @source D-23, D-99 */
export const scriptErrors = defineErrors({
  execution_failed: {
    httpStatus: 422,
    category: 'request',
    retryable: false,
    message: 'The execution failed.',
  },
  execution_timeout: {
    httpStatus: 504,
    category: 'server',
    retryable: true,
    message: 'The execution was stopped at its time limit.',
  },
})
