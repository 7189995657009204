// Expansion: one statement per path, whatever the number of records (D-87). Knows no rights beyond the filter given.
import type { Statement } from '#main/kernel/database.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { readableField } from '#shared/filter/resolve-path.ts'
import type { ResolvedSortTerm } from '#shared/filter/resolve-sort.ts'
import type { ResolvedFilter } from '#shared/filter/resolved-filter.ts'
import { readingFormulas } from '#shared/formulas/reading-formulas.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { writeConditions } from './build-find.ts'
import type { Row, RowReader } from './row-reader.ts'
import { createRowReader, selectList } from './row-reader.ts'
import type { Scope } from './scope.ts'
import { bind, column, innerScope, rootScope } from './scope.ts'
import { orderBySql, sortKeys } from './sort-sql.ts'

/** Records of one path, ready to run. */
export interface RelatedPlan {
  readonly statement: Statement<Row>
  readonly fields: readonly FieldSchema[]
  readonly read: RowReader
}

/** What the related records must satisfy and show. */
export interface RelatedOptions {
  /** Null: every readable field. `id` is always read. */
  readonly fields?: readonly string[] | null
  /** Null or absent: every live record. */
  readonly where?: ResolvedFilter | null
  /** Empty or absent: children come newest first, other records in no order. */
  readonly sort?: readonly ResolvedSortTerm[]
}

/** Most children of one record in an expansion (D-87). */
export const maxExpandedChildren = 50

/** Column of {@link buildChildren}'s rows that holds the parent's id. */
export const parentColumn = '$parent'

/** Reads the live records with these ids; an id without a row is deleted, missing or not visible. */
export function buildRelated(
  target: ObjectSchema,
  ids: readonly string[],
  env: QueryEnv,
  options: RelatedOptions = {},
): RelatedPlan {
  const scope = rootScope(target, env)
  const fields = relatedFields(target, options.fields ?? null, env)
  const list =
    ids.length === 1
      ? `= ${bind(scope, ids[0])}`
      : `IN (SELECT value FROM json_each(${bind(scope, JSON.stringify(ids))}))`
  const conditions = [
    `${column(scope, 'id')} ${list}`,
    ...writeConditions(scope, options.where ?? everything, 'exclude'),
  ]
  const sort = options.sort ?? []
  const order = sort.length > 0 ? ` ORDER BY ${orderBySql(sortKeys(scope, sort))}` : ''
  const reading = readComputed(target, fields, env)
  const sql = `SELECT ${selectList(reading.fields, scope.alias)} FROM "${target.table}" AS ${scope.alias} WHERE ${conditions.join(' AND ')}${order}`
  return { statement: { sql, parameters: scope.parameters }, fields, read: reading.read }
}

/**
 * Reads, for each parent id, its live children through a relation field of the child: the newest, or the first of the
 * sort; at most 50 each. Rows carry the parent's id as {@link parentColumn}, children of one parent in their order.
 */
export function buildChildren(
  child: ObjectSchema,
  relation: FieldSchema,
  parentIds: readonly string[],
  env: QueryEnv,
  options: RelatedOptions & { readonly limit?: number | null; readonly skip?: number } = {},
): RelatedPlan {
  const scope = rootScope(child, env)
  const fields = relatedFields(child, options.fields ?? null, env)
  const limit = Math.min(options.limit ?? maxExpandedChildren, maxExpandedChildren)
  const parents = bind(scope, JSON.stringify(parentIds))
  const write = relation.multiple ? writeListedChildren : writeKeyedChildren
  const reading = readComputed(child, fields, env)
  const { sort = [], where, skip = 0 } = options
  const sql = write(scope, { relation, fields: reading.fields, parents, limit, skip, sort, where })
  return { statement: { sql, parameters: scope.parameters }, fields, read: reading.read }
}

/** Counts the live children of each parent id that pass: rows with {@link parentColumn} and `count`; who has none is missing. */
export function countChildren(
  child: ObjectSchema,
  relation: FieldSchema,
  parentIds: readonly string[],
  env: QueryEnv,
  where: ResolvedFilter,
): Statement<Row> {
  const scope = rootScope(child, env)
  const own = column(scope, relation.column)
  const [parent, from] = relation.multiple ? ['e.value', ` JOIN json_each(${own}) AS e`] : [own, '']
  const conditions = [
    `${parent} IN (SELECT value FROM json_each(${bind(scope, JSON.stringify(parentIds))}))`,
    ...writeConditions(scope, where, 'exclude'),
  ]
  const sql = `SELECT ${parent} AS "${parentColumn}", count(*) AS "count" FROM "${child.table}" AS ${scope.alias}${from} WHERE ${conditions.join(' AND ')} GROUP BY 1`
  return { sql, parameters: scope.parameters }
}

interface ChildrenParts {
  readonly relation: FieldSchema
  readonly fields: readonly FieldSchema[]
  /** Placeholder of the parents' ids. */
  readonly parents: string
  readonly limit: number
  readonly skip: number
  readonly sort: readonly ResolvedSortTerm[]
  readonly where: ResolvedFilter | null | undefined
}

/** One step into the index of the relation per parent, which ends at the limit. */
function writeKeyedChildren(
  scope: Scope,
  { relation, fields, parents, limit, skip, sort, where }: ChildrenParts,
): string {
  const inner = innerScope(scope, scope.schema)
  const table = `"${scope.schema.table}"`
  const conditions = [
    `${column(inner, relation.column)} = p.value`,
    ...writeConditions(inner, where ?? everything, 'exclude'),
  ]
  const first = `SELECT ${inner.alias}."rowid" FROM ${table} AS ${inner.alias} WHERE ${conditions.join(' AND ')} ORDER BY ${childOrder(inner, sort)} LIMIT ${bind(scope, limit)}${skip === 0 ? '' : ` OFFSET ${bind(scope, skip)}`}`
  return (
    `SELECT ${selectList(fields, scope.alias)}, p.value AS "${parentColumn}" FROM json_each(${parents}) AS p` +
    ` CROSS JOIN ${table} AS ${scope.alias} ON ${scope.alias}."rowid" IN (${first}) ORDER BY ${childOrder(scope, sort)}`
  )
}

/** A list of parents has no index: the children are walked once, whatever the number of parents. */
function writeListedChildren(
  scope: Scope,
  { relation, fields, parents, limit, skip, sort, where }: ChildrenParts,
): string {
  const conditions = [
    `e.value IN (SELECT value FROM json_each(${parents}))`,
    ...writeConditions(scope, where ?? everything, 'exclude'),
  ]
  const number = `row_number() OVER (PARTITION BY e.value ORDER BY ${childOrder(scope, sort)}) AS "$n"`
  const inner =
    `SELECT ${selectList(fields, scope.alias)}, e.value AS "${parentColumn}", ${number} FROM "${scope.schema.table}" AS ${scope.alias}` +
    ` JOIN json_each(${column(scope, relation.column)}) AS e WHERE ${conditions.join(' AND ')}`
  return `SELECT ${selectList(fields, 'r')}, r."${parentColumn}" FROM (${inner}) AS r WHERE r."$n" > ${bind(scope, skip)} AND r."$n" <= ${bind(scope, skip + limit)} ORDER BY r."$n"`
}

function childOrder(scope: Scope, sort: readonly ResolvedSortTerm[]): string {
  return sort.length > 0 ? orderBySql(sortKeys(scope, sort)) : `${column(scope, 'id')} DESC`
}

/** The fields to read and their reader, with what formulas that follow the clock need. */
function readComputed(
  schema: ObjectSchema,
  fields: readonly FieldSchema[],
  env: QueryEnv,
): { fields: readonly FieldSchema[]; read: RowReader } {
  const formulas = readingFormulas(schema, fields, env)
  if (formulas === null) return { fields, read: createRowReader(fields) }
  const all = [...fields, ...formulas.besides]
  const read = createRowReader(all)
  return {
    fields: all,
    read(row) {
      formulas.complete(read(row))
      return row
    },
  }
}

const everything: ResolvedFilter = { kind: 'and', children: [] }

function relatedFields(target: ObjectSchema, names: readonly string[] | null, env: QueryEnv): readonly FieldSchema[] {
  return target.visibleFields.filter((field) => {
    const wanted = names === null || field.name === 'id' || names.includes(field.name)
    return wanted && readableField(target, field.name, env) !== undefined
  })
}
