// Conditions of row rules as filters (D-50): the part of CEL that a list can ask in its one statement. What depends on
// the user becomes a constant, so the filter is made per user. Everything else is refused.
import { compileExpression, ExpressionError } from '#shared/expression/compile-expression.ts'
import type { BinaryOperator, ExpressionNode } from '#shared/expression/expression-node.ts'
import type { FilterOperator } from '#shared/field-types/operator-classes.ts'
import type { Filter, FilterCondition, Operand } from '#shared/filter/filter.ts'
import { matchAll, matchNone } from '#shared/filter/filter.ts'

/** What a condition may ask of the user. */
export interface ConditionUser {
  readonly id: string
  /** Null when it is not known; then it equals nothing. */
  readonly email: string | null
  readonly roles: readonly string[]
  readonly profile: string
  readonly organizationId: string | null
}

type Scalar = string | number | boolean | null

type Term =
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'moment'; readonly value: Operand }
  | { readonly kind: 'list'; readonly values: readonly Scalar[] }
  /** A fact of the user that is not there: no comparison with it holds. */
  | { readonly kind: 'unknown' }

const orders: Readonly<Partial<Record<BinaryOperator, FilterOperator>>> = {
  '==': '$eq',
  '!=': '$ne',
  '<': '$lt',
  '<=': '$lte',
  '>': '$gt',
  '>=': '$gte',
}

const flipped: Readonly<Partial<Record<BinaryOperator, BinaryOperator>>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

const textTests: Readonly<Record<string, FilterOperator>> = {
  startsWith: '$startsWith',
  endsWith: '$endsWith',
  contains: '$contains',
}

/**
 * The filter of a condition for one user. The text functions ignore case, as those of filters do (D-83).
 * @throws ExpressionError for what is no CEL and for what a filter cannot say
 */
export function conditionFilter(source: unknown, user: ConditionUser): Filter {
  return testOf(compileExpression(source).node, user)
}

function testOf(node: ExpressionNode, user: ConditionUser): Filter {
  switch (node.kind) {
    case 'literal':
      if (typeof node.value === 'boolean') return constant(node.value)
      throw refuse('A condition is true or false.')
    case 'not':
      return { kind: 'not', child: testOf(node.of, user) }
    case 'has': {
      const term = termOf(node.of, user)
      if (term.kind === 'field') return condition(term.path, '$null', false)
      return constant(term.kind !== 'unknown')
    }
    case 'member': {
      const term = termOf(node, user)
      if (term.kind === 'field') return condition(term.path, '$eq', true)
      throw refuse('A condition is true or false.')
    }
    case 'call':
      return textTest(node.name, node.args, user)
    case 'binary':
      if (node.operator === '&&') return { kind: 'and', children: [testOf(node.left, user), testOf(node.right, user)] }
      if (node.operator === '||') return { kind: 'or', children: [testOf(node.left, user), testOf(node.right, user)] }
      if (node.operator === 'in') return membership(termOf(node.left, user), termOf(node.right, user))
      return comparison(node.operator, termOf(node.left, user), termOf(node.right, user))
    default:
      throw refuse(`"${node.kind}" cannot be part of the condition of a row rule.`)
  }
}

function termOf(node: ExpressionNode, user: ConditionUser): Term {
  switch (node.kind) {
    case 'literal':
      return { kind: 'value', value: node.value }
    case 'negate': {
      const term = termOf(node.of, user)
      if (term.kind === 'value' && typeof term.value === 'number') return { kind: 'value', value: -term.value }
      throw refuse('Only numbers have a negative.')
    }
    case 'list':
      return {
        kind: 'list',
        values: node.items.map((item) => {
          const term = termOf(item, user)
          if (term.kind === 'value') return term.value
          throw refuse('A list in the condition of a row rule has constants only.')
        }),
      }
    case 'root':
      if (node.name === 'now') return { kind: 'moment', value: { $now: '' } }
      throw refuse(`"${node.name}" cannot stand by itself in the condition of a row rule.`)
    case 'call':
      if (node.args.length === 0 && node.name === 'now') return { kind: 'moment', value: { $now: '' } }
      if (node.args.length === 0 && node.name === 'today') return { kind: 'moment', value: { $today: '' } }
      throw refuse(`The function "${node.name}" cannot be asked in a list.`)
    case 'member':
      return memberTerm(node, user)
    default:
      throw refuse(`"${node.kind}" cannot be part of the condition of a row rule.`)
  }
}

function memberTerm(node: ExpressionNode & { kind: 'member' }, user: ConditionUser): Term {
  const path: string[] = [node.name]
  let at = node.of
  for (; at.kind === 'member'; at = at.of) path.unshift(at.name)
  if (at.kind !== 'root') throw refuse('A condition reads members of record and user.')
  if (at.name === 'record') return { kind: 'field', path }
  if (at.name !== 'user' || path.length !== 1) throw refuse(`"${at.name}" is not known to the condition of a row rule.`)
  switch (path[0]) {
    case 'roles':
      return { kind: 'list', values: user.roles }
    case 'id':
    case 'email':
    case 'profile':
    case 'organizationId': {
      const value = user[path[0]]
      return value === null ? { kind: 'unknown' } : { kind: 'value', value }
    }
    default:
      throw refuse(`A user has no "${path[0]}" in the condition of a row rule.`)
  }
}

function comparison(operator: BinaryOperator, left: Term, right: Term): Filter {
  const name = orders[operator]
  if (name === undefined) throw refuse(`The operator ${operator} cannot be part of the condition of a row rule.`)
  if (left.kind === 'unknown' || right.kind === 'unknown') return matchNone
  if (left.kind === 'list' || right.kind === 'list') throw refuse('Lists are not compared.')
  if (left.kind === 'field') return fieldComparison(left.path, name, right)
  if (right.kind === 'field') return fieldComparison(right.path, orders[flipped[operator] ?? operator]!, left)
  if (left.kind === 'moment' || right.kind === 'moment') throw refuse('The clock is compared with fields only.')
  return constant(compareValues(name, left.value, right.value))
}

function fieldComparison(
  path: readonly string[],
  operator: FilterOperator,
  other: Exclude<Term, { kind: 'list' | 'unknown' }>,
): Filter {
  if (other.kind === 'moment') return condition(path, operator, other.value)
  if (other.kind === 'field') {
    if (other.path.length === 1) return condition(path, operator, { $field: other.path[0]! })
    throw refuse('Only fields of the record itself are compared with each other.')
  }
  if (other.value !== null) return condition(path, operator, other.value)
  if (operator === '$eq' || operator === '$ne') return condition(path, '$null', operator === '$eq')
  return matchNone
}

function compareValues(operator: FilterOperator, left: Scalar, right: Scalar): boolean {
  if (operator === '$eq') return left === right
  if (operator === '$ne') return left !== right
  if (left === null || right === null || typeof left !== typeof right) return false
  if (operator === '$lt') return left < right
  if (operator === '$lte') return left <= right
  return operator === '$gt' ? left > right : left >= right
}

function membership(item: Term, list: Term): Filter {
  if (item.kind === 'unknown' || list.kind === 'unknown') return matchNone
  if (list.kind === 'field') {
    if (item.kind !== 'value' || item.value === null) throw refuse('Only a constant is looked for in a field.')
    return condition(list.path, '$any', [item.value])
  }
  if (list.kind !== 'list') throw refuse('The operator "in" needs a list.')
  if (item.kind === 'value') return constant(list.values.includes(item.value))
  if (item.kind !== 'field') throw refuse('The operator "in" looks for constants and fields.')
  const values = list.values.filter((value) => value !== null)
  const tests: Filter[] = [
    ...(values.length === 0 ? [] : [condition(item.path, '$in', values)]),
    ...(values.length === list.values.length ? [] : [condition(item.path, '$null', true)]),
  ]
  return tests.length === 1 ? tests[0]! : { kind: 'or', children: tests }
}

function textTest(name: string, args: readonly ExpressionNode[], user: ConditionUser): Filter {
  const operator = Object.hasOwn(textTests, name) ? textTests[name]! : undefined
  if (operator === undefined || args.length !== 2) throw refuse(`The function "${name}" cannot be asked in a list.`)
  const [subject, part] = args.map((arg) => termOf(arg, user)) as [Term, Term]
  if (subject.kind === 'unknown' || part.kind === 'unknown') return matchNone
  if (subject.kind === 'list' && name === 'contains') return membership(part, subject)
  if (part.kind !== 'value' || typeof part.value !== 'string') throw refuse(`"${name}" looks for a constant text.`)
  if (subject.kind === 'field') return condition(subject.path, operator, part.value)
  throw refuse(`"${name}" asks a field of the record.`)
}

function condition(path: readonly string[], operator: FilterOperator, operand: FilterCondition['operand']): Filter {
  return { kind: 'condition', path, operator, operand }
}

function constant(value: boolean): Filter {
  return value ? matchAll : matchNone
}

function refuse(message: string): ExpressionError {
  return new ExpressionError('value', message)
}
