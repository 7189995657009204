// Turns the filters of an analytic query into filters of section 7: those on dimensions before grouping, those on
// measures after it (D-118). Pure.
import { invalidQuery } from '#shared/errors.ts'
import type { ExpressionNode } from '#shared/expression/expression-node.ts'
import type { FilterPart } from '#shared/filter/parse-filter.ts'
import type { Dimension, Measure, MemberScope } from './members.ts'
import { resolveMember } from './members.ts'

/** The two halves of the filters of a query, as conditions that must all hold. */
export interface SplitFilters {
  readonly where: readonly FilterPart[]
  readonly having: readonly FilterPart[]
}

type Condition = Readonly<Record<string, unknown>>

interface Read {
  readonly condition: Condition
  readonly on: 'dimension' | 'measure'
}

/** How members are called in the query that is built. */
export interface MemberNames {
  /** The column of a measure. */
  readonly aliasOf: (name: string, measure: Measure) => string
  /** The name of a computed dimension. */
  readonly computedName: (expression: ExpressionNode) => string
}

/** Reads the filters. @throws invalid_query */
export function readFilters(scope: MemberScope, filters: readonly unknown[], names: MemberNames): SplitFilters {
  const read = filters.map((filter, at) => ({ ...readFilter(scope, filter, `${at}`, names), path: `${at}` }))
  const partsOn = (kind: Read['on']): FilterPart[] =>
    read
      .filter(({ on }) => on === kind)
      .map(({ condition, path }) => ({ input: condition, parameter: 'filters', path }))
  return { where: partsOn('dimension'), having: partsOn('measure') }
}

function readFilter(scope: MemberScope, filter: unknown, path: string, names: MemberNames): Read {
  if (!isMap(filter)) throw refuse('A filter must be an object.', path)
  for (const word of ['or', 'and'] as const) {
    const children = filter[word]
    if (children === undefined) continue
    if (!Array.isArray(children)) throw refuse(`The value of ${word} must be a list.`, `${path}.${word}`)
    const read = children.map((child: unknown, at) => readFilter(scope, child, `${path}.${word}.${at}`, names))
    const kinds = new Set(read.map(({ on }) => on))
    if (kinds.size > 1) throw refuse('A group of conditions is on dimensions or on measures, not on both.', path)
    return { condition: { [`$${word}`]: read.map(({ condition }) => condition) }, on: read[0]?.on ?? 'dimension' }
  }
  const { member: name, operator, values } = filter
  if (typeof name !== 'string') throw refuse('A filter names a member.', `${path}.member`)
  if (typeof operator !== 'string') throw refuse('A filter names an operator.', `${path}.operator`)
  const member = resolveMember(scope, name, 'filters')
  const operands = values === undefined || values === null ? [] : Array.isArray(values) ? values : [values]
  const condition = conditionOf(targetOf(name, member, names), operator, operands, path)
  return { condition, on: member.kind }
}

function targetOf(name: string, member: Measure | Dimension, names: MemberNames): { key: string; many: boolean } {
  if (member.kind === 'measure') return { key: names.aliasOf(name, member), many: false }
  if (member.expression !== undefined) return { key: names.computedName(member.expression), many: false }
  return { key: member.path, many: isMany(member) }
}

/** Whether the dimension's field has several values, which are compared one by one. */
function isMany(member: Dimension): boolean {
  return member.field.multiple
}

const noOperands = new Set(['set', 'notSet'])
const ranges = new Set(['inDateRange', 'notInDateRange'])

function conditionOf(
  target: { key: string; many: boolean },
  operator: string,
  values: readonly unknown[],
  path: string,
): Condition {
  const { key, many } = target
  const on = (condition: unknown): Condition => ({ [key]: condition })
  const any = (word: string): Condition => {
    const each = values.map((value) => on({ [word]: value }))
    return each.length === 1 ? each[0]! : { $or: each }
  }
  if (!noOperands.has(operator) && values.length === 0) {
    throw refuse('The operator needs at least one value.', `${path}.values`)
  }
  if (ranges.has(operator) && values.length > 2) {
    throw refuse('A range is a name or a pair of dates.', `${path}.values`)
  }
  switch (operator) {
    case 'equals':
    case 'in':
      return many ? on({ $any: values }) : on({ $in: values })
    case 'notEquals':
    case 'notIn':
      return many ? { $not: on({ $any: values }) } : on({ $nin: values })
    case 'contains':
      return any('$contains')
    case 'notContains':
      return { $and: values.map((value) => on({ $notContains: value })) }
    case 'startsWith':
      return any('$startsWith')
    case 'endsWith':
      return any('$endsWith')
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return any(`$${operator}`)
    case 'set':
      return on({ $null: false })
    case 'notSet':
      return on({ $null: true })
    case 'inDateRange':
      return on(rangeOf(values))
    case 'notInDateRange':
      return { $not: on(rangeOf(values)) }
    case 'beforeDate':
      return any('$lt')
    case 'afterDate':
      return any('$gt')
    default:
      throw refuse(`There is no operator "${operator.slice(0, 100)}".`, `${path}.operator`)
  }
}

/** A pair of days, one day, or a range by its name. */
export function rangeOf(values: readonly unknown[]): Condition {
  const [from, to] = values
  if (values.length === 2) return { $between: [from, to] }
  return typeof from === 'string' && /^[a-z]/.test(from) ? { $during: from } : { $between: [from, from] }
}

function refuse(reason: string, path: string): Error {
  return invalidQuery('filters', reason, { path })
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
