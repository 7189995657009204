// What other plugins may ask of workflows and approvals. Types only.
import type { ApprovalDecision, WorkflowState } from '#shared/contracts/workflow.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
import type { ApprovalDefinition } from '#shared/rules/approval-definition.ts'

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

/** A record, with the uid of its object. */
export interface WorkflowPlace {
  readonly object: string
  readonly recordId: string
}

/** How an approval ended, and when (ISO 8601). */
export interface ApprovalEnd {
  readonly status: 'approved' | 'rejected' | 'recalled'
  readonly at: string
}

/** An approval as machines tell it to each other; the run of a flow that waits stays where it is. */
export interface TravellingApproval {
  readonly id: string
  readonly workflow: string | null
  readonly transition: string | null
  readonly submitterId: string
  readonly comment: string | null
  readonly organizationId: string | null
  readonly definition: ApprovalDefinition
  readonly createdAt: string
  /** Who decides it. */
  readonly approvers: readonly string[]
  /** What was done with it, oldest first. */
  readonly acts: readonly ApprovalDecision[]
  /** Null while it is pending. */
  readonly end: ApprovalEnd | null
}

/** A change of a state as machines tell it to each other. */
export interface TravellingChange {
  readonly id: string
  readonly workflow: string
  readonly from: string | null
  readonly to: string | null
  readonly action: string
  readonly userId: string
  readonly at: string
  readonly comment: string | null
  readonly approvers: readonly string[] | null
}

/** The approvals and the history of a record. */
export interface TravellingWorkflow {
  readonly approvals: readonly TravellingApproval[]
  readonly changes: readonly TravellingChange[]
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
  /** What travels of a record: its approvals and its history, oldest first. */
  travelling(reads: Pick<Reads, 'all'>, place: WorkflowPlace): TravellingWorkflow
  /** The next records that have any of it, by the uid of their object and their id. */
  travellingPlaces(reads: Pick<Reads, 'all'>, after: WorkflowPlace | null, limit: number): WorkflowPlace[]
  /**
   * Takes over what another machine says of a record: locks, ends and notifications of people known here follow. What is
   * known already changes nothing. Asks for no rights.
   * @param ctx of who made the change, with the source `sync`
   * @returns `later` when the object is not here; nothing is done then
   */
  applyRemote(tx: Tx, ctx: RequestContext, place: WorkflowPlace, said: TravellingWorkflow): 'done' | 'later'
  /** The approval that holds a record against a caller; undefined for none. */
  heldBy(ctx: RequestContext, record: { readonly object: string; readonly recordId: string }): string | undefined
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    workflow: WorkflowService
  }
}
