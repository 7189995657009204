// Distinct tuples of chosen fields as one statement, and their number (D-89).
import type { Statement } from '#main/kernel/database.ts'
import { invalidQuery } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { readableField, unknownField } from '#shared/filter/resolve-path.ts'
import { resolveSort } from '#shared/filter/resolve-sort.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { resolveWhere, writeConditions } from './build-find.ts'
import type { FindRequest } from './find-request.ts'
import { checkPage } from './find-request.ts'
import type { FilterWeight } from './query-weight.ts'
import { weighFilter } from './query-weight.ts'
import type { Row } from './row-reader.ts'
import { createRowReader, selectList } from './row-reader.ts'
import type { SearchHook } from './scope.ts'
import { bind, rootScope } from './scope.ts'
import { orderBySql, sortKeys } from './sort-sql.ts'

/** A distinct list ready to run. */
export interface DistinctPlan {
  readonly statement: Statement<Row>
  readonly count: Statement<{ total: number }>
  /** What the conditions ask of each record. */
  readonly weight: FilterWeight
  finish(rows: Row[]): { records: Row[]; hasMore: boolean }
}

/**
 * Builds the list of distinct tuples of exactly the selected fields, sorted by them unless a sort over them is given.
 * @throws invalid_query without select, for a sort by another field, and with a cursor
 */
export function buildDistinct(
  schema: ObjectSchema,
  request: FindRequest,
  env: QueryEnv,
  options: { readonly search?: SearchHook } = {},
): DistinctPlan {
  const { top, skip = 0, cursor, deleted = 'exclude' } = request
  checkPage(top, skip, cursor)
  if (cursor) throw invalidQuery('cursor', 'Distinct rows have no cursor.', { path: '' })
  const names = [...new Set(request.select)]
  if (names.length === 0) throw invalidQuery('distinct', 'Distinct rows need a select.', { path: '' })
  const fields = names.map((name) => fieldOf(schema, name, env))
  const foreign = request.sort.find((term) => term.path.length !== 1 || !names.includes(term.path[0]!))
  if (foreign)
    throw invalidQuery('sort', 'Distinct rows sort by selected fields only.', { path: foreign.path.join('.') })
  // What no sort names breaks ties, so that pages never overlap.
  const rest = fields.filter(({ name }) => !request.sort.some((term) => term.path[0] === name))
  const ties = rest.flatMap((field) =>
    field.sortable
      ? resolveSort(schema, [{ path: [field.name], descending: false }], env)
      : [{ path: { hops: [], field, inner: [] }, descending: false }],
  )

  const scope = rootScope(schema, env, options.search)
  const filter = resolveWhere(schema, request, env)
  const conditions = writeConditions(scope, filter, deleted)
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  const inner = `SELECT DISTINCT ${selectList(fields, scope.alias)} FROM "${schema.table}" AS ${scope.alias}${where}`
  const count = { sql: `SELECT count(*) AS "total" FROM (${inner})`, parameters: [...scope.parameters] }
  const keys = sortKeys({ ...scope, alias: 'd' }, [...resolveSort(schema, request.sort, env), ...ties], false)
  const order = keys.length > 0 ? ` ORDER BY ${orderBySql(keys)}` : ''
  const page = ` LIMIT ${bind(scope, top + 1)}${skip > 0 ? ` OFFSET ${bind(scope, skip)}` : ''}`
  const read = createRowReader(fields)
  return {
    statement: { sql: `SELECT * FROM (${inner}) AS d${order}${page}`, parameters: scope.parameters },
    count,
    weight: weighFilter(filter),
    finish(rows) {
      const hasMore = rows.length > top
      if (hasMore) rows.length = top
      return { records: rows.map((row) => read(row)), hasMore }
    },
  }
}

function fieldOf(schema: ObjectSchema, name: string, env: QueryEnv): FieldSchema {
  const field = readableField(schema, name, env)
  const type = field && fieldTypeOf(field)
  if (field && type?.concealed === undefined && type?.operators(field) !== 'X') return field
  if (field) throw invalidQuery('select', `The values of "${field.name}" are not compared.`, { path: name })
  throw unknownField({ parameter: 'select', path: name }, [name])
}
