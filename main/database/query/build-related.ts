// Expansion: one statement per path, whatever the number of records (D-87). Knows no rights beyond the filter given.
import type { Statement } from '#main/kernel/database.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { readableField } from '#shared/filter/resolve-path.ts'
import type { ResolvedFilter } from '#shared/filter/resolved-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { writeConditions } from './build-find.ts'
import type { Row, RowReader } from './row-reader.ts'
import { createRowReader, selectList } from './row-reader.ts'
import { bind, column, rootScope } from './scope.ts'

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
}

/** Most children of one record in an expansion (D-87). */
export const maxExpandedChildren = 50

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
  const sql = `SELECT ${selectList(fields, scope.alias)} FROM "${target.table}" AS ${scope.alias} WHERE ${conditions.join(' AND ')}`
  return { statement: { sql, parameters: scope.parameters }, fields, read: createRowReader(fields) }
}

/** Reads, for each parent id, its newest live children through a relation field of the child; at most 50 each. */
export function buildChildren(
  child: ObjectSchema,
  relation: FieldSchema,
  parentIds: readonly string[],
  env: QueryEnv,
  options: RelatedOptions & { readonly limit?: number | null } = {},
): RelatedPlan {
  const scope = rootScope(child, env)
  const chosen = relatedFields(child, options.fields ?? null, env)
  const fields = chosen.includes(relation) ? chosen : [...chosen, relation]
  const own = column(scope, relation.column)
  const conditions = [
    `${own} IN (SELECT value FROM json_each(${bind(scope, JSON.stringify(parentIds))}))`,
    ...writeConditions(scope, options.where ?? everything, 'exclude'),
  ]
  const limit = Math.min(options.limit ?? maxExpandedChildren, maxExpandedChildren)
  const number = `row_number() OVER (PARTITION BY ${own} ORDER BY ${column(scope, 'id')} DESC) AS "$n"`
  const inner = `SELECT ${selectList(fields, scope.alias)}, ${number} FROM "${child.table}" AS ${scope.alias} WHERE ${conditions.join(' AND ')}`
  const sql = `SELECT ${selectList(fields, 'r')} FROM (${inner}) AS r WHERE r."$n" <= ${bind(scope, limit)} ORDER BY r."id" DESC`
  return { statement: { sql, parameters: scope.parameters }, fields, read: createRowReader(fields) }
}

const everything: ResolvedFilter = { kind: 'and', children: [] }

function relatedFields(target: ObjectSchema, names: readonly string[] | null, env: QueryEnv): readonly FieldSchema[] {
  return target.visibleFields.filter((field) => {
    const wanted = names === null || field.name === 'id' || names.includes(field.name)
    return wanted && readableField(target, field.name, env) !== undefined
  })
}
