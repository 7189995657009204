// The array and rule forms of D-80, also used by view filters.
import type { Filter } from './filter.ts'
import type { FilterReader } from './filter-reader.ts'
import { checkDepth, filterError, patternOperator, readCondition, readPath } from './filter-reader.ts'
import type { ParseChild } from './object-form.ts'

/** Words of the array and rule forms, lower case, with the operator they mean. */
const operatorWords: ReadonlyMap<string, string> = new Map([
  ['=', '$eq'],
  ['==', '$eq'],
  ['eq', '$eq'],
  ['equals', '$eq'],
  ['!=', '$ne'],
  ['<>', '$ne'],
  ['ne', '$ne'],
  ['neq', '$ne'],
  ['not_equals', '$ne'],
  ['>', '$gt'],
  ['gt', '$gt'],
  ['>=', '$gte'],
  ['gte', '$gte'],
  ['<', '$lt'],
  ['lt', '$lt'],
  ['<=', '$lte'],
  ['lte', '$lte'],
  ['in', '$in'],
  ['nin', '$nin'],
  ['not_in', '$nin'],
  ['not in', '$nin'],
  ['contains', '$contains'],
  ['like', patternOperator],
  // Patterns never tell case apart (D-83).
  ['ilike', patternOperator],
  ['not_contains', '$notContains'],
  ['notcontains', '$notContains'],
  ['starts_with', '$startsWith'],
  ['startswith', '$startsWith'],
  ['ends_with', '$endsWith'],
  ['endswith', '$endsWith'],
  ['between', '$between'],
  ['is_null', '$null'],
  ['is_not_null', '$exists'],
  ['any', '$any'],
  ['all', '$all'],
  ['during', '$during'],
])

/** Whether an object is the rule form `{field, operator, value}`. */
export function isRule(input: object): boolean {
  const rule = input as { field?: unknown; operator?: unknown }
  if (typeof rule.field !== 'string' || typeof rule.operator !== 'string') return false
  return canonicalOperator(rule.operator) !== null && Object.keys(input).every((key) => ruleKeys.has(key))
}

const ruleKeys = new Set(['field', 'operator', 'value', 'id'])

/** Parses `{field, operator, value}`. */
export function parseRule(reader: FilterReader, input: object, path: string): Filter {
  const { field, operator, value } = input as { field: string; operator: string; value?: unknown }
  return parseWord(reader, field, operator, value, path)
}

/** Parses `[field, op, value]`, `["and"|"or"|"not", ...children]`, or an array of filters that are ANDed. */
export function parseArrayForm(
  reader: FilterReader,
  input: readonly unknown[],
  depth: number,
  path: string,
  parseChild: ParseChild,
): Filter {
  checkDepth(reader, depth, path)
  const [first, second] = input
  const child = (item: unknown, index: number) => parseChild(reader, item, depth + 1, `${path}[${index}]`)
  if (typeof first !== 'string') return { kind: 'and', children: input.map(child) }
  if (typeof second === 'string') {
    if (input.length > 3) throw filterError(reader, path, 'A condition is [field, operator, value].')
    return parseWord(reader, first, second, input[2], path)
  }
  const word = first.toLowerCase()
  const children = () => input.slice(1).map((item, index) => child(item, index + 1))
  if (word === 'and' || word === 'or') return { kind: word, children: children() }
  if (word === 'not') {
    if (input.length !== 2) throw filterError(reader, path, '"not" needs exactly one filter.')
    return { kind: 'not', child: child(second, 1) }
  }
  throw filterError(reader, path, 'A condition is [field, operator, value].')
}

function canonicalOperator(word: string): string | null {
  // A pattern has a word in this form and no operator in the object form (D-79).
  if (word.startsWith('$')) return word === patternOperator ? null : word
  return operatorWords.get(word.trim().toLowerCase()) ?? null
}

function parseWord(reader: FilterReader, field: string, word: string, value: unknown, path: string): Filter {
  const operator = canonicalOperator(word)
  if (operator === null) throw filterError(reader, path, `There is no operator "${word.slice(0, 50)}".`)
  const fieldPath = readPath(reader, field, path)
  if ((operator === '$null' || operator === '$exists') && !word.startsWith('$')) {
    return readCondition(reader, fieldPath, operator, value === undefined || value === null ? true : value, path)
  }
  if (value === undefined) throw filterError(reader, path, 'The condition needs a value; write null for none.')
  if (operator === patternOperator && typeof value === 'string' && !/[%_]/.test(value)) {
    return readCondition(reader, fieldPath, '$contains', value, path)
  }
  return readCondition(reader, fieldPath, operator, value, path)
}
