// State machines over one field (D-163): where a record begins and which changes it may make. Every write path asks.
import type { Expression } from '#shared/expression/compile-expression.ts'
import { compileExpression } from '#shared/expression/compile-expression.ts'
import type { RuleDefinition } from '#shared/rules/rule-definition.ts'
import type { Finding, Judge, RuleInput } from './finding.ts'
import { obeyed } from './finding.ts'

/** One transition, in one form. */
export interface Transition {
  readonly name: string
  /** Null for any state. */
  readonly from: readonly string[] | null
  readonly to: string
  readonly condition: Expression | null
  /** True when only the transition endpoint may make it. */
  readonly byEndpoint: boolean
}

/** A compiled state machine. */
export interface StateMachine {
  readonly field: string
  /** Where new records begin; null when they may begin anywhere. */
  readonly initial: string | null
  readonly transitions: readonly Transition[]
}

/** Compiles the keys of a rule. @throws ExpressionError for a condition that is no CEL */
export function compileStateMachine(rule: RuleDefinition): StateMachine {
  const given = rule.transitions ?? {}
  const transitions = Array.isArray(given)
    ? given.map((one): Transition => ({
        name: one.name,
        from: [one.from].flat().includes('*') ? null : [one.from].flat(),
        to: one.to,
        condition: one.condition === undefined ? null : compileExpression(one.condition),
        byEndpoint: one.strict === true || one.requiresApproval === true,
      }))
    : Object.entries(given).flatMap(([from, next]) =>
        next.map((to): Transition => ({ name: to, from: [from], to, condition: null, byEndpoint: false })),
      )
  return { field: rule.field!, initial: rule.initial ?? null, transitions }
}

/** Judges a write against a state machine. @param message the author's words; null for those of the machine */
export function judgeStates(machine: StateMachine, message: string | null): Judge {
  const refuse = (to: unknown, allowed: readonly string[], standard: string): readonly Finding[] => [
    { field: machine.field, code: 'invalid_transition', message: message ?? standard, value: to, constraint: allowed },
  ]
  return (input) => {
    const { record, previous } = input
    const to = record[machine.field] ?? null
    if (previous === null) {
      if (input.imported) return obeyed
      if (machine.initial === null || to === machine.initial) return obeyed
      return refuse(to, [machine.initial], `A new record begins as "${machine.initial}".`)
    }
    const from = previous[machine.field] ?? null
    if (from === to) return obeyed
    // A record from before the rule has no state yet: it enters the machine where new ones do, or anywhere.
    if (from === null) {
      if (input.imported) return obeyed
      if (machine.initial === null || to === machine.initial) return obeyed
      return refuse(to, [machine.initial], `The first state is "${machine.initial}".`)
    }
    const open = machine.transitions.filter((one) => one.from === null || one.from.includes(String(from)))
    const chosen = open.filter((one) => one.to === to && !one.byEndpoint)
    if (chosen.some((one) => holds(one, input))) return obeyed
    const allowed = [...new Set(open.filter((one) => !one.byEndpoint && holds(one, input)).map((one) => one.to))]
    const why = chosen.length > 0 ? 'its condition is not met' : 'there is no such transition'
    return refuse(to, allowed, `"${String(from)}" does not become "${String(to)}": ${why}.`)
  }
}

function holds(transition: Transition, { scope }: RuleInput): boolean {
  return transition.condition === null || transition.condition.evaluate(scope) === true
}
