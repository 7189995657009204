// How a record stands in a workflow for one caller (D-165).
import type { WorkflowState } from '#shared/contracts/workflow.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { StateMachine, Transition } from '#shared/rules/state-machine.ts'
import { leavesFrom } from '#shared/rules/state-machine.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import type { ApprovalRow } from '../store.ts'
import { approvalsOf } from '../store.ts'
import type { History } from './history.ts'
import { stateOf } from './history.ts'
import type { Locks } from './locks.ts'
import { labelOf, statesOf } from './machines.ts'
import type { Requests } from './requests.ts'

/** What showing states works with. */
export interface StateParts {
  readonly read: Reads
  readonly data: Pick<DataService, 'get' | 'reach' | 'mayTake' | 'transitionHolds'>
  readonly locks: Locks
  readonly history: History
  readonly requests: Pick<Requests, 'show' | 'canSee'>
}

/** The states of records. */
export interface States {
  /** How a record stands; whoever calls has made sure that the caller may read it. */
  show(ctx: RequestContext, schema: ObjectSchema, id: string, machine: StateMachine): Promise<WorkflowState>
  /** Names of the transitions a caller may make of a record. */
  open(ctx: RequestContext, schema: ObjectSchema, record: PlatformRecord, machine: StateMachine): Transition[]
  /** All of a record, whoever may read it. @throws resource_not_found */
  whole(object: string, id: string): Promise<PlatformRecord>
  /** The approval a workflow waits for; undefined for none. */
  pending(read: Pick<Reads, 'all'>, schema: ObjectSchema, id: string, machine: string): ApprovalRow | undefined
}

/** Makes the view of states. */
export function createStates({ read, data, locks, history, requests }: StateParts): States {
  const pending: States['pending'] = (reads, schema, id, machine) =>
    approvalsOf(reads, { object: schema.uid, recordId: id, pendingOnly: true }).find(
      ({ workflow }) => workflow === machine,
    )

  const open: States['open'] = (ctx, schema, record, machine) => {
    const { name: object } = schema
    const id = String(record['id'])
    if (data.reach(ctx, { object, id, action: 'edit' }) !== 'open') return []
    if (pending(read, schema, id, machine.name) !== undefined) return []
    if (locks.heldBy(read, ctx, schema, id) !== undefined) return []
    const state = stateOf(record[machine.field])
    const user = { id: ctx.actor.id, name: ctx.actor.name ?? null }
    return machine.transitions.filter(
      (one) =>
        leavesFrom(one, state) &&
        data.mayTake(ctx, one) &&
        data.transitionHolds(one, { record: afterwards(record, machine, one), previous: record, user }),
    )
  }

  const whole: States['whole'] = async (object, id) =>
    (await data.get(internalContext('workflow-state'), { object, id })).record

  return {
    pending,
    open,
    whole,
    async show(ctx, schema, id, machine) {
      const record = await whole(schema.name, id)
      const states = statesOf(schema, machine)
      const state = stateOf(record[machine.field])
      const waiting = pending(read, schema, id, machine.name)
      const described = states.find(({ name }) => name === state)
      return {
        workflow: machine.name,
        field: machine.field,
        currentState: state,
        availableTransitions: open(ctx, schema, record, machine).map((one) => ({
          name: one.name,
          targetState: one.to,
          label: labelOf(one, states),
          requiresApproval: one.requiresApproval,
          requiresComment: one.requiresComment,
        })),
        pendingApproval: waiting === undefined || !requests.canSee(ctx, waiting) ? null : requests.show(ctx, waiting),
        history: history.read(schema.uid, id, machine.name),
        isFinal: described?.final === true || !machine.transitions.some((one) => leavesFrom(one, state)),
      }
    },
  }
}

/** A record as a transition makes it. */
export function afterwards(record: PlatformRecord, machine: StateMachine, { to, set }: Transition): PlatformRecord {
  return { ...record, ...set, [machine.field]: to }
}
