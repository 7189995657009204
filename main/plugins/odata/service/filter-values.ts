// Values and paths while a filter is read, and the conditions two of them make. Pure.
import type { FilterOperator } from '#shared/field-types/operator-classes.ts'
import type { Filter, Operand } from '#shared/filter/filter.ts'
import { matchAll, matchNone } from '#shared/filter/filter.ts'
import type { ValueStep } from '#shared/filter/value-functions.ts'

/** A value that stands in the request. */
export interface Literal {
  readonly kind: 'literal'
  readonly value: Operand | null
}

/** A field, or what functions make of it. */
export interface FieldValue {
  readonly kind: 'path'
  readonly path: readonly string[]
  /** The innermost first. */
  readonly functions: readonly ValueStep[]
}

/** A condition. */
interface Truth {
  readonly kind: 'filter'
  readonly filter: Filter
}

/** Several values in brackets. */
interface Literals {
  readonly kind: 'list'
  readonly values: readonly (Operand | null)[]
}

/** A part of an expression. */
export type Term = Literal | FieldValue | Truth | Literals

/** The comparisons of the protocol. */
export const comparisons = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const

/** One of {@link comparisons}. */
export type ComparisonWord = (typeof comparisons)[number]

const operators: Record<ComparisonWord, FilterOperator> = {
  eq: '$eq',
  ne: '$ne',
  gt: '$gt',
  ge: '$gte',
  lt: '$lt',
  le: '$lte',
}
const flipped: Partial<Record<ComparisonWord, ComparisonWord>> = { gt: 'lt', ge: 'le', lt: 'gt', le: 'ge' }

/** A condition on a field. */
export function condition(
  { path, functions }: FieldValue,
  operator: FilterOperator,
  operand: Operand | readonly Operand[],
): Filter {
  return { kind: 'condition', path, operator, operand, ...(functions.length === 0 ? {} : { functions }) }
}

/** The term as a condition: a field alone is true when its value is; null when the term is none. */
export function truthOf(term: Term): Filter | null {
  if (term.kind === 'filter') return term.filter
  if (term.kind === 'path' && term.functions.length === 0) return condition(term, '$eq', true)
  if (term.kind !== 'literal' || typeof term.value !== 'boolean') return null
  return term.value ? matchAll : matchNone
}

/**
 * Compares two terms; null when the tree of filters cannot say it.
 * @source D-82: null equals null, has no order, and everything else differs from it
 */
export function compare(left: Term, word: ComparisonWord, right: Term): Filter | null {
  if (left.kind === 'literal' && right.kind === 'literal') return compareLiterals(left.value, word, right.value)
  if (left.kind === 'literal' && right.kind !== 'list') return compare(right, flipped[word] ?? word, left)
  if (left.kind === 'filter') return compareTruth(left.filter, word, right)
  if (left.kind !== 'path') return null
  if (right.kind === 'filter') return compareTruth(right.filter, word, left)
  if (right.kind === 'literal') return compareField(left, word, right.value)
  if (right.kind !== 'path') return null
  if (right.functions.length === 0) return condition(left, operators[word], { $field: right.path.join('.') })
  if (left.functions.length > 0) return null
  return condition(right, operators[flipped[word] ?? word], { $field: left.path.join('.') })
}

/** Whether a field is among values; null stands for a missing one. */
export function among(field: FieldValue, values: readonly (Operand | null)[]): Filter {
  const present = values.filter((value) => value !== null)
  const parts: Filter[] = []
  if (present.length > 0) parts.push(condition(field, '$in', present))
  if (present.length < values.length) parts.push(condition(field, '$null', true))
  if (parts.length === 0) return matchNone
  return parts.length === 1 ? parts[0]! : { kind: 'or', children: parts }
}

function compareField(field: FieldValue, word: ComparisonWord, value: Operand | null): Filter {
  if (value !== null) return condition(field, operators[word], value)
  if (word === 'eq') return condition(field, '$null', true)
  if (word === 'ne') return condition(field, '$null', false)
  // What has no order is still looked up, so that a mistyped name is told of.
  return { kind: 'and', children: [condition(field, '$null', true), matchNone] }
}

function compareTruth(filter: Filter, word: ComparisonWord, other: Term): Filter | null {
  if (other.kind !== 'literal' || typeof other.value !== 'boolean' || (word !== 'eq' && word !== 'ne')) return null
  return other.value === (word === 'eq') ? filter : { kind: 'not', child: filter }
}

function compareLiterals(left: Operand | null, word: ComparisonWord, right: Operand | null): Filter | null {
  if (typeof left === 'object' || typeof right === 'object') {
    if (left !== null && right !== null) return null
    const isSame = left === right
    return (word === 'eq' && isSame) || (word === 'ne' && !isSame) ? matchAll : matchNone
  }
  if (typeof left !== typeof right) return null
  const results: Record<ComparisonWord, boolean> = {
    eq: left === right,
    ne: left !== right,
    gt: left > right,
    ge: left >= right,
    lt: left < right,
    le: left <= right,
  }
  return results[word] ? matchAll : matchNone
}
