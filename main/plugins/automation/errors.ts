// Codes of flows and runs.
import type { ErrorDefinition } from '#shared/errors.ts'
import { PlatformError, defineErrors } from '#shared/errors.ts'

const define = (
  httpStatus: number,
  category: ErrorDefinition['category'],
  retryable: boolean,
  message: string,
): ErrorDefinition => ({ httpStatus, category, retryable, message })

/** @source D-23 */
export const automationErrors = defineErrors({
  flow_not_found: define(404, 'request', false, 'The flow does not exist.'),
  flow_already_exists: define(409, 'request', false, 'A flow of this name exists.'),
  flow_validation_failed: define(400, 'validation', false, 'The flow is not fit to run.'),
  flow_disabled: define(409, 'request', false, 'The flow is switched off or not active.'),
  execution_not_found: define(404, 'request', false, 'The run does not exist.'),
  execution_failed: define(422, 'request', false, 'The execution failed.'),
  execution_timeout: define(504, 'server', true, 'The execution was stopped at its time limit.'),
  node_executor_not_found: define(501, 'server', false, 'Nothing here carries out nodes of this type.'),
  concurrent_execution_limit: define(429, 'rate_limit', true, 'Too many runs are under way.'),
  run_not_resumable: define(409, 'request', false, 'The run is in no state to go on from.'),
})

/** A code of {@link automationErrors}. */
export type AutomationErrorCode = keyof typeof automationErrors

/** Builds the error of a code of {@link automationErrors}. */
export function automationError(code: AutomationErrorCode, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, automationErrors[code], details)
}
