// Every change of a state, whoever made it and on whichever way, noted in its transaction (D-165, D-254). Changes are
// heard of as changes of records; a transition of the endpoint is noted by whoever makes it, because it knows more.
import type { WorkflowState } from '#shared/contracts/workflow.ts'
import type { PlatformEvent } from '#shared/events.ts'
import type { StateMachine } from '#shared/rules/state-machine.ts'
import { leavesFrom } from '#shared/rules/state-machine.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { addChange, readChanges } from './change-store.ts'

/** The event that tells of a change. */
export const transitionedEvent = 'workflow.transitioned'

/** What historians know of a change. */
export interface StateChange {
  readonly object: string
  readonly recordId: string
  readonly machine: StateMachine
  readonly from: string | null
  readonly to: string | null
  readonly action: string
  readonly comment?: string | undefined
  readonly approvers?: readonly string[]
}

/** The history of one host. */
export interface History {
  /** Whoever changes the state of this machine in this context notes it. */
  noting(ctx: RequestContext, machine: StateMachine): void
  /** Notes a change and raises its event. */
  note(tx: Tx, ctx: RequestContext, change: StateChange): void
  /** Hears of a change of a record, in its transaction. */
  heard(event: PlatformEvent, tx: Tx, ctx: RequestContext): void
  /** The newest changes of a record. */
  read(objectUid: string, recordId: string, workflow: string): WorkflowState['history']
}

const shown = 50

/** Makes the history. */
export function createHistory(parts: {
  readonly read: Reads
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid'>
  readonly data: Pick<DataService, 'stateMachines'>
  readonly metadata: Pick<MetadataService, 'objectSchema'>
}): History {
  const { data, metadata, clock } = parts
  const noted = new WeakMap<RequestContext, string>()

  const note: History['note'] = (tx, ctx, change) => {
    const { object, recordId, machine, from, to, action, comment, approvers } = change
    addChange(tx, {
      id: parts.ids.uuid(),
      object: metadata.objectSchema(object)!.uid,
      record_id: recordId,
      workflow: machine.name,
      from_state: from,
      to_state: to,
      action,
      user_id: ctx.actor.id,
      at: clock.iso(),
      comment: comment ?? null,
      approvers: approvers === undefined ? null : JSON.stringify(approvers),
    })
    const payload = { workflow: machine.name, field: machine.field, fromState: from, toState: to, action }
    const told = comment === undefined ? payload : { ...payload, comment }
    tx.emit(ctx, { type: transitionedEvent, object, recordId, payload: told })
  }

  return {
    note,
    noting: (ctx, machine) => void noted.set(ctx, machine.name),
    heard({ object = '', recordId, payload }, tx, ctx) {
      const { changes } = payload as { changes?: Readonly<Record<string, { old: unknown; new: unknown }>> }
      // What another machine did comes with its history.
      if (changes === undefined || recordId === undefined || ctx.source === 'sync') return
      for (const machine of data.stateMachines(object)) {
        const change = changes[machine.field]
        if (change === undefined || noted.get(ctx) === machine.name) continue
        const [from, to] = [stateOf(change.old), stateOf(change.new)]
        const made = machine.transitions.find((one) => one.to === to && leavesFrom(one, from))
        note(tx, ctx, { object, recordId, machine, from, to, action: made?.name ?? 'update' })
      }
    },
    read: (objectUid, recordId, workflow) =>
      readChanges(parts.read, { object: objectUid, recordId, workflow, limit: shown }).map((row) => ({
        fromState: row.from_state,
        toState: row.to_state,
        action: row.action,
        userId: row.user_id,
        timestamp: row.at,
        ...(row.comment === null ? {} : { comment: row.comment }),
        ...(row.approvers === null ? {} : { approvers: JSON.parse(row.approvers) as string[] }),
      })),
  }
}

/** A state as it is stored: the value of a select field, or none. */
export function stateOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
