// Turns an analytic query into a grouped list of the data service, and its groups back into rows under the names the
// caller used (D-116 to D-119). Pure.
import { startOfDate, formatInstant } from '#shared/calendar/iso.ts'
import { invalidQuery } from '#shared/errors.ts'
import type { ExpressionNode } from '#shared/expression/expression-node.ts'
import { allOf } from '#shared/filter/filter.ts'
import { parseFilter, parseFilters } from '#shared/filter/parse-filter.ts'
import type { FilterPart } from '#shared/filter/parse-filter.ts'
import type { RecordQuery } from '#main/plugins/data/api.ts'
import type { Annotation } from '../api.ts'
import type { PlacedFilter, QueryOrigins } from './callers-words.ts'
import type { Dimension, Measure, MemberScope } from './members.ts'
import { granularities, resolveDimension, resolveMeasure, spellings } from './members.ts'
import { rangeOf, readFilters } from './read-filters.ts'
import type { AnalyticsQuery } from './read-query.ts'
import { rowLimits } from './read-query.ts'

/** A query ready to run. */
export interface QueryPlan {
  readonly query: RecordQuery
  readonly annotation: { measures: Annotation; dimensions: Annotation; timeDimensions: Annotation }
  readonly origins: QueryOrigins
  /** The rows of the answer from the groups of the list. */
  rows(groups: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown>[]
}

interface Column {
  /** Key in the answer; null for a value that only conditions need. */
  readonly name: string | null
  readonly alias: string
}

/**
 * Plans a query.
 * @param timeZone the zone buckets are cut in
 * @throws invalid_query for unknown members and operators
 */
export function planQuery(scope: MemberScope, asked: AnalyticsQuery, timeZone: string): QueryPlan {
  const measures = [...new Set(asked.measures)].map((name, at) => ({
    name,
    alias: `m${at}`,
    measure: resolveMeasure(scope, name, 'measures'),
  }))
  const dimensions = groupsOf(scope, asked)
  if (measures.length + dimensions.length === 0) {
    throw invalidQuery('measures', 'Ask for at least one measure or dimension.', { path: '' })
  }

  const hidden: { name: string; alias: string; measure: Measure; parameter: string }[] = []
  const aliasFor =
    (parameter: string) =>
    (name: string, measure: Measure): string => {
      const shown = measures.find((item) => item.name === name)
      if (shown) return shown.alias
      const alias = `h${hidden.length}`
      hidden.push({ name, alias, measure, parameter })
      return alias
    }
  const computed: { name: string; expression: ExpressionNode }[] = []
  const computedName = (expression: ExpressionNode): string => {
    const name = `X${computed.length}`
    computed.push({ name, expression })
    return name
  }
  const filters = readFilters(scope, asked.filters, { aliasOf: aliasFor('filters'), computedName })
  const ranges = asked.timeDimensions.flatMap(({ dimension, dateRange }, at): FilterPart[] => {
    if (dateRange === null) return []
    const { path } = resolveDimension(scope, dimension, 'timeDimensions')
    const input = { [path]: rangeOf(typeof dateRange === 'string' ? [dateRange] : dateRange) }
    return [{ input, parameter: 'timeDimensions', path: `${at}.dateRange` }]
  })
  const where = placed([...filters.where, ...ranges, { input: asked.where, parameter: 'where' }])
  const overAliases = renameMembers(asked.having, (name) =>
    aliasFor('having')(name, resolveMeasure(scope, name, 'having')),
  )
  // Once under the names of the request, so that what is refused is named by them.
  parseFilter(asked.having, 'having')
  const having = placed([...filters.having, { input: overAliases, parameter: 'having' }])

  const isTime = (name: string): boolean =>
    dimensions.some((item) => item.name === name && item.group.granularity !== null)
  const sort = orderOf(asked, dimensions, measures, isTime).map(({ member, direction }) => {
    const columns = [...dimensions, ...measures]
    const column =
      columns.find(({ name }) => name === member) ??
      columns.find(({ name }) => spellings(scope, name)[0] === spellings(scope, member)[0])
    if (!column) throw invalidQuery('order', 'Order by members of the query.', { path: member.slice(0, 200) })
    return { field: column.alias, order: direction }
  })

  const query: RecordQuery = {
    groupBy: dimensions.map(({ alias, group }) => ({
      ...(group.expression === undefined ? { field: group.path } : { expression: group.expression }),
      alias,
      ...(group.granularity === null ? {} : { dateGranularity: group.granularity }),
    })),
    aggregations: [...measures, ...hidden].map(({ alias, measure }) => ({
      function: measure.function,
      ...(measure.expression === undefined ? {} : { expression: measure.expression }),
      ...(measure.path === null ? {} : { field: measure.path }),
      ...(measure.filter === null ? {} : { filter: measure.filter }),
      alias,
    })),
    sort,
    top: asked.limit,
    skip: asked.offset,
    count: asked.total,
    analytics: {
      timeZone,
      maxGroups: rowLimits.largest,
      computed,
      ...(where.length === 0 ? {} : { where: allOf(...where.map(({ filter }) => filter)) }),
      ...(having.length === 0 ? {} : { having: allOf(...having.map(({ filter }) => filter)) }),
    },
  }
  const columns: Column[] = [...dimensions, ...measures]
  const days = new Set(dimensions.filter(({ group }) => group.granularity !== null).map(({ alias }) => alias))
  return {
    query,
    annotation: annotationOf(dimensions, measures),
    origins: {
      where,
      having,
      measures: [...measures.map((item) => ({ ...item, parameter: 'measures' })), ...hidden].map(
        ({ measure, ...item }) => ({ ...item, path: measure.path }),
      ),
      groups: dimensions.map(({ name, alias, group, isTimeDimension }) => ({
        name,
        alias,
        path: group.expression === undefined ? group.path : null,
        parameter: isTimeDimension ? 'timeDimensions' : 'dimensions',
      })),
    },
    rows: (groups) =>
      groups.map((group) => {
        const row: Record<string, unknown> = {}
        for (const { name, alias } of columns) {
          if (name !== null) row[name] = days.has(alias) ? bucketStart(group[alias], timeZone) : group[alias]
        }
        return row
      }),
  }
}

interface Group {
  readonly name: string
  readonly alias: string
  readonly group: Dimension
  readonly isTimeDimension: boolean
}

function groupsOf(scope: MemberScope, asked: AnalyticsQuery): Group[] {
  const plain = [...new Set(asked.dimensions)].map((name) => ({
    name,
    group: resolveDimension(scope, name, 'dimensions'),
    isTimeDimension: false,
  }))
  const timed = asked.timeDimensions.flatMap(({ dimension, granularity }) => {
    const group = resolveDimension(scope, dimension, 'timeDimensions')
    const bucket = granularity ?? group.granularity
    if (group.type !== 'time') throw invalidQuery('timeDimensions', 'The dimension is no time.', { path: dimension })
    if (bucket === null) return []
    if (!granularities.includes(bucket)) {
      const reason = `The granularity must be one of ${granularities.join(', ')}.`
      throw invalidQuery('timeDimensions', reason, { path: dimension })
    }
    const name = granularity === null ? dimension : `${dimension}.${granularity}`
    return [{ name, group: { ...group, granularity: bucket }, isTimeDimension: true }]
  })
  const seen = new Set<string>()
  return [...timed, ...plain]
    .filter(({ name }) => !seen.has(name) && seen.add(name))
    .map((item, at) => ({ ...item, alias: `d${at}` }))
}

/** Time first and rising, else the first measure falling, else the first dimension rising (D-119). */
function orderOf(
  asked: AnalyticsQuery,
  dimensions: readonly Group[],
  measures: readonly { name: string }[],
  isTime: (name: string) => boolean,
): AnalyticsQuery['order'] {
  if (asked.order.length > 0) return asked.order
  const times = dimensions
    .filter(({ name }) => isTime(name))
    .map(({ name }) => ({ member: name, direction: 'asc' as const }))
  if (times.length > 0) return times
  if (dimensions.length === 0) return []
  return measures[0]
    ? [{ member: measures[0].name, direction: 'desc' }]
    : [{ member: dimensions[0]!.name, direction: 'asc' }]
}

/** Parts of a condition, parsed; those that say nothing are left out. */
function placed(parts: readonly FilterPart[]): PlacedFilter[] {
  const given = parts.filter(({ input }) => input !== null)
  return parseFilters(given).map((filter, at) => {
    const { parameter, path } = given[at]!
    return { filter, parameter, path }
  })
}

/** A filter over measures under the names of their columns; words that begin with $ stay. */
function renameMembers(filter: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(filter)) return filter.map((child: unknown) => renameMembers(child, rename))
  if (typeof filter !== 'object' || filter === null) return filter
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]) =>
      key.startsWith('$') ? [key, renameMembers(value, rename)] : [rename(key), value],
    ),
  )
}

/** A bucket of days begins at midnight of the zone; buckets of hours and less are instants already. */
function bucketStart(value: unknown, timeZone: string): unknown {
  return typeof value === 'string' && value.length === 10 ? formatInstant(startOfDate(value, timeZone)) : value
}

function annotationOf(
  dimensions: readonly Group[],
  measures: readonly { name: string; measure: Measure }[],
): QueryPlan['annotation'] {
  const entries = (list: readonly Group[]): Annotation =>
    Object.fromEntries(list.map(({ name, group }) => [name, { title: group.title, type: group.type }]))
  return {
    measures: Object.fromEntries(
      measures.map(({ name, measure }) => [name, { title: measure.title, type: measure.type }]),
    ),
    dimensions: entries(dimensions.filter((item) => !item.isTimeDimension)),
    timeDimensions: entries(dimensions.filter((item) => item.isTimeDimension)),
  }
}
