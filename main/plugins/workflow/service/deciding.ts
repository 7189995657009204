// People act on approvals: they approve, reject, take back, hand on (D-167). A decision, what it ends and what follows from
// it are one transaction; of two who decide at once, one ends it and the other is told so.
import type { ApprovalDecision } from '#shared/contracts/workflow.ts'
import { platformError, validationError } from '#shared/errors.ts'
import type { ApprovalDefinition } from '#shared/rules/approval-definition.ts'
import type { StateMachine, Transition } from '#shared/rules/state-machine.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { asSystem } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import { workflowError } from '../errors.ts'
import type { ApprovalRow } from '../store.ts'
import { approversOf, readApproval } from '../store.ts'
import type { Acted, Approvals, Ending } from './approvals.ts'
import type { Approvers } from './approvers.ts'
import type { History } from './history.ts'
import { stateOf } from './history.ts'
import type { Locks } from './locks.ts'
import type { Machines } from './machines.ts'
import { refuseStates, requireComment, requireFrom } from './transitions.ts'
import type { Verdict } from './verdict.ts'
import { verdictOf, votesOf } from './verdict.ts'

/** What acting on approvals works with. */
export interface DecidingParts {
  readonly read: Reads
  readonly write: Write
  readonly data: Pick<DataService, 'update' | 'requireRecord' | 'transitionHolds' | 'stateMachines'>
  readonly authorizer: () => Authorizer
  readonly permissions: Pick<PermissionsService, 'isAdministrator'>
  readonly machines: Machines
  readonly history: History
  readonly locks: Locks
  readonly approvers: Approvers
  readonly approvals: Approvals
  /** How somebody is called; null for nobody known. */
  readonly nameOf: (userId: string) => string | null
}

/** A decision. */
export interface DecisionInput {
  readonly decision: 'approve' | 'reject'
  readonly comment?: string | undefined
  /** Values of the record that go with it. */
  readonly data?: Record<string, unknown> | undefined
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

/** Somebody else decided between the look and the transaction. */
class Overtaken extends Error {}

/** Makes the acts. */
export function createDeciding(parts: DecidingParts): Deciding {
  const { read, write, data, approvals, history, locks } = parts

  /** The approval as it is in a transaction. @throws approval_already_decided */
  const pendingIn = (reads: Pick<Reads, 'get'>, { id }: ApprovalRow): ApprovalRow => {
    const row = readApproval(reads, id)
    if (row?.status === 'pending') return row
    throw workflowError('approval_already_decided', row === undefined ? {} : { status: row.status })
  }

  /** What a decision makes of an approval. @throws approval_not_assigned, approval_already_decided */
  const verdictWith = (reads: Pick<Reads, 'all'>, row: ApprovalRow, userId: string, act: DecisionInput): Verdict => {
    const deciders = approversOf(reads, row.id)
    if (!deciders.includes(userId)) throw workflowError('approval_not_assigned')
    const votes = votesIn(row)
    if (votes.has(userId)) throw workflowError('approval_already_decided', { status: row.status, by: userId })
    const { behavior } = JSON.parse(row.definition) as ApprovalDefinition
    return verdictOf(behavior, deciders, votes.set(userId, act.decision))
  }

  /** The transition an approval is about; undefined for one that is about none. @throws transition_not_available */
  const aim = (row: ApprovalRow): { machine: StateMachine; wanted: Transition } | undefined => {
    if (row.transition === null) return undefined
    const { name } = parts.machines.byUid(row.object)!
    const machine = data.stateMachines(name).find((one) => one.name === row.workflow)
    const wanted = machine?.transitions.find((one) => one.name === row.transition)
    if (machine !== undefined && wanted !== undefined) return { machine, wanted }
    throw workflowError('transition_not_available', { currentState: null, availableTransitions: [] })
  }

  /** The transition at the end of an approval, and the values that go with a decision: one change by the system. */
  const store = async (
    ctx: RequestContext,
    row: ApprovalRow,
    aimed: ReturnType<typeof aim>,
    given: Record<string, unknown> | undefined,
    act: (tx: Tx) => void,
  ): Promise<void> => {
    const { name: object } = parts.machines.byUid(row.object)!
    const system = asSystem(ctx)
    locks.exempt(system)
    const change = { object, id: row.record_id, data: given ?? {} }
    if (aimed === undefined) {
      await data.update(system, change, { before: act })
      return
    }
    const { machine, wanted } = aimed
    const user = { id: row.submitter_id, name: parts.nameOf(row.submitter_id) }
    history.noting(system, machine)
    await data.update(system, change, {
      move: { machine: machine.name, to: wanted.to },
      sets: { ...wanted.set, [machine.field]: wanted.to },
      before(tx, record) {
        act(tx)
        requireFrom(machine, wanted, record)
      },
      after(tx, record: PlatformRecord, previous: PlatformRecord) {
        if (!data.transitionHolds(wanted, { record, previous, user }))
          throw workflowError('transition_condition_failed', { transition: wanted.name })
        const approvers = [...votesIn(readApproval(tx, row.id)!)].flatMap(([id, vote]) =>
          vote === 'approve' ? [id] : [],
        )
        const [from, to] = [stateOf(previous[machine.field]), stateOf(record[machine.field])]
        const told = { from, to, action: wanted.name, comment: row.comment ?? undefined, approvers }
        history.note(tx, system, { object, recordId: row.record_id, machine, ...told })
      },
    })
  }

  /** @param verdict what the decision makes of the approval; asked again in the transaction */
  const settle = async (
    ctx: RequestContext,
    row: ApprovalRow,
    { decision, comment, data: given }: DecisionInput,
    verdict: (reads: Pick<Reads, 'all'>, row: ApprovalRow) => Verdict,
  ): Promise<Acted> => {
    const expected = verdict(read, pendingIn(read, row))
    let acted: Acted | undefined
    const act = (tx: Tx): void => {
      const now = pendingIn(tx, row)
      const found = verdict(tx, now)
      if (found !== expected) throw new Overtaken()
      const ending: Ending | undefined = found ?? undefined
      acted = approvals.act(tx, ctx, now, { userId: ctx.actor.id, decision, ...said(comment) }, ending)
    }
    const aimed = expected === 'approved' ? aim(row) : undefined
    const hasValues = Object.keys(given ?? {}).length > 0
    if (aimed !== undefined || hasValues) await store(ctx, row, aimed, given, act)
    else await write('workflow.decide', act)
    return acted!
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

function votesIn({ decisions }: ApprovalRow): Map<string, 'approve' | 'reject'> {
  return votesOf(JSON.parse(decisions) as ApprovalDecision[])
}

function said(comment: string | undefined): { comment?: string } {
  return comment === undefined ? {} : { comment }
}
