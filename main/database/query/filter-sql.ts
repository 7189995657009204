// A resolved filter as an SQL condition. Three-valued SQL is kept two-valued: every negation is `IS NOT TRUE` (D-82).
import { invalidQuery } from '#shared/errors.ts'
import { allOf } from '#shared/filter/filter.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { Hop } from '#shared/filter/resolve-path.ts'
import type { ResolvedCondition, ResolvedFilter, ResolvedSome } from '#shared/filter/resolved-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { quoteLiteral } from '../schema/sql-text.ts'
import type { Scope } from './scope.ts'
import { bind, column, innerScope } from './scope.ts'
import { writeTest } from './test-sql.ts'
import { applySql } from './value-function-sql.ts'

/** Writes the condition; it is a complete term that can be joined with AND. */
export function writeFilter(scope: Scope, filter: ResolvedFilter): string {
  switch (filter.kind) {
    case 'and':
      if (filter.children.length === 0) return '1'
      return `(${filter.children.map((child) => writeFilter(scope, child)).join(' AND ')})`
    case 'or':
      if (filter.children.length === 0) return '0'
      return `(${filter.children.map((child) => writeFilter(scope, child)).join(' OR ')})`
    case 'not':
      if (isPlainPresence(filter.child)) return `${column(scope, filter.child.field.column)} IS NULL`
      return `(${writeFilter(scope, filter.child)}) IS NOT TRUE`
    case 'search':
      return writeSearch(scope, filter)
    case 'condition':
      return writePath(scope, filter.hops, 0, (target) => writeLeaf(target, filter))
    case 'some':
      return writePath(scope, filter.hops, 0, (target) => writeSome(target, filter))
    case 'among': {
      const own = column(scope, filter.field.column)
      const ids = filter.ids((value) => bind(scope, value), scope.rowByRow === true ? own : undefined)
      return `${own} IN (${ids})`
    }
    case 'related': {
      const target = innerScope(scope, filter.target)
      // Asked per row: lists of details mostly look at those of one master.
      return `EXISTS (SELECT 1 FROM "${filter.target.table}" AS ${target.alias} WHERE ${column(target, 'id')} = ${column(scope, filter.field.column)} AND ${writeFilter(target, filter.child)})`
    }
  }
}

/** The condition that keeps records that are not deleted. */
export function liveCondition(scope: Scope): string {
  return `${column(scope, 'deleted_at')} IS NULL`
}

function isPlainPresence(filter: ResolvedFilter): filter is ResolvedCondition {
  return (
    filter.kind === 'condition' &&
    filter.test.test === 'present' &&
    filter.hops.length === 0 &&
    filter.inner.length === 0 &&
    filter.functions === undefined &&
    !filter.field.multiple
  )
}

/**
 * Walks the hops from `index` on; each becomes a set of ids, so that an index on the relation can drive the query. Over one
 * row the related records are found by their ids, so that it costs as little as there are of them.
 */
function writePath(scope: Scope, hops: readonly Hop[], index: number, leaf: (scope: Scope) => string): string {
  const hop = hops[index]
  if (!hop) return leaf(scope)
  const relation = column(scope, hop.field.column)
  const target = innerScope(scope, hop.target)
  const ids = (): string => {
    const visible = writeVisible(target, hop.target)
    return `SELECT ${column(target, 'id')} FROM "${hop.target.table}" AS ${target.alias} WHERE ${liveCondition(target)}${visible} AND ${writePath(target, hops, index + 1, leaf)}`
  }
  if (scope.rowByRow === true) {
    const one = (id: string): string => `EXISTS (${ids()} AND ${column(target, 'id')} = ${id})`
    return hop.field.multiple
      ? `EXISTS (SELECT 1 FROM json_each(${relation}) AS e WHERE ${one('e.value')})`
      : one(relation)
  }
  if (!hop.field.multiple) return `${relation} IN (${ids()})`
  return `EXISTS (SELECT 1 FROM json_each(${relation}) AS e WHERE e.value IN (${ids()}))`
}

/** The rows of a related object that the caller may see, with the leading AND; empty when that is all of them. */
export function writeVisible(scope: Scope, target: ObjectSchema): string {
  const rows = scope.env.rowCondition?.(target.name)
  if (!rows) return ''
  const env = internalEnv(scope)
  return ` AND ${writeFilter({ ...scope, env }, resolveFilter(target, allOf(rows), env))}`
}

/** The world of row conditions: they are rules, not requests, and may use every field. */
function internalEnv(scope: Scope): Scope['env'] {
  return scope.env.engine ?? { ...scope.env, canRead: undefined, rowCondition: undefined }
}

/** Elements are rows of `json_each`, whose column is called `value`. */
function writeSome(scope: Scope, { field, elements, child }: ResolvedSome): string {
  const inside = { ...scope, schema: elements, alias: `e${scope.counter.next++}` }
  return `EXISTS (SELECT 1 FROM json_each(${column(scope, field.column)}) AS ${inside.alias} WHERE ${writeFilter(inside, child)})`
}

function writeLeaf(scope: Scope, condition: ResolvedCondition): string {
  const { field, inner, test, functions } = condition
  const own = column(scope, field.column)
  if (inner.length === 0) return writeTest(scope, { sql: applySql(scope, own, functions), field, jsonType: null }, test)
  const path = quoteLiteral(`$${inner.map((key) => `."${key}"`).join('')}`)
  const [value, jsonType] = [`json_extract(${own}, ${path})`, `json_type(${own}, ${path})`]
  if (functions !== undefined) {
    const text = `CASE WHEN ${jsonType} = 'text' THEN ${value} END`
    return writeTest(scope, { sql: applySql(scope, text, functions), field, jsonType: null }, test)
  }
  const subject = { sql: value, field, jsonType }
  return writeTest(scope, subject, test)
}

function writeSearch(scope: Scope, filter: Extract<ResolvedFilter, { kind: 'search' }>): string {
  if (!scope.search) throw invalidQuery('filter', 'There is no search here.', { path: '$search' })
  const condition = scope.search(scope.schema, filter, scope.alias)
  scope.parameters.push(...condition.parameters)
  return condition.sql
}
