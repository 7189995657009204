// Turns the tree into closures, once; evaluating is calling them. Every call pays one step.
import { ExpressionError } from './expression-error.ts'
import type { BinaryOperator, ExpressionNode } from './expression-node.ts'
import { functionOf } from './functions.ts'
import { listArgument } from './arguments.ts'
import type { Machine, Value } from './machine.ts'
import { Moment, Span } from './moments.ts'
import {
  add,
  calculate,
  compare,
  elementOf,
  equals,
  isIn,
  isMap,
  jsonValue,
  kindOf,
  memberOf,
  mismatch,
  subtract,
  truth,
} from './operators.ts'

/** A compiled node. */
export type Step = (machine: Machine) => Value

/** Compiles a node; errors of evaluation are placed at the innermost node that has one. */
export function compileNode(node: ExpressionNode): Step {
  const step = compile(node)
  return (machine) => {
    machine.budget.spend(1)
    return step(machine)
  }
}

function compile(node: ExpressionNode): Step {
  switch (node.kind) {
    case 'literal':
      return () => node.value
    case 'root':
      if (node.name === 'now') return (machine) => new Moment(machine.scope.now)
      return (machine) => jsonValue(machine.scope[node.name])
    case 'local':
      return (machine) => machine.locals[node.slot]
    case 'member': {
      const of = compileNode(node.of)
      return (machine) => memberOf(of(machine), node.name)
    }
    case 'index': {
      const of = compileNode(node.of)
      const index = compileNode(node.index)
      return (machine) => elementOf(of(machine), index(machine))
    }
    case 'has': {
      const of = compileNode(node.of)
      return (machine) => of(machine) !== null
    }
    case 'changed':
      return (machine) =>
        !equals(memberOf(machine.scope.record, node.field), memberOf(machine.scope.previous, node.field), machine)
    case 'call':
      return placed(node, compileCall(node.name, node.args))
    case 'macro':
      return placed(node, compileMacro(node))
    case 'list': {
      const items = node.items.map(compileNode)
      return (machine) => items.map((item) => item(machine))
    }
    case 'map':
      return placed(node, compileMap(node.entries))
    case 'not': {
      const of = compileNode(node.of)
      return placed(node, (machine) => !truth(of(machine)))
    }
    case 'negate': {
      const of = compileNode(node.of)
      return placed(node, (machine) => negate(of(machine)))
    }
    case 'conditional': {
      const [test, yes, no] = [compileNode(node.test), compileNode(node.yes), compileNode(node.no)]
      return placed(node, (machine) => (truth(test(machine)) ? yes(machine) : no(machine)))
    }
    case 'binary':
      return placed(node, compileBinary(node.operator, compileNode(node.left), compileNode(node.right)))
  }
}

/** Gives errors that have no place yet the place of this node. */
function placed(node: ExpressionNode, step: Step): Step {
  if (node.position === 0) return step
  return (machine) => {
    try {
      return step(machine)
    } catch (error) {
      if (!(error instanceof ExpressionError) || error.position !== 0) throw error
      throw new ExpressionError(error.failure, error.message, node.position)
    }
  }
}

function compileCall(name: string, args: readonly ExpressionNode[]): Step {
  const { run } = functionOf(name)
  const steps = args.map(compileNode)
  return (machine) =>
    run(
      steps.map((step) => step(machine)),
      machine,
    )
}

function compileMap(entries: readonly (readonly [ExpressionNode, ExpressionNode])[]): Step {
  const steps = entries.map(([key, value]) => [compileNode(key), compileNode(value)] as const)
  return (machine) => {
    const made: (readonly [string, Value])[] = []
    for (const [key, value] of steps) {
      const name = key(machine)
      if (typeof name !== 'string' || name === '__proto__') {
        throw new ExpressionError('value', 'The keys of a map are texts.')
      }
      made.push([name, value(machine)])
    }
    return Object.fromEntries(made)
  }
}

function compileMacro(node: ExpressionNode & { kind: 'macro' }): Step {
  const { name, slot } = node
  const list = compileNode(node.list)
  const body = compileNode(node.body)
  const filter = node.filter === null ? null : compileNode(node.filter)
  const elements = (machine: Machine): readonly Value[] => {
    const value = list(machine)
    return isMap(value) ? Object.keys(value) : listArgument(name, value)
  }
  const each = (machine: Machine, item: Value, step: Step): Value => {
    machine.locals[slot] = jsonValue(item)
    return step(machine)
  }
  switch (name) {
    case 'all':
      return (machine) => elements(machine).every((item) => truth(each(machine, item, body)))
    case 'exists':
      return (machine) => elements(machine).some((item) => truth(each(machine, item, body)))
    case 'exists_one':
      return (machine) => elements(machine).filter((item) => truth(each(machine, item, body))).length === 1
    case 'filter':
      return (machine) => elements(machine).filter((item) => truth(each(machine, item, body)))
    case 'map':
      return (machine) => {
        const made: Value[] = []
        for (const item of elements(machine)) {
          if (filter !== null && !truth(each(machine, item, filter))) continue
          made.push(each(machine, item, body))
        }
        return made
      }
  }
}

function compileBinary(operator: BinaryOperator, left: Step, right: Step): Step {
  switch (operator) {
    case '&&':
      return (machine) => truth(left(machine)) && truth(right(machine))
    case '||':
      return (machine) => truth(left(machine)) || truth(right(machine))
    case '==':
      return (machine) => equals(left(machine), right(machine), machine)
    case '!=':
      return (machine) => !equals(left(machine), right(machine), machine)
    case '<':
      return ordered(operator, left, right, (order) => order < 0)
    case '<=':
      return ordered(operator, left, right, (order) => order <= 0)
    case '>':
      return ordered(operator, left, right, (order) => order > 0)
    case '>=':
      return ordered(operator, left, right, (order) => order >= 0)
    case 'in':
      return (machine) => isIn(left(machine), right(machine), machine)
    case '+':
      return (machine) => add(left(machine), right(machine), machine)
    case '-':
      return (machine) => subtract(left(machine), right(machine), machine)
    default:
      return (machine) => calculate(operator, left(machine), right(machine))
  }
}

function ordered(operator: string, left: Step, right: Step, judge: (order: number) => boolean): Step {
  return (machine) => {
    const order = compare(operator, left(machine), right(machine), machine)
    return order !== null && judge(order)
  }
}

function negate(value: Value): Value {
  if (value === null) return null
  if (typeof value === 'number') return value === 0 ? 0 : -value
  if (value instanceof Span) return new Span(-value.ms)
  throw mismatch('-', value, kindOf(value))
}
