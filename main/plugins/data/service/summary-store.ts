// SQL of summary fields: one parent's value from its children, all parents' values, and whether a child passes the
// filter. Children of a parent are found by the relation's index.
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { writeConditions } from '#main/database/query/build-find.ts'
import { bind, column, rootScope } from '#main/database/query/scope.ts'
import type { Scope } from '#main/database/query/scope.ts'
import { quote } from '../store.ts'
import type { SummaryRule } from './summary-rules.ts'

/** Works a summary out from the children of one parent. */
export function computeSummary(
  read: Pick<Reads, 'get'>,
  rule: SummaryRule,
  parentId: string,
  env: QueryEnv,
): number | null {
  const scope = childScope(rule, env)
  const list = `SELECT ${aggregateSql(scope, rule)} AS value FROM ${childTable(scope, rule)}`
  const named = namesParent(scope, rule, () => bind(scope, parentId))
  const sql = `${list} WHERE ${[named, ...conditionsOf(scope, rule)].join(' AND ')}`
  return read.get<{ value: number | null }>(statement(sql, scope.parameters))!.value
}

/**
 * Works a summary out for every parent there is, deleted ones too; versions stay as they are.
 * @param rows the parents' row numbers, first one excluded; all when absent
 * @returns how many parents got another value
 */
export function fillSummary(tx: Tx, rule: SummaryRule, env: QueryEnv, rows?: { after: number; to: number }): number {
  const scope = childScope(rule, env)
  const list = `SELECT ${aggregateSql(scope, rule)} FROM ${childTable(scope, rule)}`
  const named = namesParent(scope, rule, () => 'p."id"')
  const value = `${list} WHERE ${[named, ...conditionsOf(scope, rule)].join(' AND ')}`
  const table = quote(rule.parent.table)
  const field = quote(rule.field.column)
  const part = rows === undefined ? '' : ' WHERE p."rowid" > ? AND p."rowid" <= ?'
  const bounds = rows === undefined ? [] : [rows.after, rows.to]
  const sql = `UPDATE ${table} SET ${field} = filled.value
    FROM (SELECT p."id" AS id, (${value}) AS value FROM ${table} AS p${part}) AS filled
    WHERE ${table}."id" = filled.id AND ${table}.${field} IS NOT filled.value`
  return tx.run(statement(sql, [...scope.parameters, ...bounds])).changes
}

/** Whether the stored, live child passes the rule's filter. */
export function passesFilter(read: Pick<Reads, 'get'>, rule: SummaryRule, childId: string, env: QueryEnv): boolean {
  if (rule.where === null) return true
  const scope = childScope(rule, env)
  const own = `${column(scope, 'id')} = ${bind(scope, childId)}`
  const sql = `SELECT 1 FROM ${childTable(scope, rule)} WHERE ${[own, ...conditionsOf(scope, rule)].join(' AND ')}`
  return read.get(statement(sql, scope.parameters)) !== undefined
}

function childScope(rule: SummaryRule, env: QueryEnv): Scope {
  return rootScope(rule.child, { ...env, canRead: undefined, rowCondition: undefined })
}

function childTable(scope: Scope, rule: SummaryRule): string {
  return `${quote(rule.child.table)} AS ${scope.alias}`
}

function conditionsOf(scope: Scope, rule: SummaryRule): string[] {
  const where = rule.where ?? { kind: 'and' as const, children: [] }
  return writeConditions(scope, resolveFilter(rule.child, where, scope.env), 'exclude')
}

function namesParent(scope: Scope, rule: SummaryRule, parent: () => string): string {
  const own = column(scope, rule.relation.column)
  if (!rule.relation.multiple) return `${own} = ${parent()}`
  return `EXISTS (SELECT 1 FROM json_each(${own}) AS ids WHERE ids.value = ${parent()})`
}

/** Sums with a factor add up whole numbers, which is exact in any order up to 2^53; the others as SQLite adds. */
function aggregateSql(scope: Scope, rule: SummaryRule): string {
  const source = rule.source === null ? '*' : column(scope, rule.source.column)
  switch (rule.fn) {
    case 'count':
      return `count(${source})`
    case 'sum':
      if (rule.factor === null) return `total(${source})`
      return rule.factor === 1
        ? `total(round(${source}))`
        : `total(round(${source} * ${rule.factor}.0)) / ${rule.factor}.0`
    default:
      return `${rule.fn}(${source})`
  }
}
