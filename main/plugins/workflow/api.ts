// What other plugins may ask of workflows and approvals. Types only.
import type { WorkflowState } from '#shared/contracts/workflow.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'

/** A transition somebody asks for. */
export interface TransitionInput {
  readonly object: string
  readonly recordId: string
  readonly transition: string
  readonly comment?: string | undefined
  readonly data?: Record<string, unknown> | undefined
  /** Default: the first workflow of the object. */
  readonly workflow?: string | undefined
  readonly expectedVersion?: string | undefined
}

/** What became of it. */
export interface TransitionResult {
  readonly object: string
  readonly recordId: string
  readonly success: true
  /** The state stays as it is until an approval is decided. */
  readonly pending?: true
  readonly state: WorkflowState
  readonly record: PlatformRecord
}

/** How a record stands at the end of a transition's transaction. */
export interface TransitionEnd {
  readonly workflow: string
  readonly field: string
  readonly currentState: string | null
  /** Whether it waits for an approval. */
  readonly pending: boolean
}

/** Workflows and approvals of the workspace. */
export interface WorkflowService {
  /**
   * Makes a transition with the caller's rights, or asks for its approval.
   * @param along called in the transaction; what it throws rolls everything back
   * @throws workflow_not_found, transition_not_found, transition_not_available, transition_denied,
   * transition_condition_failed, comment_required, approval_pending, record_locked and what writes of records throw
   */
  transition(
    ctx: RequestContext,
    input: TransitionInput,
    along?: (tx: Tx, end: TransitionEnd) => void,
  ): Promise<TransitionResult>
  /** The approval that holds a record against a caller; undefined for none. */
  heldBy(ctx: RequestContext, record: { readonly object: string; readonly recordId: string }): string | undefined
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    workflow: WorkflowService
  }
}
