// Whether conditions of rights cover one record: one statement, whatever their number.
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
