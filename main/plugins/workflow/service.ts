// Workflows and approvals as the routes need them.
import type { ApprovalRequest, Workflow, WorkflowState } from '#shared/contracts/workflow.ts'
import { notFound } from '#shared/errors.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { WorkflowService } from './api.ts'
import { workflowError } from './errors.ts'
import type { Acted } from './service/approvals.ts'
import type { Deciding } from './service/deciding.ts'
import type { Locks } from './service/locks.ts'
import type { Machines } from './service/machines.ts'
import { showMachine } from './service/machines.ts'
import type { Requests } from './service/requests.ts'
import type { DecisionInput } from './service/settling.ts'
import { votesIn } from './service/settling.ts'
import type { States } from './service/states.ts'
import type { ApprovalRow } from './store.ts'
import { approvalsOf, approversOf, readApproval } from './store.ts'

/** What the service is made from. */
export interface WorkflowParts {
  readonly read: Reads
  readonly data: Pick<DataService, 'requireRecord' | 'reach' | 'canReadField'>
  readonly machines: Machines
  readonly states: States
  readonly requests: Requests
  readonly deciding: Deciding
  readonly locks: Locks
  readonly transition: WorkflowService['transition']
}

/** A record, as paths name it. */
export interface RecordName {
  readonly object: string
  readonly recordId: string
}

/** A decision about what is asked for a record. */
export interface RecordDecision {
  readonly comment?: string | undefined
  readonly reason?: string | undefined
  readonly data?: Record<string, unknown> | undefined
  readonly approvalId?: string | undefined
}

/** What was done with an approval. */
export interface ActAnswer {
  request: ApprovalRequest
  finalized: boolean
  decision: 'approve' | 'reject' | 'recall' | 'reassign'
  runId?: string
  resumed?: boolean
}

/** Everything the routes ask. */
export type WorkflowOperations = ReturnType<typeof createWorkflowOperations>

/** Makes the operations. */
export function createWorkflowOperations(parts: WorkflowParts) {
  const { read, data, machines, states, requests, deciding, locks } = parts

  /** @throws approval_not_found, approval_not_assigned; resource_not_found for a record the caller does not know */
  const askedFor = (ctx: RequestContext, { object, recordId }: RecordName, approvalId?: string): ApprovalRow => {
    const schema = machines.named(object)
    if (schema === undefined || schema.abstract) throw notFound('object', object)
    const id = parseUuid(recordId)
    const all = id === null ? [] : approvalsOf(read, { object: schema.uid, recordId: id, pendingOnly: false })
    const seen = all.filter((row) => requests.canSee(ctx, row))
    if (seen.length === 0) data.requireRecord(ctx, { object, id: recordId, action: 'read' })
    if (approvalId !== undefined) {
      const named = seen.find((row) => row.id === approvalId.toLowerCase())
      if (named !== undefined) return named
    }
    const open = approvalId === undefined ? seen.filter(({ status }) => status === 'pending') : []
    const own = open.filter((row) => approversOf(read, row.id).includes(ctx.actor.id))
    const meant = own.find((row) => !votesIn(row).has(ctx.actor.id)) ?? own[0] ?? open[0]
    if (meant === undefined) throw workflowError('approval_not_found', { object, recordId: recordId.slice(0, 200) })
    return meant
  }

  const latest = (row: ApprovalRow): ApprovalRow => readApproval(read, row.id) ?? row

  /** Null for callers who see no workflow of the record. */
  const stateFor = async (ctx: RequestContext, row: ApprovalRow): Promise<WorkflowState | null> => {
    const schema = machines.byUid(row.object)!
    const { name: object } = schema
    if (data.reach(ctx, { object, id: row.record_id, action: 'read' }) === 'none') return null
    const all = machines.seen(ctx, object)
    const machine = all.find(({ name }) => name === row.workflow) ?? all[0]
    return machine === undefined ? null : states.show(ctx, schema, row.record_id, machine)
  }

  const answer = (
    ctx: RequestContext,
    row: ApprovalRow,
    decision: ActAnswer['decision'],
    { isFinal, resumed }: Acted,
  ): ActAnswer => ({
    request: requests.show(ctx, latest(row)),
    finalized: isFinal,
    decision,
    ...(row.flow_run_id === null ? {} : { runId: row.flow_run_id }),
    ...(resumed === undefined ? {} : { resumed }),
  })

  return {
    config(ctx: RequestContext, object: string): { object: string; workflows: Workflow[] } {
      const schema = machines.requireObject(ctx, object)
      return { object, workflows: machines.seen(ctx, object).map((machine) => showMachine(schema, machine)) }
    },
    async state(ctx: RequestContext, { object, recordId }: RecordName, workflow?: string) {
      const schema = machines.requireObject(ctx, object)
      const { id } = data.requireRecord(ctx, { object, id: recordId, action: 'read' })
      const state = await states.show(ctx, schema, id, machines.require(ctx, object, workflow))
      return { object, recordId: id, state }
    },
    transition: parts.transition,
    async decideRecord(
      ctx: RequestContext,
      name: RecordName,
      decision: DecisionInput['decision'],
      body: RecordDecision,
    ) {
      const row = askedFor(ctx, name, body.approvalId)
      const { isFinal } = await deciding.decide(ctx, row, { decision, comment: wordsOf(body), data: body.data })
      return {
        object: name.object,
        recordId: row.record_id,
        success: true as const,
        state: await stateFor(ctx, row),
        approval: requests.show(ctx, latest(row)),
        finalized: isFinal,
      }
    },
    list: requests.list,
    get: (ctx: RequestContext, id: string) => requests.show(ctx, requests.require(ctx, id)),
    async decide(ctx: RequestContext, id: string, decision: DecisionInput['decision'], body: RecordDecision) {
      const row = requests.require(ctx, id)
      return answer(ctx, row, decision, await deciding.decide(ctx, row, { decision, comment: wordsOf(body) }))
    },
    async recall(ctx: RequestContext, id: string, body: RecordDecision) {
      const row = requests.require(ctx, id)
      return answer(ctx, row, 'recall', await deciding.recall(ctx, row, wordsOf(body)))
    },
    async reassign(ctx: RequestContext, id: string, to: string, body: RecordDecision) {
      const row = requests.require(ctx, id)
      return answer(ctx, row, 'reassign', await deciding.reassign(ctx, row, to, wordsOf(body)))
    },
    /** @throws workflow_not_found for a field no workflow guards, as for one the caller may not read */
    next(ctx: RequestContext, object: string, field: string, from: string | undefined) {
      const schema = machines.requireObject(ctx, object)
      const machine = machines.seen(ctx, object).find((one) => one.field === field)
      if (machine === undefined) throw workflowError('workflow_not_found', { object, field })
      const shown = showMachine(schema, machine)
      const begins = machine.initial === null ? shown.states.map(({ name }) => name) : [machine.initial]
      const led = shown.transitions.filter((one) => from !== undefined && one.from.includes(from)).map(({ to }) => to)
      return { object, field, from: from ?? null, next: from === undefined ? begins : [...new Set(led)] }
    },
    service: {
      transition: parts.transition,
      heldBy(ctx, { object, recordId }) {
        const schema = machines.named(object)
        return schema === undefined ? undefined : locks.heldBy(read, ctx, schema, recordId)
      },
    } satisfies Pick<WorkflowService, 'transition' | 'heldBy'>,
  }
}

function wordsOf({ comment, reason }: RecordDecision): string | undefined {
  return reason ?? comment
}
