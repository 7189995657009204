// Handlers of workflows and approvals: requests to service calls and back.
import type { workflowRoutes } from '#shared/contracts/workflow.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { WorkflowOperations } from './service.ts'

/** Makes the handlers. */
export function workflowHandlers(operations: WorkflowOperations): Handlers<typeof workflowRoutes> {
  return {
    getWorkflowConfig: (ctx, { params }) => operations.config(ctx, params.object),
    getWorkflowState: (ctx, { params, query }) => operations.state(ctx, params, query.workflow),
    transitionRecord: (ctx, { params, body }) => operations.transition(ctx, { ...params, ...body }),
    approveRecord: (ctx, { params, body }) => operations.decideRecord(ctx, params, 'approve', body),
    rejectRecord: (ctx, { params, body }) => operations.decideRecord(ctx, params, 'reject', body),
    listApprovalRequests(ctx, { query }) {
      const page = operations.list(ctx, query)
      return { ...page, data: page.requests }
    },
    getApprovalRequest: (ctx, { params }) => operations.get(ctx, params.id),
    listApprovalActions(ctx, { params }) {
      const { decisions } = operations.get(ctx, params.id)
      return { actions: decisions, data: decisions }
    },
    approveRequest: (ctx, { params, body }) => operations.decide(ctx, params.id, 'approve', body),
    rejectRequest: (ctx, { params, body }) => operations.decide(ctx, params.id, 'reject', body),
    recallRequest: (ctx, { params, body }) => operations.recall(ctx, params.id, body),
    reassignRequest: (ctx, { params, body }) => operations.reassign(ctx, params.id, body.to, body),
    getNextStates: (ctx, { params, query }) => operations.next(ctx, params.name, params.field, query.from),
  }
}
