// Groups of records with values over each as one statement (D-90). The groups are a table of their own: conditions and
// sorts over aliases are those of lists, on an object that is made up for the query.
import type { Statement } from '#main/kernel/database.ts'
import { invalidQuery } from '#shared/errors.ts'
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { AggregateQuery } from '#shared/filter/aggregate.ts'
import type { Filter } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import { resolveSort } from '#shared/filter/resolve-sort.ts'
import type { SortTerm } from '#shared/filter/sort.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { quoteName } from '../schema/sql-text.ts'
import type { AggregateColumn, ComputedColumn } from './aggregate-columns.ts'
import { aggregationColumn, groupColumn, withComputed } from './aggregate-columns.ts'
import { resolveWhere, writeConditions } from './build-find.ts'
import { writeFilter } from './filter-sql.ts'
import type { FindRequest } from './find-request.ts'
import { checkPage } from './find-request.ts'
import type { FilterWeight } from './query-weight.ts'
import { heavier, lightWeight, weighFilter } from './query-weight.ts'
import type { Row } from './row-reader.ts'
import type { SearchHook } from './scope.ts'
import { bind, rootScope } from './scope.ts'
import { orderBySql, sortKeys } from './sort-sql.ts'

/** Groups of one answer when `top` is not given, and at most. */
export const aggregateTops = { standard: 1_000, largest: 10_000 } as const

/** A grouped list ready to run. */
export interface AggregatePlan {
  readonly statement: Statement<Row>
  /** What the groups and their values ask of each record. */
  readonly weight: FilterWeight
  /** Counts the groups. */
  readonly count: Statement<{ total: number }>
  finish(rows: Row[]): { records: Row[]; hasMore: boolean }
}

/**
 * Builds a grouped list. Groups come in the order of their values unless a sort over aliases is given; a group's last
 * tie-break is its values. `select` keeps the named aliases.
 * @throws invalid_query for unknown fields and aliases, fields that cannot be grouped or aggregated, and a cursor
 * @source D-90
 */
export function buildAggregate(
  schema: ObjectSchema,
  request: FindRequest,
  query: AggregateQuery,
  env: QueryEnv,
  options: {
    readonly search?: SearchHook
    readonly maxGroups?: number | undefined
    /** What the filter may name beside the fields. */
    readonly computed?: readonly ComputedColumn[] | undefined
  } = {},
): AggregatePlan {
  const { top, skip = 0, cursor, deleted = 'exclude' } = request
  checkPage(top, skip, cursor, options.maxGroups ?? aggregateTops.largest)
  if (cursor) throw invalidQuery('cursor', 'Groups have no cursor.', { path: '' })

  const { computed = [] } = options
  const source = withComputed(rootScope(schema, env), computed)
  const scope = rootScope(source.schema, env, options.search)
  const groups = query.groupBy.map((term, index) => groupColumn(scope, term, index))
  const values = query.aggregations.map((item, index) => aggregationColumn(scope, item, groups.length + index))
  const columns = [...groups, ...values]
  const joins = groups.map((group) => group.joinSql).join('')
  const filter = resolveWhere(source.schema, request, env)
  const conditions = writeConditions(scope, filter, deleted)
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  const inner =
    `SELECT ${columns.map(({ sql, field }) => `${sql} AS "${field.column}"`).join(', ')}` +
    ` FROM ${source.table} AS ${scope.alias}${joins}${where}` +
    `${groups.length > 0 ? ` GROUP BY ${groups.map((_, index) => index + 1).join(', ')}` : ''}`

  const table = groupTable(schema, columns)
  const outerEnv: QueryEnv = { ...env, canRead: undefined }
  const outer = { ...scope, schema: table, alias: 'g', env: outerEnv }
  const having = query.having === null ? null : resolveFilter(table, overAliases(query.having), outerEnv, 'having')
  const from = `FROM (${inner}) AS g${having === null ? '' : ` WHERE ${writeFilter(outer, having)}`}`
  const count = { sql: `SELECT count(*) AS "total" ${from}`, parameters: [...scope.parameters] }
  const shown = chooseColumns(columns, request.select ?? null)
  const order = orderOf(request.sort, groups)
  const keys = sortKeys(outer, resolveSort(table, order, outerEnv), false)
  const orderBy = keys.length > 0 ? ` ORDER BY ${orderBySql(keys)}` : ''
  const page = ` LIMIT ${bind(scope, top + 1)}${skip > 0 ? ` OFFSET ${bind(scope, skip)}` : ''}`
  const names = shown.map(({ field }) => `g."${field.column}" AS ${quoteName(field.name)}`)
  return {
    statement: { sql: `SELECT ${names.join(', ')} ${from}${orderBy}${page}`, parameters: scope.parameters },
    count,
    weight: columns
      .map(({ weight }) => weight)
      .reduce(heavier, heavier(weighFilter(filter), { ...lightWeight, matching: computed.length > 0 })),
    finish(rows) {
      const hasMore = rows.length > top
      if (hasMore) rows.length = top
      for (const { field } of shown) {
        const type = fieldTypeOf(field)
        if (type.storage === 'plain') continue
        for (const row of rows) {
          const value = row[field.name] as SqlValue
          if (value !== null) row[field.name] = type.fromColumn(value, field)
        }
      }
      return { records: rows, hasMore }
    },
  }
}

/** The groups as an object whose fields are the aliases. */
function groupTable(schema: ObjectSchema, columns: readonly AggregateColumn[]): ObjectSchema {
  return {
    ...schema,
    table: '',
    fields: [],
    systemFields: [],
    visibleFields: [],
    searchFields: [],
    indexes: [],
    byName: new Map(columns.map(({ field }) => [field.name, field])),
    enable: { ...schema.enable, searchable: false },
    abstract: true,
  }
}

/** An alias may have dots, but is one name. */
function overAliases(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, children: filter.children.map(overAliases) }
    case 'not':
      return { kind: 'not', child: overAliases(filter.child) }
    case 'condition':
      return { ...filter, path: [filter.path.join('.')] }
    case 'search':
    case 'some':
    case 'among':
    case 'related':
      return filter
  }
}

function orderOf(sort: readonly SortTerm[], groups: readonly AggregateColumn[]): SortTerm[] {
  const given = sort.map(({ path, descending }) => ({ path: [path.join('.')], descending }))
  const named = new Set(given.map(({ path }) => path[0]))
  const rest = groups.filter(({ field }) => !named.has(field.name) && field.sortable)
  return [...given, ...rest.map(({ field }) => ({ path: [field.name], descending: false }))]
}

function chooseColumns(columns: readonly AggregateColumn[], select: readonly string[] | null): AggregateColumn[] {
  if (select === null) return [...columns]
  return select.map((name) => {
    const column = columns.find(({ field }) => field.name === name)
    if (column) return column
    throw invalidQuery('select', `There is no alias "${name.slice(0, 200)}".`, { path: name, field: name })
  })
}
