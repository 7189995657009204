// The codes of workflows and approvals (D-23) and their construction.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** The table of D-23, part "Workflow". */
export const workflowErrors = defineErrors({
  workflow_not_found: defineError(404, 'request', 'The object has no such workflow.'),
  transition_not_found: defineError(404, 'request', 'The workflow has no transition of this name.'),
  transition_not_available: defineError(409, 'request', 'The transition does not begin at the state of the record.'),
  transition_denied: defineError(403, 'auth', 'The transition is for people of other roles or profiles.'),
  transition_condition_failed: defineError(409, 'request', 'The condition of the transition is not met.'),
  comment_required: defineError(400, 'validation', 'A comment is needed.'),
  approval_not_found: defineError(404, 'request', 'There is no such approval.'),
  approval_not_assigned: defineError(403, 'auth', 'The approval is for others to decide.'),
  approval_already_decided: defineError(409, 'request', 'The approval is decided.'),
  approval_pending: defineError(
    409,
    'request',
    'An approval is asked for already; nothing changes until it is decided.',
  ),
})

/** A code of {@link workflowErrors}. */
export type WorkflowErrorCode = keyof typeof workflowErrors

/** Builds the error of a code of {@link workflowErrors}. */
export function workflowError(code: WorkflowErrorCode, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, workflowErrors[code], details)
}
