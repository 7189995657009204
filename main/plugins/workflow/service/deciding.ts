// People act on approvals: they approve, reject, take back, hand on (D-167). A decision, what it ends and what follows from
// it are one transaction; of two who decide at once, one ends it and the other is told so.
import { platformError, validationError } from '#shared/errors.ts'
import type { ApprovalDefinition } from '#shared/rules/approval-definition.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import { workflowError } from '../errors.ts'
import type { ApprovalRow } from '../store.ts'
import { approversOf } from '../store.ts'
import type { Acted, Approvals } from './approvals.ts'
import type { Approvers } from './approvers.ts'
import type { Machines } from './machines.ts'
import type { DecisionInput, Settle } from './settling.ts'
import { Overtaken, pendingIn, said, votesIn } from './settling.ts'
import { refuseStates, requireComment } from './transitions.ts'
import type { Verdict } from '#shared/rules/approval-verdict.ts'
import { verdictOf } from '#shared/rules/approval-verdict.ts'

/** What acting on approvals works with. */
export interface DecidingParts {
  readonly read: Reads
  readonly write: Write
  readonly data: Pick<DataService, 'requireRecord' | 'stateMachines'>
  readonly authorizer: () => Authorizer
  readonly permissions: Pick<PermissionsService, 'isAdministrator'>
  readonly machines: Machines
  readonly approvers: Approvers
  readonly approvals: Approvals
  readonly settle: Settle
}

/** People's acts; whoever calls has made sure that the caller may see the approval. */
export interface Deciding {
  /** @throws approval_already_decided, approval_not_assigned, comment_required, what the transition is refused with */
  decide(ctx: RequestContext, row: ApprovalRow, input: DecisionInput): Promise<Acted>
  /** Decides whatever the others say; for the host itself. */
  force(ctx: RequestContext, row: ApprovalRow, input: DecisionInput): Promise<Acted>
  /** @throws approval_already_decided, approval_not_assigned */
  recall(ctx: RequestContext, row: ApprovalRow, comment?: string): Promise<Acted>
  /** @throws approval_already_decided, approval_not_assigned, validation_error */
  reassign(ctx: RequestContext, row: ApprovalRow, to: string, comment?: string): Promise<Acted>
}

/** Makes the acts. */
export function createDeciding(parts: DecidingParts): Deciding {
  const { read, write, data, approvals, settle } = parts

  /** What a decision makes of an approval. @throws approval_not_assigned, approval_already_decided */
  const verdictWith = (reads: Pick<Reads, 'all'>, row: ApprovalRow, userId: string, act: DecisionInput): Verdict => {
    const deciders = approversOf(reads, row.id)
    if (!deciders.includes(userId)) throw workflowError('approval_not_assigned')
    const votes = votesIn(row)
    if (votes.has(userId)) throw workflowError('approval_already_decided', { status: row.status, by: userId })
    const { behavior } = JSON.parse(row.definition) as ApprovalDefinition
    return verdictOf(behavior, deciders, votes.set(userId, act.decision))
  }

  /** A credential narrowed to permission sets decides what it may edit. @throws permission_denied, resource_not_found */
  const requireScope = (ctx: RequestContext, row: ApprovalRow): void => {
    if ((ctx.scope?.permissionSets ?? null) === null) return
    data.requireRecord(ctx, { object: parts.machines.byUid(row.object)!.name, id: row.record_id, action: 'edit' })
  }

  /** The values of a decision are those the decider may write. @throws permission_denied, validation_error */
  const requireValues = (ctx: RequestContext, row: ApprovalRow, given: Record<string, unknown> = {}): void => {
    const names = Object.keys(given)
    if (names.length === 0) return
    const { name: object, byName } = parts.machines.byUid(row.object)!
    refuseStates(data.stateMachines(object), given)
    const action = names.includes('owner') ? 'transfer' : 'edit'
    data.requireRecord(ctx, { object, id: row.record_id, action: 'edit' })
    data.requireRecord(ctx, { object, id: row.record_id, action })
    const fields = names.filter(
      (field) => byName.has(field) && !parts.authorizer().canField(ctx, object, field, 'editable') && field !== 'owner',
    )
    if (fields.length > 0) throw platformError('permission_denied', { object, fields })
  }

  return {
    async decide(ctx, row, input) {
      const { requireRejectReason } = JSON.parse(row.definition) as ApprovalDefinition
      const verdict = (reads: Pick<Reads, 'all'>, now: ApprovalRow): Verdict =>
        verdictWith(reads, now, ctx.actor.id, input)
      requireScope(ctx, row)
      verdict(read, pendingIn(read, row))
      requireComment(requireRejectReason && input.decision === 'reject', input.comment)
      requireValues(ctx, row, input.data)
      // Each round somebody else acted, and what was decided stays so.
      for (;;) {
        try {
          return await settle(ctx, row, input, verdict)
        } catch (error) {
          if (!(error instanceof Overtaken)) throw error
        }
      }
    },
    force: (ctx, row, input) => settle(ctx, row, input, () => (input.decision === 'approve' ? 'approved' : 'rejected')),
    async recall(ctx, row, comment) {
      requireScope(ctx, row)
      return write('workflow.recall', (tx) => {
        const now = pendingIn(tx, row)
        if (row.submitter_id !== ctx.actor.id && !parts.permissions.isAdministrator(ctx))
          throw workflowError('approval_not_assigned')
        return approvals.act(tx, ctx, now, { userId: ctx.actor.id, decision: 'recall', ...said(comment) }, 'recalled')
      })
    },
    async reassign(ctx, row, to, comment) {
      requireScope(ctx, row)
      return write('workflow.reassign', (tx) => {
        const now = pendingIn(tx, row)
        const deciders = approversOf(tx, row.id)
        const votes = votesIn(now)
        const isDecider = deciders.includes(ctx.actor.id)
        if (!isDecider && !parts.permissions.isAdministrator(ctx)) throw workflowError('approval_not_assigned')
        if (votes.has(ctx.actor.id))
          throw workflowError('approval_already_decided', { status: now.status, by: ctx.actor.id })
        if (deciders.includes(to) || votes.has(to) || !parts.approvers.mayDecide(to, row.organization_id)) {
          const message = 'Name a user of the workspace who does not decide already.'
          throw validationError([{ field: 'to', code: 'invalid_reference', message, value: to }])
        }
        const leaves = (id: string): boolean => (isDecider ? id === ctx.actor.id : !votes.has(id))
        const given = { userId: ctx.actor.id, decision: 'reassign' as const, to: [to], ...said(comment) }
        const acted = approvals.act(tx, ctx, now, given)
        approvals.reassign(tx, ctx, now, [to], [...deciders.filter((id) => !leaves(id)), to])
        return acted
      })
    },
  }
}
