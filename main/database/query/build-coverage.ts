// Whether conditions of rights cover records: one statement, whatever their number.
import type { Statement } from '#main/kernel/database.ts'
import type { Filter } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { writeFilter } from './filter-sql.ts'
import { simplifyFilter } from './simplify-filter.ts'
import { bind, column, rootScope } from './scope.ts'

/**
 * Asks whether a record, deleted or not, passes each of two conditions. No row when there is no such record.
 * @param env the world without rights
 * @param read null for every record
 * @param action null for every record
 */
export function buildCoverage(
  schema: ObjectSchema,
  id: string,
  read: Filter | null,
  action: Filter | null,
  env: QueryEnv,
): Statement<{ seen: number; open: number }> {
  const scope = { ...rootScope(schema, env), rowByRow: true }
  const write = (filter: Filter | null): string =>
    filter === null ? '1' : `(${writeFilter(scope, simplifyFilter(resolveFilter(schema, filter, env)))}) IS TRUE`
  const columns = `${write(read)} AS "seen", ${write(action)} AS "open"`
  const sql = `SELECT ${columns} FROM "${schema.table}" AS ${scope.alias} WHERE ${column(scope, 'id')} = ${bind(scope, id)}`
  return { sql, parameters: scope.parameters }
}

/**
 * Asks which of the records are live and pass a condition.
 * @param env the world without rights
 * @param read null for every record
 */
export function buildReadable(
  schema: ObjectSchema,
  ids: readonly string[],
  read: Filter | null,
  env: QueryEnv,
): Statement<{ id: string }> {
  const scope = rootScope(schema, env)
  const id = column(scope, 'id')
  const where = [
    `${id} IN (SELECT value FROM json_each(${bind(scope, JSON.stringify(ids))}))`,
    `${column(scope, 'deleted_at')} IS NULL`,
  ]
  if (read !== null) where.push(`(${writeFilter(scope, simplifyFilter(resolveFilter(schema, read, env)))}) IS TRUE`)
  const sql = `SELECT ${id} AS "id" FROM "${schema.table}" AS ${scope.alias} WHERE ${where.join(' AND ')}`
  return { sql, parameters: scope.parameters }
}
