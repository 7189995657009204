// What happens to approvals nobody decided in time (D-167, D-253). Due times are rows, so nothing is lost by a restart.
import type { ApprovalDecision } from '#shared/contracts/workflow.ts'
import { PlatformError } from '#shared/errors.ts'
import type { ApprovalDefinition, Approver } from '#shared/rules/approval-definition.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { ApprovalRow } from '../store.ts'
import { approversOf, dueApprovals, readApproval } from '../store.ts'
import type { Announcer } from './announce.ts'
import type { Approvals } from './approvals.ts'
import type { Approvers } from './approvers.ts'
import type { Deciding } from './deciding.ts'
import type { Machines } from './machines.ts'
import type { States } from './states.ts'
import { votesOf } from '#shared/rules/approval-verdict.ts'

/** What escalation works with. */
export interface EscalationParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly machines: Machines
  readonly states: Pick<States, 'whole'>
  readonly approvers: Approvers
  readonly approvals: Approvals
  readonly deciding: Pick<Deciding, 'force'>
  readonly announcer: Announcer
}

type Escalation = NonNullable<ApprovalDefinition['escalation']>

const slice = 100

/** Makes the deed: everything that is due. */
export function createEscalation(parts: EscalationParts): () => Promise<void> {
  const { read, write, clock, log, approvals } = parts

  /** Whom a request goes to when its time is over: nobody who has decided already. */
  const receivers = async (row: ApprovalRow, { escalateTo }: Escalation): Promise<string[]> => {
    if (escalateTo === undefined) return []
    const { name } = parts.machines.byUid(row.object)!
    const approver: Approver = typeof escalateTo === 'string' ? { type: 'user', value: escalateTo } : escalateTo
    const record = await parts.states.whole(name, row.record_id)
    const { submitter_id: submitterId, organization_id: organizationId } = row
    const votes = votesOf(JSON.parse(row.decisions) as ApprovalDecision[])
    const found = parts.approvers.find([approver], { record, submitterId, organizationId })
    return found.filter((id) => !votes.has(id))
  }

  /** Does something with a request that is still undecided and late, in one transaction. */
  const late = (row: ApprovalRow, act: (tx: Tx, now: ApprovalRow) => void): Promise<void> =>
    write('workflow.escalate', (tx) => {
      const now = readApproval(tx, row.id)
      if (now?.status !== 'pending' || now.escalate_at === null) return
      approvals.settleTime(tx, now)
      act(tx, { ...now, escalate_at: null })
    })

  const remind = (row: ApprovalRow, others: readonly string[]): Promise<void> =>
    late(row, (tx, now) => {
      const ctx = internalContext(parts.ids.uuid())
      const approvers = approversOf(tx, now.id)
      approvals.act(tx, ctx, now, { userId: ctx.actor.id, decision: 'escalate' })
      const told = [...approvers, ...others, now.submitter_id]
      parts.announcer.late(tx, { schema: parts.machines.byUid(now.object)!, approval: now, approvers }, told)
    })

  const handOn = (row: ApprovalRow, to: readonly string[]): Promise<void> =>
    late(row, (tx, now) => {
      const ctx = internalContext(parts.ids.uuid())
      approvals.act(tx, ctx, now, { userId: ctx.actor.id, decision: 'reassign', to: [...to] })
      approvals.reassign(tx, ctx, now, to, to)
    })

  const escalate = async (row: ApprovalRow): Promise<void> => {
    const { escalation } = JSON.parse(row.definition) as ApprovalDefinition
    if (escalation === undefined) return late(row, () => undefined)
    const others = await receivers(row, escalation)
    switch (escalation.action) {
      case 'notify':
        return remind(row, others)
      case 'reassign':
        // With nobody to hand it on to, the ones who have it are told that it waits.
        return others.length === 0 ? remind(row, others) : handOn(row, others)
      case 'auto_approve':
      case 'auto_reject': {
        const decision = escalation.action === 'auto_approve' ? 'approve' : 'reject'
        await parts.deciding.force(internalContext(parts.ids.uuid()), row, { decision })
      }
    }
  }

  const settle = async (row: ApprovalRow): Promise<void> => {
    if (parts.machines.byUid(row.object) === undefined) return late(row, () => undefined)
    try {
      await escalate(row)
    } catch (error) {
      // Somebody decided meanwhile, or the record does not allow it any more: people are told instead.
      if (!(error instanceof PlatformError)) throw error
      log.warn({ err: error, approval: row.id }, 'An approval could not be escalated; those who have it are told.')
      await remind(row, [])
    }
  }

  return async () => {
    for (;;) {
      const due = dueApprovals(read, clock.now(), slice)
      for (const row of due) await settle(row)
      if (due.length < slice) return
    }
  }
}
