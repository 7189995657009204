// Judges changes of a field that a state machine guards (D-163): where a record begins and which changes it may make.
// Every write path asks.
import type { StateMachine, Transition } from '#shared/rules/state-machine.ts'
import { leavesFrom } from '#shared/rules/state-machine.ts'
import type { Finding, Judge, RuleInput } from './finding.ts'
import { obeyed } from './finding.ts'

/** Judges a write against a state machine. @param message the author's words; null for those of the machine */
export function judgeStates(machine: StateMachine, message: string | null): Judge {
  const refuse = (to: unknown, allowed: readonly string[], standard: string): readonly Finding[] => [
    { field: machine.field, code: 'invalid_transition', message: message ?? standard, value: to, constraint: allowed },
  ]
  return (input) => {
    const { record, previous, move } = input
    const to = record[machine.field] ?? null
    if (previous === null) {
      if (input.imported) return obeyed
      if (machine.initial === null || to === machine.initial) return obeyed
      return refuse(to, [machine.initial], `A new record begins as "${machine.initial}".`)
    }
    const from = (previous[machine.field] ?? null) as string | null
    if (from === to) return obeyed
    // Judged by whoever makes it, in the same transaction; a hook that leads elsewhere is judged like anybody.
    if (move?.machine === machine.name && to === move.to) return obeyed
    // A record from before the rule has no state yet: it enters the machine where new ones do, or anywhere.
    if (from === null) {
      if (input.imported) return obeyed
      if (machine.initial === null || to === machine.initial) return obeyed
      return refuse(to, [machine.initial], `The first state is "${machine.initial}".`)
    }
    const open = machine.transitions.filter((one) => leavesFrom(one, from) && !one.byEndpoint)
    const chosen = open.filter((one) => one.to === to)
    if (chosen.some((one) => isOpen(one, input))) return obeyed
    const allowed = [...new Set(open.filter((one) => isOpen(one, input)).map((one) => one.to))]
    return refuse(to, allowed, `"${from}" does not become "${String(to)}": ${whyNot(chosen, input)}.`)
  }
}

function isOpen(transition: Transition, input: RuleInput): boolean {
  return input.mayTake(transition) && holds(transition, input)
}

function whyNot(chosen: readonly Transition[], { mayTake }: RuleInput): string {
  if (chosen.length === 0) return 'there is no such transition'
  return chosen.some(mayTake) ? 'its condition is not met' : 'it is for others to make'
}

/** Whether the condition of a transition holds. @throws ExpressionError */
export function holds({ condition }: Transition, { scope }: Pick<RuleInput, 'scope'>): boolean {
  return condition === null || condition.evaluate(scope) === true
}
