// Stores a decision with everything that follows from it in one transaction: at the end of an approval its transition, made
// by the system, and the values the decider gives.
import type { ApprovalDecision } from '#shared/contracts/workflow.ts'
import type { StateMachine, Transition } from '#shared/rules/state-machine.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { asSystem } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import { workflowError } from '../errors.ts'
import type { ApprovalRow } from '../store.ts'
import { readApproval } from '../store.ts'
import type { Acted, Approvals, Ending } from './approvals.ts'
import type { History } from './history.ts'
import { stateOf } from './history.ts'
import type { Locks } from './locks.ts'
import type { Machines } from './machines.ts'
import { requireFrom } from './transitions.ts'
import type { Verdict } from '#shared/rules/approval-verdict.ts'
import { votesOf } from '#shared/rules/approval-verdict.ts'

/** What storing decisions works with. */
export interface SettlingParts {
  readonly read: Reads
  readonly write: Write
  readonly data: Pick<DataService, 'update' | 'transitionHolds' | 'stateMachines'>
  readonly machines: Machines
  readonly history: History
  readonly locks: Locks
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

/**
 * Stores a decision.
 * @param verdict what the decision makes of the approval; asked before the transaction and in it
 * @throws Overtaken when the answers differ; approval_already_decided, and what the transition is refused with
 */
export type Settle = (
  ctx: RequestContext,
  row: ApprovalRow,
  input: DecisionInput,
  verdict: (reads: Pick<Reads, 'all'>, row: ApprovalRow) => Verdict,
) => Promise<Acted>

/**
 * Ends an approval whose decisions came together from several machines, in the name of the host.
 * @throws Overtaken, approval_already_decided, and what the transition is refused with
 */
export type Conclude = (ctx: RequestContext, row: ApprovalRow, ending: Exclude<Verdict, null>) => Promise<void>

/** Somebody else decided between the look and the transaction. */
export class Overtaken extends Error {}

/** Makes the storing of decisions. */
export function createSettling(parts: SettlingParts): { readonly settle: Settle; readonly conclude: Conclude } {
  const { read, write, data, approvals, history, locks } = parts

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

  const settle: Settle = async (ctx, row, { decision, comment, data: given }, verdict) => {
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

  const conclude: Conclude = async (ctx, row, ending) => {
    const act = (tx: Tx): void => void approvals.conclude(tx, ctx, pendingIn(tx, row), ending)
    const aimed = ending === 'approved' ? aim(row) : undefined
    if (aimed === undefined) await write('workflow.conclude', act)
    else await store(ctx, row, aimed, undefined, act)
  }

  return { settle, conclude }
}

/** An approval as it is in a transaction. @throws approval_already_decided */
export function pendingIn(reads: Pick<Reads, 'get'>, { id }: ApprovalRow): ApprovalRow {
  const row = readApproval(reads, id)
  if (row?.status === 'pending') return row
  throw workflowError('approval_already_decided', row === undefined ? {} : { status: row.status })
}

/** Who decided what of an approval. */
export function votesIn({ decisions }: ApprovalRow): Map<string, 'approve' | 'reject'> {
  return votesOf(JSON.parse(decisions) as ApprovalDecision[])
}

/** A comment as decisions keep it. */
export function said(comment: string | undefined): { comment?: string } {
  return comment === undefined ? {} : { comment }
}
