// Approvals and histories between the machines of a workspace (D-342): what is told of them, and what is made of what others
// tell. Knows rows, nothing of documents.
import type { ApprovalDecision } from '#shared/contracts/workflow.ts'
import type { ApprovalDefinition } from '#shared/rules/approval-definition.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { AutomationService } from '#main/plugins/automation/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { TravellingApproval, TravellingChange, WorkflowService } from '../api.ts'
import type { ApprovalRow } from '../store.ts'
import {
  addApproval,
  approvalsOf,
  approversOf,
  changeApproval,
  placesAfter,
  putApprovers,
  readApproval,
} from '../store.ts'
import type { Announcer } from './announce.ts'
import type { Approvals } from './approvals.ts'
import { addChange, changesOf } from './change-store.ts'
import { transitionedEvent } from './history.ts'
import type { Locks } from './locks.ts'
import type { Machines } from './machines.ts'

/** What telling and hearing work with. */
export interface TravellingParts {
  readonly data: Pick<DataService, 'stateMachines'>
  readonly locks: Locks
  readonly machines: Machines
  readonly approvals: Pick<Approvals, 'note'>
  readonly announcer: Announcer
  readonly automation: () => Pick<AutomationService, 'resumeStep'> | undefined
  /** Decisions of several machines may have come together: whoever is to end the approval does. */
  readonly came: (tx: Tx) => void
}

/** What other machines ask of workflows. */
export type Travelling = Pick<WorkflowService, 'travelling' | 'travellingPlaces' | 'applyRemote'>

/** Makes it. */
export function createTravelling(parts: TravellingParts): Travelling {
  const { locks, announcer } = parts

  /** Stores what is new of an approval, and what follows from it here. */
  const take = (tx: Tx, ctx: RequestContext, place: { object: string; recordId: string }, said: TravellingApproval) => {
    const schema = parts.machines.byUid(place.object)!
    const before = readApproval(tx, said.id)
    if (before === undefined) insert(tx, place, said)
    const row = before ?? readApproval(tx, said.id)!
    // Another record's approval under the same id is none of ours.
    if (row.object !== place.object || row.record_id !== place.recordId) return
    if (approversOf(tx, row.id).join() !== said.approvers.join()) putApprovers(tx, row.id, said.approvers)
    const decisions = together(JSON.parse(row.decisions) as ApprovalDecision[], said.acts)
    const status = said.end?.status ?? row.status
    const text = JSON.stringify(decisions)
    const isNews = text !== row.decisions || status !== row.status
    if (isNews)
      changeApproval(tx, {
        ...row,
        status,
        decisions: text,
        escalate_at: status === 'pending' ? row.escalate_at : null,
        decided_at: said.end?.at ?? row.decided_at,
      })
    const hasEnded = row.status === 'pending' && status !== 'pending'
    if (row.locks === 1 && before === undefined && status === 'pending') locks.taken(row.object)
    if (row.locks === 1 && hasEnded) locks.released(tx)
    if (before === undefined ? status === 'pending' : hasEnded)
      announcer.heard(tx, ctx, { schema, approval: row, approvers: said.approvers }, status)
    if (hasEnded && row.flow_run_id !== null) {
      const label = status === 'approved' ? 'approve' : 'reject'
      const step = { runId: row.flow_run_id, key: row.flow_key! }
      parts.automation()?.resumeStep(tx, step, { output: { approvalId: row.id, status, decisions }, label })
    }
    if (isNews && status === 'pending') parts.came(tx)
  }

  return {
    travelling: (reads, { object, recordId }) => ({
      approvals: approvalsOf(reads, { object, recordId, pendingOnly: false }).map((row) => told(reads, row)),
      changes: changesOf(reads, object, recordId).map((row): TravellingChange => ({
        id: row.id,
        workflow: row.workflow,
        from: row.from_state,
        to: row.to_state,
        action: row.action,
        userId: row.user_id,
        at: row.at,
        comment: row.comment,
        approvers: row.approvers === null ? null : (JSON.parse(row.approvers) as string[]),
      })),
    }),
    travellingPlaces: placesAfter,
    applyRemote(tx, ctx, place, { approvals, changes }) {
      if (parts.machines.byUid(place.object) === undefined) return 'later'
      if (approvals.length > 0) parts.approvals.note(place.object)
      for (const said of approvals) take(tx, ctx, place, said)
      const { name: object } = parts.machines.byUid(place.object)!
      for (const change of changes) {
        const isNew = addChange(tx, {
          id: change.id,
          object: place.object,
          record_id: place.recordId,
          workflow: change.workflow,
          from_state: change.from,
          to_state: change.to,
          action: change.action,
          user_id: change.userId,
          at: change.at,
          comment: change.comment,
          approvers: change.approvers === null ? null : JSON.stringify(change.approvers),
        })
        const machine = parts.data.stateMachines(object).find(({ name }) => name === change.workflow)
        if (!isNew || machine === undefined) continue
        const { workflow, from: fromState, to: toState, action, comment } = change
        const payload = { workflow, field: machine.field, fromState, toState, action }
        const told = comment === null ? payload : { ...payload, comment }
        tx.emit(ctx, { type: transitionedEvent, object, recordId: place.recordId, payload: told })
      }
      return 'done'
    },
  }
}

/** The time of an approval runs on the machine where it was asked for, and so does a flow that waits for it. */
function insert(tx: Tx, { object, recordId }: { object: string; recordId: string }, said: TravellingApproval): void {
  const row = {
    id: said.id,
    object,
    record_id: recordId,
    workflow: said.workflow,
    transition: said.transition,
    flow_run_id: null,
    flow_node_id: null,
    flow_key: null,
    organization_id: said.organizationId,
    submitter_id: said.submitterId,
    comment: said.comment,
    definition: JSON.stringify(said.definition),
    locks: said.definition.lockRecord ? 1 : 0,
    escalate_at: null,
    created_at: said.createdAt,
    is_own: 0,
  }
  addApproval(tx, row, said.approvers)
}

function told(reads: Pick<Reads, 'all'>, row: ApprovalRow): TravellingApproval {
  const { status, decided_at: at } = row
  return {
    id: row.id,
    workflow: row.workflow,
    transition: row.transition,
    submitterId: row.submitter_id,
    comment: row.comment,
    organizationId: row.organization_id,
    definition: JSON.parse(row.definition) as ApprovalDefinition,
    createdAt: row.created_at,
    approvers: approversOf(reads, row.id),
    acts: JSON.parse(row.decisions) as ApprovalDecision[],
    end: status === 'pending' ? null : { status, at: at ?? row.created_at },
  }
}

/** What was done on both sides, oldest first; nobody does two things at one moment. */
function together(mine: readonly ApprovalDecision[], theirs: readonly ApprovalDecision[]): ApprovalDecision[] {
  const keyOf = ({ timestamp, userId, decision }: ApprovalDecision): string => `${timestamp} ${userId} ${decision}`
  const all = new Map([...mine, ...theirs].map((act) => [keyOf(act), act]))
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, act]) => act)
}
