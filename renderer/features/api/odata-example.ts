// Owns writing a list of records as an address of OData. Pure. @source D-183, D-275
import type { AskedRecords, FilterTree } from './asked-records.ts'
import { NoWords, askedField, daysOf, readFilterTree } from './asked-records.ts'

const comparisons: Readonly<Record<string, string>> = {
  $eq: 'eq',
  $ne: 'ne',
  $gt: 'gt',
  $gte: 'ge',
  $lt: 'lt',
  $lte: 'le',
}

const textTests: Readonly<Record<string, string>> = {
  $contains: 'contains',
  $startsWith: 'startswith',
  $endsWith: 'endswith',
}

/** The address, with only what has to be escaped. @throws NoWords where a filter has no words there */
export function odataExample(asked: AskedRecords): string {
  const { baseUrl, prefix, object, fields, filter, sort, search, top } = asked
  const options = [
    ...(filter === undefined ? [] : [`$filter=${escaped(filterOf(readFilterTree(filter), asked))}`]),
    ...(search === '' ? [] : [`$search=${escaped(search)}`]),
    ...(sort.length === 0
      ? []
      : [`$orderby=${escaped(sort.map(({ field, order }) => `${field} ${order}`).join(', '))}`]),
    `$select=${['id', ...fields.map(({ name }) => name).filter((name) => name !== 'id')].join(',')}`,
    `$top=${top}`,
  ]
  return `${baseUrl}${prefix}/odata/${object}?${options.join('&')}`
}

/** Everything a reader of addresses would take for something else is escaped, so that the rest stays readable. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/%(?:2C|2F|3A|24|40)/g, decodeURIComponent)
}

function filterOf(tree: FilterTree, asked: AskedRecords): string {
  if (tree.kind === 'not') return `not (${filterOf(tree.child, asked)})`
  if (tree.kind !== 'condition') {
    if (tree.children.length === 0) return tree.kind === 'and' ? 'true' : 'false'
    return tree.children.map((child) => `(${filterOf(child, asked)})`).join(` ${tree.kind} `)
  }
  return conditionOf(tree, asked)
}

function conditionOf(
  { path, operator, operand }: Extract<FilterTree, { kind: 'condition' }>,
  asked: AskedRecords,
): string {
  const [first, ...more] = path
  const field = more.length === 0 ? askedField(asked, first!) : undefined
  const name = [...path.slice(0, -1).map((relation) => `${relation}Record`), path.at(-1)!].join('/')
  const literal = (value: unknown): string => literalOf(value, field?.dated === true)
  if (operator === '$null') return `${name} ${operand === true ? 'eq' : 'ne'} null`
  if (operator === '$during') {
    const { from, before } = daysOf(operand, asked.timeZone)
    return `${name} ge ${from} and ${name} lt ${before}`
  }
  if (field?.multiple === true) return listCondition(name, operator, operand, literal)
  const comparison = comparisons[operator]
  if (comparison !== undefined) return `${name} ${comparison} ${literal(operand)}`
  if (operator === '$in') return `${name} in (${listOf(operand).map(literal).join(',')})`
  if (operator === '$nin') return `not (${name} in (${listOf(operand).map(literal).join(',')}))`
  if (operator === '$between') {
    const [low, high] = listOf(operand)
    return `${name} ge ${literal(low)} and ${name} le ${literal(high)}`
  }
  if (operator === '$notContains') return `not contains(${name},${literal(operand)})`
  const test = textTests[operator]
  if (test === undefined) throw new NoWords(operator)
  return `${test}(${name},${literal(operand)})`
}

/** A condition on a field that holds several values. */
function listCondition(name: string, operator: string, operand: unknown, literal: (value: unknown) => string): string {
  const has = (value: unknown): string => `${name}/any(x:x eq ${literal(value)})`
  switch (operator) {
    case '$contains':
    case '$eq':
      return has(operand)
    case '$notContains':
      return `not ${has(operand)}`
    case '$any':
    case '$in':
      return `(${listOf(operand).map(has).join(' or ')})`
    case '$all':
      return `(${listOf(operand).map(has).join(' and ')})`
    default:
      throw new NoWords(operator)
  }
}

function listOf(operand: unknown): readonly unknown[] {
  if (!Array.isArray(operand) || operand.length === 0) throw new NoWords('list')
  return operand
}

/** @throws NoWords for what is no value, such as a macro */
function literalOf(value: unknown, isMoment: boolean): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') throw new NoWords('macro')
  return isMoment ? value : `'${value.replaceAll("'", "''")}'`
}
