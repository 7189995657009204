// The workflows of objects: state machines whose field the caller may read (D-163, D-164).
import type { Workflow } from '#shared/contracts/workflow.ts'
import { notFound } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { MachineState, StateMachine, Transition } from '#shared/rules/state-machine.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { workflowError } from '../errors.ts'

/** What looking for workflows works with. */
export interface MachineParts {
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas'>
  readonly data: Pick<DataService, 'stateMachines' | 'canReadField'>
  readonly authorizer: () => Authorizer
}

/** The workflows of one host. */
export interface Machines {
  /** Those of an object the caller sees, the one that is meant without a name first. */
  seen(ctx: RequestContext, object: string): readonly StateMachine[]
  /** @throws workflow_not_found */
  require(ctx: RequestContext, object: string, name?: string): StateMachine
  /** An object the caller may read. @throws resource_not_found, permission_denied */
  requireObject(ctx: RequestContext, object: string): ObjectSchema
  /** The object of a name, whoever may read it; undefined for none. */
  named(object: string): ObjectSchema | undefined
  /** The object of a uid; undefined for one that is gone. */
  byUid(uid: string): ObjectSchema | undefined
}

/** Makes the look-up. */
export function createMachines({ metadata, data, authorizer }: MachineParts): Machines {
  const seen: Machines['seen'] = (ctx, object) =>
    data.stateMachines(object).filter(({ field }) => data.canReadField(ctx, object, field))
  return {
    seen,
    require(ctx, object, name) {
      const found = seen(ctx, object).find((machine) => name === undefined || machine.name === name)
      if (found !== undefined) return found
      throw workflowError('workflow_not_found', { object, ...(name === undefined ? {} : { workflow: name }) })
    },
    requireObject(ctx, object) {
      const schema = metadata.objectSchema(object)
      if (schema === undefined || schema.abstract) throw notFound('object', object)
      requireObjectAction(authorizer(), ctx, object, 'read')
      return schema
    },
    named: metadata.objectSchema,
    byUid: (uid) => metadata.objectSchemas().find((schema) => schema.uid === uid),
  }
}

/** The states of a machine: its own, else the options of its field. */
export function statesOf(schema: ObjectSchema, { states, field }: StateMachine): readonly MachineState[] {
  const options = schema.byName.get(field)?.options ?? []
  const plain = options.map(({ value, label, color }) => {
    return { name: value, label, color: color ?? null, final: false }
  })
  if (states === null) return plain
  const labels = new Map(plain.map(({ name, label }) => [name, label]))
  return states.map((state) => ({ ...state, label: state.label ?? labels.get(state.name) ?? null }))
}

/** A transition's label: its own, else that of the state it leads to where it has that name, else its name. */
export function labelOf({ label, name, to }: Transition, states: readonly MachineState[]): string {
  const target = name === to ? states.find((state) => state.name === to) : undefined
  return label ?? target?.label ?? name
}

/** A workflow as it is shown. */
export function showMachine(schema: ObjectSchema, machine: StateMachine): Workflow {
  const states = statesOf(schema, machine)
  return {
    name: machine.name,
    label: machine.label ?? schema.byName.get(machine.field)?.label ?? machine.name,
    field: machine.field,
    initial: machine.initial,
    states: states.map(({ name, label, color, final }) => ({
      name,
      label: label ?? name,
      ...(color === null ? {} : { color }),
      final,
    })),
    transitions: machine.transitions.map((one) => ({
      name: one.name,
      label: labelOf(one, states),
      from: [...(one.from ?? states.map(({ name }) => name))],
      to: one.to,
      requiresApproval: one.requiresApproval,
      requiresComment: one.requiresComment,
    })),
  }
}
