// Codes of flows and runs.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** @source D-23 */
export const automationErrors = defineErrors({
  flow_not_found: defineError(404, 'request', 'The flow does not exist.'),
  flow_already_exists: defineError(409, 'request', 'A flow of this name exists.'),
  flow_validation_failed: defineError(400, 'validation', 'The flow is not fit to run.'),
  flow_disabled: defineError(409, 'request', 'The flow is switched off or not active.'),
  execution_not_found: defineError(404, 'request', 'The run does not exist.'),
  execution_failed: defineError(422, 'request', 'The execution failed.'),
  execution_timeout: defineError(504, 'server', 'The execution was stopped at its time limit.', true),
  node_executor_not_found: defineError(501, 'server', 'Nothing here carries out nodes of this type.'),
  concurrent_execution_limit: defineError(429, 'rate_limit', 'Too many runs are under way.', true),
  run_not_resumable: defineError(409, 'request', 'The run is in no state to go on from.'),
})

/** A code of {@link automationErrors}. */
export type AutomationErrorCode = keyof typeof automationErrors

/** Builds the error of a code of {@link automationErrors}. */
export function automationError(code: AutomationErrorCode, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, automationErrors[code], details)
}
