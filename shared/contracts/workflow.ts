// Contracts of workflows and approvals (specification "/workflow", D-163 to D-167, D-250 to D-259). All bare.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { FieldMap, QueryInteger, QueryList, RecordMap } from './common.ts'

/** The states of an approval; all but `pending` are final. */
export const approvalStatuses = ['pending', 'approved', 'rejected', 'recalled'] as const

/** What somebody did with an approval. */
export const approvalActs = ['approve', 'reject', 'recall', 'reassign', 'escalate'] as const

/** One act, by a user or by `system`. */
export const ApprovalDecision = z
  .object({
    userId: z.string(),
    decision: z.enum(approvalActs),
    comment: z.string().optional(),
    to: z.array(z.string()).optional().meta({ description: 'Who decides from then on, of a reassignment.' }),
    timestamp: z.string(),
  })
  .meta({ id: 'ApprovalDecision' })

/** One act. */
export type ApprovalDecision = z.output<typeof ApprovalDecision>

/** An approval that somebody asked for. */
export const ApprovalRequest = z
  .object({
    id: z.string(),
    object: z.string(),
    recordId: z.string(),
    workflow: z.string().optional(),
    transition: z.string().optional(),
    flowRunId: z.string().optional(),
    nodeId: z.string().optional(),
    submitterId: z.string(),
    comment: z.string().optional(),
    status: z.enum(approvalStatuses),
    behavior: z.enum(['first_response', 'unanimous', 'majority']),
    lockRecord: z.boolean(),
    requireRejectReason: z.boolean(),
    approvers: z.array(z.string()),
    decisions: z.array(ApprovalDecision),
    createdAt: z.string(),
    escalatesAt: z.string().optional(),
    decidedAt: z.string().optional(),
  })
  .meta({ id: 'ApprovalRequest' })

/** An approval that somebody asked for. */
export type ApprovalRequest = z.output<typeof ApprovalRequest>

/** A transition the caller may make now. */
const AvailableTransition = z.object({
  name: z.string(),
  targetState: z.string(),
  label: z.string(),
  requiresApproval: z.boolean(),
  requiresComment: z.boolean(),
})

/** A change of the state. */
const HistoryEntry = z.object({
  fromState: z.string().nullable(),
  toState: z.string().nullable(),
  action: z.string().meta({ description: 'The transition; `update` where none of its name leads there.' }),
  userId: z.string(),
  timestamp: z.string(),
  comment: z.string().optional(),
  approvers: z
    .array(z.string())
    .optional()
    .meta({ description: 'Who approved it, of a transition that was approved.' }),
})

/** How a record stands in a workflow. */
export const WorkflowState = z
  .object({
    workflow: z.string(),
    field: z.string(),
    currentState: z.string().nullable(),
    availableTransitions: z.array(AvailableTransition),
    pendingApproval: ApprovalRequest.nullable(),
    history: z.array(HistoryEntry),
    isFinal: z.boolean(),
  })
  .meta({ id: 'WorkflowState' })

/** How a record stands in a workflow. */
export type WorkflowState = z.output<typeof WorkflowState>

/** A workflow as it is shown. */
export const Workflow = z
  .object({
    name: z.string(),
    label: z.string(),
    field: z.string(),
    initial: z.string().nullable(),
    states: z.array(
      z.object({ name: z.string(), label: z.string(), color: z.string().optional(), final: z.boolean() }),
    ),
    transitions: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        from: z.array(z.string()),
        to: z.string(),
        requiresApproval: z.boolean(),
        requiresComment: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Workflow' })

/** A workflow as it is shown. */
export type Workflow = z.output<typeof Workflow>

/** What client libraries of this protocol read of a list (D-167). */
const again = { description: 'The same, where client libraries of this protocol look.' }
const Comment = z.string().max(10_000)
const RecordParams = z.object({ object: z.string(), recordId: z.string() })
const IdParams = z.object({ id: z.string() })
const Acted = z.object({
  request: ApprovalRequest,
  finalized: z.boolean(),
  decision: z.enum(approvalActs),
  runId: z.string().optional(),
  resumed: z.boolean().optional(),
})
const Decided = z.object({
  object: z.string(),
  recordId: z.string(),
  success: z.literal(true),
  state: WorkflowState.nullable().meta({ description: 'Null for callers who see no workflow of the record.' }),
  approval: ApprovalRequest,
  finalized: z.boolean(),
})
const DecisionBody = z.object({
  reason: Comment.optional(),
  comment: Comment.optional(),
  data: FieldMap.optional(),
  approvalId: z.string().optional(),
})
const ActBody = z.object({ comment: Comment.optional(), reason: Comment.optional() }).prefault({})

const shared = {
  mount: 'versioned',
  permission: 'session',
  channel: 'workflow',
  tag: 'workflow',
} as const
const reads = { ...shared, method: 'GET', rateLimit: 'read' } as const
const writes = { ...shared, method: 'POST', rateLimit: 'write' } as const

/** What a change of the record may be refused with. */
const changeErrors = ['CONCURRENT_UPDATE', 'record_locked'] as const
/** What a decision may be refused with. */
const decisionErrors = [
  ...changeErrors,
  'approval_not_found',
  'approval_not_assigned',
  'approval_already_decided',
  'comment_required',
  'transition_not_available',
  'transition_condition_failed',
] as const

/** The routes of the `workflow` plugin. */
export const workflowRoutes = defineRoutes({
  getWorkflowConfig: defineRoute({
    ...reads,
    operationId: 'getWorkflowConfig',
    path: '/workflow/:object/config',
    params: z.object({ object: z.string() }),
    response: z.object({ object: z.string(), workflows: z.array(Workflow) }),
    errors: ['permission_denied'],
    summary: 'The active workflows of an object.',
  }),
  getWorkflowState: defineRoute({
    ...reads,
    operationId: 'getWorkflowState',
    path: '/workflow/:object/:recordId/state',
    params: RecordParams,
    query: z.object({ workflow: z.string().optional() }),
    response: z.object({ object: z.string(), recordId: z.string(), state: WorkflowState }),
    errors: ['permission_denied', 'workflow_not_found'],
    summary: 'How a record stands: its state, what may be done, what was done.',
  }),
  transitionRecord: defineRoute({
    ...writes,
    operationId: 'transitionRecord',
    path: '/workflow/:object/:recordId/transition',
    params: RecordParams,
    body: z.object({
      transition: z.string().min(1),
      comment: Comment.optional(),
      data: FieldMap.optional(),
      workflow: z.string().optional(),
      expectedVersion: z.string().optional(),
    }),
    response: z.object({
      object: z.string(),
      recordId: z.string(),
      success: z.literal(true),
      pending: z.literal(true).optional(),
      state: WorkflowState,
      record: RecordMap,
    }),
    errors: [
      ...changeErrors,
      'workflow_not_found',
      'transition_not_found',
      'transition_not_available',
      'transition_denied',
      'transition_condition_failed',
      'comment_required',
      'approval_pending',
    ],
    summary: 'Make a transition, or ask for its approval.',
  }),
  approveRecord: defineRoute({
    ...writes,
    operationId: 'approveRecord',
    path: '/workflow/:object/:recordId/approve',
    params: RecordParams,
    body: DecisionBody.prefault({}),
    response: Decided,
    errors: [...decisionErrors],
    summary: 'Approve what is asked for a record.',
  }),
  rejectRecord: defineRoute({
    ...writes,
    operationId: 'rejectRecord',
    path: '/workflow/:object/:recordId/reject',
    params: RecordParams,
    body: DecisionBody.prefault({}),
    response: Decided,
    errors: [...decisionErrors],
    summary: 'Reject what is asked for a record.',
  }),
  listApprovalRequests: defineRoute({
    ...reads,
    operationId: 'listApprovalRequests',
    path: '/approvals/requests',
    query: z.object({
      object: QueryList.optional(),
      recordId: QueryList.optional(),
      status: QueryList.pipe(z.array(z.enum(approvalStatuses))).optional(),
      approverId: QueryList.optional(),
      submitterId: QueryList.optional(),
      limit: QueryInteger.optional(),
      cursor: z.string().optional(),
    }),
    response: z.object({
      requests: z.array(ApprovalRequest),
      data: z.array(ApprovalRequest).meta(again),
      total: z.int(),
      hasMore: z.boolean(),
      nextCursor: z.string().optional(),
    }),
    errors: ['permission_denied'],
    summary: 'Approvals the caller may see, newest first.',
  }),
  getApprovalRequest: defineRoute({
    ...reads,
    operationId: 'getApprovalRequest',
    path: '/approvals/requests/:id',
    params: IdParams,
    response: ApprovalRequest,
    errors: ['permission_denied', 'approval_not_found'],
    summary: 'One approval.',
  }),
  listApprovalActions: defineRoute({
    ...reads,
    operationId: 'listApprovalActions',
    path: '/approvals/requests/:id/actions',
    params: IdParams,
    response: z.object({ actions: z.array(ApprovalDecision), data: z.array(ApprovalDecision).meta(again) }),
    errors: ['permission_denied', 'approval_not_found'],
    summary: 'What was done with an approval, oldest first.',
  }),
  approveRequest: defineRoute({
    ...writes,
    operationId: 'approveRequest',
    path: '/approvals/requests/:id/approve',
    params: IdParams,
    body: ActBody,
    response: Acted,
    errors: [...decisionErrors],
    summary: 'Approve.',
  }),
  rejectRequest: defineRoute({
    ...writes,
    operationId: 'rejectRequest',
    path: '/approvals/requests/:id/reject',
    params: IdParams,
    body: ActBody,
    response: Acted,
    errors: [...decisionErrors],
    summary: 'Reject.',
  }),
  recallRequest: defineRoute({
    ...writes,
    operationId: 'recallRequest',
    path: '/approvals/requests/:id/recall',
    params: IdParams,
    body: ActBody,
    response: Acted,
    errors: ['approval_not_found', 'approval_not_assigned', 'approval_already_decided'],
    summary: 'Take back what one asked for.',
  }),
  reassignRequest: defineRoute({
    ...writes,
    operationId: 'reassignRequest',
    path: '/approvals/requests/:id/reassign',
    params: IdParams,
    body: z.object({ to: z.string().min(1), comment: Comment.optional(), reason: Comment.optional() }),
    response: Acted,
    errors: ['approval_not_found', 'approval_not_assigned', 'approval_already_decided'],
    summary: 'Have somebody else decide.',
  }),
  getNextStates: defineRoute({
    ...reads,
    operationId: 'getNextStates',
    path: '/meta/object/:name/state/:field',
    params: z.object({ name: z.string(), field: z.string() }),
    query: z.object({ from: z.string().optional() }),
    response: z.object({
      object: z.string(),
      field: z.string(),
      from: z.string().nullable(),
      next: z.array(z.string()),
    }),
    errors: ['permission_denied', 'workflow_not_found'],
    summary: 'The states a field may go to from one of them.',
  }),
})
