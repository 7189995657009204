// Aggregations and groups of D-90 as clients write them. Pure; field names are not checked here.
import { clockPeriods, periods } from '#shared/calendar/periods.ts'
import type { ClockPeriod, Period } from '#shared/calendar/periods.ts'
import type { ExpressionNode } from '#shared/expression/expression-node.ts'
import { invalidQuery } from '#shared/errors.ts'
import type { Filter } from './filter.ts'
import { parseFilter, parseFilterText, parseJson } from './parse-filter.ts'

/** The functions over the records of a group. */
export const aggregateFunctions = ['count', 'sum', 'avg', 'min', 'max', 'count_distinct'] as const

/** A name of {@link aggregateFunctions}. */
export type AggregateFunction = (typeof aggregateFunctions)[number]

/** One value per group. */
export interface Aggregation {
  readonly function: AggregateFunction
  /** Null: the records themselves are counted, or the expression gives the value. */
  readonly path: readonly string[] | null
  /** A value worked out per record, in analytic queries. */
  readonly expression?: ExpressionNode
  /** Key of the value in the answer. */
  readonly alias: string
  /** Restricts the records this value is made of; null for all of the group. */
  readonly filter: Filter | null
}

/** One field that records are grouped by. */
export interface GroupTerm {
  readonly path: readonly string[]
  /** A value worked out per record, in analytic queries; the path is then empty. */
  readonly expression?: ExpressionNode
  /** Null: by the value itself; else by the first day or instant of the period it falls into. */
  readonly granularity: Period | ClockPeriod | null
  readonly alias: string
}

/** Records in groups; without terms they are all one group. */
export interface AggregateQuery {
  readonly aggregations: readonly Aggregation[]
  readonly groupBy: readonly GroupTerm[]
  /** A filter over aliases; null for every group. */
  readonly having: Filter | null
}

/** Most aggregations of one query. */
export const maxAggregations = 50
/** Most terms of a grouping. */
export const maxGroupTerms = 8

const aliasForm = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/

/**
 * Parses the three words of a grouped list; null when neither aggregations nor groups are given.
 * @param withClock whether groups by hour, minute and second are allowed, which lists do not have
 * @throws invalid_query, also for a `having` without them and for an alias that occurs twice
 * @source D-90
 */
export function parseAggregate(
  input: {
    readonly aggregations?: unknown
    readonly groupBy?: unknown
    readonly having?: unknown
    readonly analytics?: { readonly having?: Filter }
    readonly parsed?: { readonly having?: Filter }
  },
  withClock = false,
): AggregateQuery | null {
  const granularities = withClock ? [...periods, ...clockPeriods] : periods
  const aggregations = readList(input.aggregations, 'aggregations').map((item, index) =>
    readAggregation(item, index, withClock),
  )
  const groupBy = readList(input.groupBy, 'groupBy').map((term, index) =>
    readGroupTerm(term, index, granularities, withClock),
  )
  const having = input.analytics?.having ?? input.parsed?.having ?? readHaving(input.having)
  if (aggregations.length === 0 && groupBy.length === 0) {
    if (having !== null) throw invalidQuery('having', 'There are no groups to filter.', { path: '' })
    return null
  }
  checkLimit('aggregations', aggregations, maxAggregations)
  checkLimit('groupBy', groupBy, maxGroupTerms)
  const seen = new Set<string>()
  for (const [parameter, list] of Object.entries({ groupBy, aggregations })) {
    for (const { alias } of list) {
      if (seen.has(alias)) throw invalidQuery(parameter, `The alias "${alias}" occurs twice.`, { path: alias })
      seen.add(alias)
    }
  }
  return { aggregations, groupBy, having }
}

function readHaving(input: unknown): Filter | null {
  if (input === undefined || input === null || input === '') return null
  return typeof input === 'string' ? parseFilterText(input, 'having') : parseFilter(input, 'having')
}

/** A list from JSON text, an array or one object; names of groups may also be separated by commas. */
function readList(input: unknown, parameter: 'aggregations' | 'groupBy'): unknown[] {
  if (input === undefined || input === null || input === '') return []
  if (typeof input !== 'string') return Array.isArray(input) ? input : [input]
  if (/^\s*[[{]/.test(input)) {
    const parsed = parseJson(input, parameter)
    return Array.isArray(parsed) ? parsed : [parsed]
  }
  if (parameter === 'aggregations') throw invalidQuery(parameter, 'The value is not JSON.', { path: '' })
  return input
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function checkLimit(parameter: string, list: readonly unknown[], limit: number): void {
  if (list.length > limit) throw invalidQuery(parameter, `There are more than ${limit} entries.`, { path: '', limit })
}

function readAggregation(input: unknown, index: number, isAnalytic: boolean): Aggregation {
  const at = (key: string) => `${index}.${key}`
  const { function: name, field, alias, filter, expression } = asObject(input, 'aggregations', String(index))
  const found = aggregateFunctions.find((known) => known === name)
  if (!found) {
    const reason = `The function must be one of ${aggregateFunctions.join(', ')}.`
    throw invalidQuery('aggregations', reason, { path: at('function') })
  }
  const computed = isAnalytic && expression !== undefined ? { expression: expression as ExpressionNode } : {}
  const all = 'expression' in computed || field === undefined || field === null || (field === '*' && found === 'count')
  if (all && found !== 'count' && !('expression' in computed))
    throw invalidQuery('aggregations', `${found} needs a field.`, { path: at('field') })
  return {
    function: found,
    path: all ? null : readPath(field, 'aggregations', at('field')),
    ...computed,
    alias: readAlias(alias, all ? 'count' : `${found}_${String(field)}`, 'aggregations', at('alias')),
    filter: filter === undefined || filter === null ? null : parseFilter(filter, 'aggregations'),
  }
}

function readGroupTerm(
  input: unknown,
  index: number,
  granularities: readonly string[],
  isAnalytic: boolean,
): GroupTerm {
  const given = typeof input === 'string' ? { field: input } : asObject(input, 'groupBy', String(index))
  const { field, dateGranularity, alias, expression } = given as Readonly<Record<string, unknown>>
  if (isAnalytic && expression !== undefined) {
    const named = readAlias(alias, 'expression', 'groupBy', `${index}.alias`)
    return { path: [], expression: expression as ExpressionNode, granularity: null, alias: named }
  }
  const path = readPath(field, 'groupBy', `${index}.field`)
  const granularity = dateGranularity ?? null
  if (granularity !== null && !granularities.includes(granularity as string)) {
    const reason = `The granularity must be one of ${granularities.join(', ')}.`
    throw invalidQuery('groupBy', reason, { path: `${index}.dateGranularity` })
  }
  return {
    path,
    granularity: granularity as GroupTerm['granularity'],
    alias: readAlias(alias, path.join('.'), 'groupBy', `${index}.alias`),
  }
}

function asObject(input: unknown, parameter: string, path: string): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Record<string, unknown>
  throw invalidQuery(parameter, 'An entry must be an object.', { path })
}

function readPath(input: unknown, parameter: string, path: string): string[] {
  const segments = typeof input === 'string' ? input.split('.') : []
  if (segments.length > 0 && segments.length <= 10 && segments.every((segment) => segment !== '')) return segments
  throw invalidQuery(parameter, 'The entry needs a field.', { path })
}

function readAlias(input: unknown, implied: string, parameter: string, path: string): string {
  if (input === undefined || input === null) return implied
  if (typeof input === 'string' && aliasForm.test(input)) return input
  throw invalidQuery(parameter, 'An alias begins with a letter and has letters, digits and _ . - only.', { path })
}
