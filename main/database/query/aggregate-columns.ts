// One column of a grouped list as SQL: what is grouped by, or a value over the group. Each comes with a made-up field,
// so that conditions and sorts over its alias behave as those over a field of that type.
import { clockPeriods } from '#shared/calendar/periods.ts'
import type { ClockPeriod, Period } from '#shared/calendar/periods.ts'
import { invalidQuery } from '#shared/errors.ts'
import type { ExpressionNode } from '#shared/expression/expression-node.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { Aggregation, GroupTerm } from '#shared/filter/aggregate.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ResolvedPath } from '#shared/filter/resolve-path.ts'
import { resolvePath } from '#shared/filter/resolve-path.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { expressionSql } from './expression-sql.ts'
import { liveCondition, writeFilter, writeVisible } from './filter-sql.ts'
import type { FilterWeight } from './query-weight.ts'
import { heavier, lightWeight, weighFilter } from './query-weight.ts'
import type { Scope } from './scope.ts'
import { bind, column, innerScope } from './scope.ts'

/** A column of the groups. */
export interface AggregateColumn {
  readonly sql: string
  /** Table to join for it, with the leading blank; empty for none. */
  readonly joinSql: string
  /** Named by the alias; its column is the one inside the statement. */
  readonly field: FieldSchema
  /** What the value asks of each record. */
  readonly weight: FilterWeight
}

/**
 * A column records are grouped by; a field of several values puts a record into the group of each, or into that of null.
 * @throws invalid_query
 */
export function groupColumn(scope: Scope, term: GroupTerm, index: number): AggregateColumn {
  if (term.expression !== undefined) {
    const { sql, type } = expressionSql(scope, term.expression, 'groupBy')
    const field = { ...computedField(scope, term.alias, index), type }
    return { sql, joinSql: '', field, weight: { ...lightWeight, matching: true } }
  }
  const path = resolve(scope, term.path, 'groupBy')
  const { field } = path
  const type = fieldTypeOf(field)
  if (!type.flags.groupable) throw refuse('groupBy', term.path, 'cannot be grouped by')
  const { calendar } = type
  const value = valueSql(scope, path, 0)
  // Periods of instants are worked out by a function of the host, lists are taken apart.
  const weight = {
    ...lightWeight,
    relational: path.hops.length > 0,
    matching: field.multiple || (term.granularity !== null && calendar === 'datetime'),
  }
  if (term.granularity !== null) {
    if (calendar !== 'date' && calendar !== 'datetime') throw refuse('groupBy', term.path, 'is no date')
    if (isClockPeriod(term.granularity)) {
      if (calendar === 'date') throw refuse('groupBy', term.path, 'has no time of day')
      const sql = `cairn_clock_period(${value}, ${bind(scope, term.granularity)}, ${bind(scope, scope.env.timeZone)})`
      return { sql, joinSql: '', field: { ...madeUp(field, term.alias, index), sqlType: 'TEXT' }, weight }
    }
    const sql =
      calendar === 'date'
        ? dayPeriodSql(value, term.granularity)
        : `cairn_period(${value}, ${bind(scope, term.granularity)}, ${bind(scope, scope.env.timeZone)})`
    return { sql, joinSql: '', field: { ...madeUp(field, term.alias, index), type: 'date', sqlType: 'TEXT' }, weight }
  }
  if (!field.multiple) return { sql: value, joinSql: '', field: madeUp(field, term.alias, index), weight }
  const elements = `e${index}`
  return {
    sql: `${elements}.value`,
    joinSql: ` LEFT JOIN json_each(${value}) AS ${elements} ON 1`,
    field: { ...madeUp(field, term.alias, index), type: type.elementType ?? field.type },
    weight,
  }
}

/** A value worked out per record that conditions may name like a field. */
export interface ComputedColumn {
  /** Begins with a capital letter, which no field does. */
  readonly name: string
  readonly expression: ExpressionNode
}

/** The computed columns of a statement: the table with them, and the object that has them as fields. @throws invalid_query */
export function withComputed(
  scope: Scope,
  columns: readonly ComputedColumn[],
): { readonly table: string; readonly schema: ObjectSchema } {
  const { schema, alias } = scope
  if (columns.length === 0) return { table: `"${schema.table}"`, schema }
  const written = columns.map(({ name, expression }, index) => {
    const { sql, type } = expressionSql(scope, expression, 'filters')
    // Open to whoever may read what it is made of, which has been asked just now.
    const field = { ...computedField(scope, name, index), column: `$x${index}`, type, system: true }
    return { sql: `${sql} AS "${field.column}"`, field }
  })
  return {
    table: `(SELECT ${alias}.*, ${written.map(({ sql }) => sql).join(', ')} FROM "${schema.table}" AS ${alias})`,
    schema: {
      ...schema,
      byName: new Map([...schema.byName, ...written.map(({ field }) => [field.name, field] as const)]),
    },
  }
}

/** A value over each group. @throws invalid_query */
export function aggregationColumn(scope: Scope, item: Aggregation, index: number): AggregateColumn {
  const path = item.path === null ? null : resolve(scope, item.path, 'aggregations')
  if (path) checkAggregatable(path.field, item)
  const value = path === null ? '*' : presentSql(path.field, valueSql(scope, path, 0))
  const computed = item.expression === undefined ? null : expressionSql(scope, item.expression, 'aggregations')
  let sql = functionSql(item, computed?.sql ?? value)
  let weight: FilterWeight = { ...lightWeight, relational: (path?.hops.length ?? 0) > 0 }
  if (item.filter !== null) {
    const filter = resolveFilter(scope.schema, item.filter, scope.env, 'aggregations')
    sql += ` FILTER (WHERE ${writeFilter(scope, filter)})`
    weight = heavier(weight, weighFilter(filter))
  }
  const keepsType = path !== null && (item.function === 'min' || item.function === 'max')
  const field = madeUp(path?.field ?? scope.schema.byName.get('id')!, item.alias, index)
  return {
    sql,
    joinSql: '',
    field: keepsType ? field : { ...field, type: 'number', options: [], reference: null },
    weight,
  }
}

function functionSql({ function: name }: Aggregation, value: string): string {
  switch (name) {
    case 'count':
      return `count(${value})`
    case 'count_distinct':
      return `count(DISTINCT ${value})`
    case 'sum':
      // Sums of integers would end in an error beyond 2^63; numbers of the API are doubles anyway.
      return `sum(${value} + 0.0)`
    case 'avg':
    case 'min':
    case 'max':
      return `${name}(${value})`
  }
}

/** An empty list has no value. */
function presentSql(field: FieldSchema, sql: string): string {
  return field.multiple ? `nullif(${sql}, '[]')` : sql
}

function checkAggregatable(field: FieldSchema, item: Aggregation): void {
  const { flags, operators } = fieldTypeOf(field)
  if (operators(field) === 'X') throw refuse('aggregations', item.path!, 'is computed on reading')
  if (item.function === 'count') return
  if (item.function === 'count_distinct') {
    // What cannot be compared cannot be told apart either.
    if (field.multiple || operators(field) === 'N') throw refuse('aggregations', item.path!, 'has no distinct values')
    return
  }
  const isRange = item.function === 'min' || item.function === 'max'
  if (flags.aggregatable === 'all' || (isRange && flags.aggregatable === 'range')) return
  throw refuse('aggregations', item.path!, `cannot be aggregated by ${item.function}`)
}

function resolve(scope: Scope, names: readonly string[], parameter: string): ResolvedPath {
  const path = resolvePath(scope.schema, names, scope.env, { parameter, path: names.join('.') })
  const crossesList = path.hops.some((hop) => hop.field.multiple) || (path.hops.length > 0 && path.field.multiple)
  if (path.inner.length > 0 || crossesList) throw refuse(parameter, names, 'has no single value')
  return path
}

/** A value of the record itself, or of the live record that single-valued relations lead to, as far as it is visible. */
function valueSql(scope: Scope, path: ResolvedPath, index: number): string {
  const hop = path.hops[index]
  if (!hop) return column(scope, path.field.column)
  const target = innerScope(scope, hop.target)
  const value = valueSql(target, path, index + 1)
  const visible = writeVisible(target, hop.target)
  return `(SELECT ${value} FROM "${hop.target.table}" AS ${target.alias} WHERE ${column(target, 'id')} = ${column(scope, hop.field.column)} AND ${liveCondition(target)}${visible})`
}

function isClockPeriod(period: Period | ClockPeriod): period is ClockPeriod {
  return (clockPeriods as readonly string[]).includes(period)
}

/** First day of the period of a calendar day. */
function dayPeriodSql(sql: string, period: Period): string {
  switch (period) {
    case 'day':
      return sql
    case 'week':
      // The next Sunday, or the day itself when it is one, then back to the Monday before.
      return `date(${sql}, 'weekday 0', '-6 days')`
    case 'month':
      return `substr(${sql}, 1, 8) || '01'`
    case 'quarter':
      return `substr(${sql}, 1, 5) || substr('01010104040407070710101010', CAST(substr(${sql}, 6, 2) AS INTEGER) * 2 - 1, 2) || '-01'`
    case 'year':
      return `substr(${sql}, 1, 4) || '-01-01'`
  }
}

function computedField(scope: Scope, alias: string, index: number): FieldSchema {
  return { ...madeUp(scope.schema.byName.get('id')!, alias, index), options: [], reference: null }
}

/** Groups sort by every column they have (D-90), also those records are not sorted by. */
function madeUp(field: FieldSchema, alias: string, index: number): FieldSchema {
  return {
    ...field,
    name: alias,
    column: `c${index}`,
    extraColumns: [],
    multiple: false,
    system: false,
    sortable: true,
  }
}

function refuse(parameter: string, path: readonly string[], reason: string): Error {
  const name = path.join('.')
  return invalidQuery(parameter, `The field "${name.slice(0, 200)}" ${reason}.`, { path: name, field: name })
}
