// A rule of type `state_machine` in its compiled form (D-163): what the data engine judges and what workflows show.
import type { Expression } from '../expression/compile-expression.ts'
import { compileExpression } from '../expression/compile-expression.ts'
import { ApprovalDefinition } from './approval-definition.ts'
import type { RuleDefinition } from './rule-definition.ts'

/** One transition, in one form. */
export interface Transition {
  readonly name: string
  /** Null where the author gave none: then it is called by the state it leads to. */
  readonly label: string | null
  /** Null for any state. */
  readonly from: readonly string[] | null
  readonly to: string
  readonly condition: Expression | null
  /** Who may make it; both empty for everybody who may edit the record. */
  readonly roles: readonly string[]
  readonly profiles: readonly string[]
  readonly requiresComment: boolean
  readonly requiresApproval: boolean
  /** Null where none is asked for, or what is written is none. */
  readonly approval: ApprovalDefinition | null
  /** What it sets besides the state. */
  readonly set: Readonly<Record<string, unknown>>
  /** True when only the endpoint of transitions may make it. */
  readonly byEndpoint: boolean
}

/** A state as its author describes it. */
export interface MachineState {
  readonly name: string
  readonly label: string | null
  readonly color: string | null
  readonly final: boolean
}

/** A compiled state machine. */
export interface StateMachine {
  /** Of the rule. */
  readonly name: string
  readonly label: string | null
  readonly field: string
  /** Where new records begin; null when they may begin anywhere. */
  readonly initial: string | null
  /** Null: the options of the field. */
  readonly states: readonly MachineState[] | null
  readonly transitions: readonly Transition[]
}

/** Compiles the keys of a rule. @throws ExpressionError for a condition that is no CEL */
export function compileStateMachine(name: string, rule: RuleDefinition): StateMachine {
  const given = rule.transitions ?? {}
  const transitions = Array.isArray(given)
    ? given.map((one): Transition => {
        const approval = ApprovalDefinition.safeParse(one.approval)
        const from = [one.from].flat()
        return {
          name: one.name,
          label: one.label ?? null,
          from: from.includes('*') ? null : from,
          to: one.to,
          condition: one.condition === undefined ? null : compileExpression(one.condition),
          roles: one.roles ?? [],
          profiles: one.profiles ?? [],
          requiresComment: one.requiresComment === true,
          requiresApproval: one.requiresApproval === true,
          approval: approval.success ? approval.data : null,
          set: one.set ?? {},
          byEndpoint: one.strict === true || one.requiresApproval === true || one.requiresComment === true,
        }
      })
    : plainTransitions(given)
  const states = rule.states?.map((state): MachineState => ({
    name: state.name,
    label: state.label ?? null,
    color: state.color ?? null,
    final: state.final === true,
  }))
  return {
    name,
    label: rule.label ?? null,
    field: rule.field!,
    initial: rule.initial ?? null,
    states: states ?? null,
    transitions,
  }
}

/** The plain form: one transition for each state that is led to, named by it, from everywhere that leads there. */
function plainTransitions(given: Readonly<Record<string, readonly string[]>>): Transition[] {
  const sources = new Map<string, string[]>()
  for (const [from, next] of Object.entries(given)) {
    for (const to of new Set(next)) sources.set(to, [...(sources.get(to) ?? []), from])
  }
  return [...sources].map(([to, from]) => ({
    name: to,
    label: null,
    from,
    to,
    condition: null,
    roles: [],
    profiles: [],
    requiresComment: false,
    requiresApproval: false,
    approval: null,
    set: {},
    byEndpoint: false,
  }))
}

/** Whether a transition begins at a state. */
export function leavesFrom({ from }: Transition, state: string | null): boolean {
  return state !== null && (from === null || from.includes(state))
}
