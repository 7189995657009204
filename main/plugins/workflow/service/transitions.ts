// Makes transitions: one change of the record with everything that belongs to it, or a question to those who approve it
// (D-166). What is judged before the transaction is judged again inside of it.
import { validationError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { StateMachine, Transition } from '#shared/rules/state-machine.ts'
import { leavesFrom } from '#shared/rules/state-machine.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import type { TransitionEnd, TransitionInput, WorkflowService } from '../api.ts'
import { workflowError } from '../errors.ts'
import type { Approvals } from './approvals.ts'
import type { History } from './history.ts'
import { stateOf } from './history.ts'
import type { Machines } from './machines.ts'
import type { States } from './states.ts'
import { afterwards } from './states.ts'

/** What making transitions works with. */
export interface TransitionParts {
  readonly read: Reads
  readonly data: Pick<DataService, 'requireRecord' | 'update' | 'mayTake' | 'transitionHolds' | 'stateMachines'>
  readonly machines: Machines
  readonly states: States
  readonly history: History
  readonly approvals: Approvals
}

/** Makes the maker of transitions. */
export function createTransitions(parts: TransitionParts): WorkflowService['transition'] {
  const { read, data, machines, states, history } = parts

  /** @throws transition_not_available, transition_denied */
  const requireOpen = (
    ctx: RequestContext,
    schema: ObjectSchema,
    machine: StateMachine,
    wanted: Transition,
    record: PlatformRecord,
  ): void => {
    requireFrom(machine, wanted, record, () => states.open(ctx, schema, record, machine))
    if (!data.mayTake(ctx, wanted)) throw workflowError('transition_denied', { transition: wanted.name })
  }

  return async (ctx, input, along) => {
    const { object, comment, expectedVersion } = input
    const schema = machines.requireObject(ctx, object)
    const { id } = data.requireRecord(ctx, { object, id: input.recordId, action: 'edit' })
    const machine = machines.require(ctx, object, input.workflow)
    const wanted = requireTransition(machine, input)
    requireComment(wanted.requiresComment, comment)
    refuseStates(data.stateMachines(object), input.data)
    const check = (reads: Pick<Reads, 'all'>, record: PlatformRecord): void => {
      const waiting = states.pending(reads, schema, id, machine.name)
      if (waiting !== undefined) throw workflowError('approval_pending', { approvalRequestId: waiting.id })
      requireOpen(ctx, schema, machine, wanted, record)
    }
    check(read, await states.whole(object, id))
    const own = { ...ctx }
    history.noting(own, machine)
    const user = { id: ctx.actor.id, name: ctx.actor.name ?? null }
    const change = { object, id, data: input.data ?? {}, ...(expectedVersion === undefined ? {} : { expectedVersion }) }
    const before = (tx: Tx, record: PlatformRecord): void => check(tx, record)
    const requireCondition = (record: PlatformRecord, previous: PlatformRecord): void => {
      if (data.transitionHolds(wanted, { record, previous, user })) return
      throw workflowError('transition_condition_failed', { transition: wanted.name })
    }
    const endOf = (record: PlatformRecord, pending: boolean): TransitionEnd => {
      return { workflow: machine.name, field: machine.field, currentState: stateOf(record[machine.field]), pending }
    }
    const { record } = wanted.requiresApproval
      ? await data.update(ctx, change, {
          before,
          after(tx, stored, previous) {
            requireCondition(afterwards(stored, machine, wanted), previous)
            const asked = { workflow: machine.name, transition: wanted.name, comment, submitterId: ctx.actor.id }
            parts.approvals.open(tx, ctx, { schema, record: stored, definition: requireDefinition(wanted), ...asked })
            along?.(tx, endOf(previous, true))
          },
        })
      : await data.update(own, change, {
          move: { machine: machine.name, to: wanted.to },
          sets: { ...wanted.set, [machine.field]: wanted.to },
          before,
          after(tx, stored, previous) {
            requireCondition(stored, previous)
            const [from, to] = [stateOf(previous[machine.field]), stateOf(stored[machine.field])]
            history.note(tx, ctx, { object, recordId: id, machine, from, to, action: wanted.name, comment })
            along?.(tx, endOf(stored, false))
          },
        })
    const state = await states.show(ctx, schema, id, machine)
    const pending = wanted.requiresApproval ? { pending: true as const } : {}
    return { object, recordId: id, success: true, ...pending, state, record }
  }
}

/** @throws transition_not_found */
function requireTransition(machine: StateMachine, { transition }: Pick<TransitionInput, 'transition'>): Transition {
  const found = machine.transitions.find(({ name }) => name === transition)
  if (found !== undefined) return found
  const transitions = machine.transitions.map(({ name }) => name)
  throw workflowError('transition_not_found', { workflow: machine.name, transitions })
}

/**
 * Refuses a transition that does not begin where the record stands.
 * @param open those of the record as it stands (D-165); default none, as while an approval is awaited
 * @throws transition_not_available
 */
export function requireFrom(
  machine: StateMachine,
  wanted: Transition,
  record: PlatformRecord,
  open: () => readonly Transition[] = () => [],
): void {
  const currentState = stateOf(record[machine.field])
  if (leavesFrom(wanted, currentState)) return
  throw workflowError('transition_not_available', {
    currentState,
    availableTransitions: open().map(({ name }) => name),
  })
}

/** @throws comment_required */
export function requireComment(isRequired: boolean, comment: string | undefined): void {
  if (!isRequired || (comment ?? '').trim() !== '') return
  const message = 'Say why.'
  throw workflowError('comment_required', { fieldErrors: [{ field: 'comment', code: 'required', message }] })
}

/** States change by transitions, never by the values beside one. @throws validation_error */
export function refuseStates(machines: readonly StateMachine[], data: Record<string, unknown> = {}): void {
  const problems = machines
    .filter(({ field }) => Object.hasOwn(data, field))
    .map(({ field }) => {
      const message = 'The state is set by the transition.'
      return { field: `data.${field}`, code: 'not_allowed' as const, message }
    })
  if (problems.length > 0) throw validationError(problems)
}

/** @throws validation_error for one that was stored before approvals were checked at save */
function requireDefinition({ approval }: Transition): NonNullable<Transition['approval']> {
  if (approval !== null) return approval
  const message = 'The transition asks for an approval and does not say who approves; add "approval" to it.'
  throw validationError([{ field: 'approvers', code: 'required', message }])
}
