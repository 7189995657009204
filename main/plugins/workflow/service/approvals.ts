// The life of an approval inside of transactions: it is opened, acted upon, and ended together with what follows from it.
// Asks for no rights; whoever calls has done that.
import type { ApprovalDecision } from '#shared/contracts/workflow.ts'
import { validationError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { ApprovalDefinition } from '#shared/rules/approval-definition.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { AutomationService } from '#main/plugins/automation/api.ts'
import type { ApprovalChange, ApprovalRow, NewApproval } from '../store.ts'
import { addApproval, approvalsOf, approversOf, changeApproval, objectsWithApprovals, putApprovers } from '../store.ts'
import type { Announcer, Told } from './announce.ts'
import type { Approvers } from './approvers.ts'
import type { Locks } from './locks.ts'
import type { Machines } from './machines.ts'

/** What the life of approvals works with. */
export interface ApprovalParts {
  readonly read: Pick<Reads, 'all'>
  readonly clock: Clock
  readonly ids: Ids
  readonly locks: Locks
  readonly machines: Machines
  readonly approvers: Approvers
  readonly announcer: Announcer
  readonly automation: () => Pick<AutomationService, 'resumeStep'> | undefined
  /** The organization a record belongs to; null for none. */
  readonly organizationOf: (read: Pick<Reads, 'get'>, object: string, recordId: string) => string | null
}

/** An approval that somebody asks for. */
export interface Opening {
  readonly schema: ObjectSchema
  /** All of the record. */
  readonly record: Readonly<Record<string, unknown>>
  readonly definition: ApprovalDefinition
  readonly submitterId: string
  readonly comment?: string | undefined
  readonly workflow?: string
  readonly transition?: string
  readonly flow?: { readonly runId: string; readonly nodeId: string; readonly key: string }
}

/** How an approval ends. */
export type Ending = Exclude<ApprovalRow['status'], 'pending'>

/** What an act comes to. */
export interface Acted {
  readonly isFinal: boolean
  /** Whether the run of a flow that waited goes on; undefined where none waited. */
  readonly resumed: boolean | undefined
}

/** The approvals of one host. */
export interface Approvals {
  /** @returns the id @throws validation_error when nobody is found who decides */
  open(tx: Tx, ctx: RequestContext, opening: Opening): string
  /** Stores an act; with an ending, everything that follows from it. */
  act(tx: Tx, ctx: RequestContext, row: ApprovalRow, act: Omit<ApprovalDecision, 'timestamp'>, ending?: Ending): Acted
  /** Ends an approval by the decisions there are, from wherever they came. */
  conclude(tx: Tx, ctx: RequestContext, row: ApprovalRow, ending: Ending): Acted
  /** Has others decide. */
  reassign(tx: Tx, ctx: RequestContext, row: ApprovalRow, to: readonly string[], now: readonly string[]): void
  /** Nothing more happens to an approval by the time. */
  settleTime(tx: Tx, row: ApprovalRow): void
  /** The object has approvals, from wherever they came. */
  note(object: string): void
  /** Takes back what waits for a record that leaves; with `ownOnly` what was asked for on this machine. */
  leave(
    tx: Tx,
    ctx: RequestContext,
    record: { readonly object: string; readonly recordId: string; readonly ownOnly: boolean },
  ): void
}

const hourMs = 3_600_000

/** Raised in the transaction of everything that is done with an approval; it never leaves the host. */
export const touchedEvent = 'decision.noted'

/** Makes the life of approvals. */
export function createApprovals(parts: ApprovalParts): Approvals {
  const { clock, ids, locks, announcer } = parts
  /** Uids of objects that ever had an approval: records of others leave without a look. */
  const used = new Set(objectsWithApprovals(parts.read))

  const change = (tx: Tx, row: ApprovalRow, given: Partial<ApprovalChange>): void => {
    const { id, status, decisions, escalate_at: escalateAt, decided_at: decidedAt, last_own_at: lastOwnAt } = row
    changeApproval(tx, {
      id,
      status,
      decisions,
      escalate_at: escalateAt,
      decided_at: decidedAt,
      last_own_at: lastOwnAt,
      ...given,
    })
  }

  /** Undefined once the object is gone: there is nobody left to tell. */
  const toldOf = (tx: Tx, approval: ApprovalRow): Told | undefined => {
    const schema = parts.machines.byUid(approval.object)
    return schema === undefined ? undefined : { schema, approval, approvers: approversOf(tx, approval.id) }
  }

  /** Other machines are told of everything that is done with an approval. */
  const touched = (tx: Tx, ctx: RequestContext, { id, object, record_id: recordId }: NewApproval): void => {
    const schema = parts.machines.byUid(object)
    if (schema !== undefined)
      tx.emit(ctx, { type: touchedEvent, object: schema.name, recordId, payload: { approvalRequestId: id } })
  }

  const act: Approvals['act'] = (tx, ctx, row, what, ending) => {
    const timestamp = clock.iso()
    const decisions = [...(JSON.parse(row.decisions) as ApprovalDecision[]), { ...what, timestamp }]
    const given = { decisions: JSON.stringify(decisions), last_own_at: timestamp }
    if (ending !== undefined) return end(tx, ctx, { ...row, ...given }, ending)
    change(tx, row, given)
    touched(tx, ctx, row)
    return { isFinal: false, resumed: undefined }
  }

  const end: Approvals['conclude'] = (tx, ctx, row, ending) => {
    change(tx, row, { status: ending, escalate_at: null, decided_at: clock.iso() })
    touched(tx, ctx, row)
    if (row.locks === 1) locks.released(tx)
    const told = toldOf(tx, row)
    if (told !== undefined) announcer.decided(tx, ctx, told, ending)
    if (row.flow_run_id === null) return { isFinal: true, resumed: undefined }
    const output = { approvalId: row.id, status: ending, decisions: JSON.parse(row.decisions) as ApprovalDecision[] }
    const label = ending === 'approved' ? 'approve' : 'reject'
    const step = { runId: row.flow_run_id, key: row.flow_key! }
    return { isFinal: true, resumed: parts.automation()?.resumeStep(tx, step, { output, label }) ?? false }
  }

  return {
    act,
    conclude: end,
    open(tx, ctx, { schema, record, definition, submitterId, comment, workflow, transition, flow }) {
      const recordId = String(record['id'])
      const organizationId = parts.organizationOf(tx, schema.name, recordId)
      const userIds = parts.approvers.find(definition.approvers, { record, submitterId, organizationId })
      if (userIds.length === 0) {
        const message = 'Nobody is found who could decide; nothing was asked for. Name approvers who have an account.'
        throw validationError([{ field: 'approvers', code: 'required', message }])
      }
      const { timeoutHours } = definition.escalation ?? {}
      const row: NewApproval = {
        id: ids.uuid(),
        object: schema.uid,
        record_id: recordId,
        workflow: workflow ?? null,
        transition: transition ?? null,
        flow_run_id: flow?.runId ?? null,
        flow_node_id: flow?.nodeId ?? null,
        flow_key: flow?.key ?? null,
        organization_id: organizationId,
        submitter_id: submitterId,
        comment: comment ?? null,
        definition: JSON.stringify(definition),
        locks: definition.lockRecord ? 1 : 0,
        escalate_at: timeoutHours === undefined ? null : clock.now() + timeoutHours * hourMs,
        created_at: clock.iso(),
        is_own: 1,
      }
      addApproval(tx, row, userIds)
      touched(tx, ctx, row)
      used.add(schema.uid)
      if (definition.lockRecord) locks.taken(schema.uid)
      announcer.requested(tx, ctx, { schema, approval: row, approvers: userIds }, userIds, 'first')
      return row.id
    },
    reassign(tx, ctx, row, to, now) {
      putApprovers(tx, row.id, now)
      touched(tx, ctx, row)
      const told = toldOf(tx, row)
      if (told !== undefined) announcer.requested(tx, ctx, told, to, ids.uuid())
    },
    note: (object) => void used.add(object),
    settleTime: (tx, row) => change(tx, row, { escalate_at: null }),
    leave(tx, ctx, { object, recordId, ownOnly }) {
      if (!used.has(object)) return
      for (const row of approvalsOf(tx, { object, recordId, pendingOnly: true })) {
        if (ownOnly && row.is_own === 0) continue
        act(tx, ctx, row, { userId: ctx.actor.id, decision: 'recall' }, 'recalled')
      }
    },
  }
}
