// Whether a record that is in no table, as it was or as an event tells of it, passes a filter: the filter of lists over
// one row of values, so that it means exactly the same. Related records are those of the moment.
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { Filter } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Statement } from '#main/kernel/database.ts'
import { writeFilter } from './filter-sql.ts'
import { rootScope } from './scope.ts'
import { simplifyFilter } from './simplify-filter.ts'

/** The row under a name no object's table has, so that relations back to the object lead to its table. */
const rowName = '_told'

/** Stands for the text of a concealed field, which filters may ask for presence only. */
const concealed = 'x'

/**
 * Asks whether a record passes a filter.
 * @param record field names to JSON values, as the API shows them
 * @throws invalid_query for what cannot be asked of the caller's world, and for full-text conditions
 */
export function buildFit(
  schema: ObjectSchema,
  record: Readonly<Record<string, unknown>>,
  filter: Filter,
  env: QueryEnv,
): Statement<{ fits: number }> {
  const names: string[] = []
  const values: SqlValue[] = []
  for (const field of [...schema.systemFields, ...schema.fields]) {
    const type = fieldTypeOf(field)
    const value = record[field.name] ?? null
    names.push(field.column)
    values.push(value === null ? null : type.concealed === undefined ? type.toColumn(value, field) : concealed)
    const extras = value === null ? [] : (type.toExtraColumns?.(value, field) ?? [])
    for (const [at, { name }] of field.extraColumns.entries()) {
      names.push(name)
      values.push(extras[at] ?? null)
    }
  }
  const columns = names.map((name) => `"${name}"`).join(', ')
  const row = `"${rowName}"(${columns}) AS (VALUES (${names.map(() => '?').join(', ')}))`
  const scope = { ...rootScope(schema, env), rowByRow: true }
  const condition = writeFilter(scope, simplifyFilter(resolveFilter(schema, filter, env)))
  const sql = `WITH ${row} SELECT (${condition}) IS TRUE AS "fits" FROM "${rowName}" AS ${scope.alias}`
  return { sql, parameters: [...values, ...scope.parameters] }
}
