// An object as one SELECT without parameters, for statements that foreign SQL reads in place of its table.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { Filter } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { quoteName } from '../schema/sql-text.ts'
import { resolveWhere, writeConditions } from './build-find.ts'
import { rootScope } from './scope.ts'

/**
 * The live records of an object that a row rule lets through, with the columns of the given fields under their names.
 * @param rowCondition null for every row
 */
export function buildView(
  schema: ObjectSchema,
  fields: readonly FieldSchema[],
  env: QueryEnv,
  rowCondition: Filter | null,
): string {
  const scope = { ...rootScope(schema, env), inline: true }
  const where = resolveWhere(schema, { filter: null, search: null, rowCondition }, env)
  const conditions = writeConditions(scope, where, 'exclude')
  const columns = fields.flatMap((field) => [field.column, ...field.extraColumns.map(({ name }) => name)])
  const list = columns.map((name) => `${scope.alias}.${quoteName(name)}`).join(', ')
  const select = `SELECT ${list} FROM main.${quoteName(schema.table)} AS ${scope.alias} WHERE ${conditions.join(' AND ')}`
  // SQLite looks into subqueries, as rules have them, last: a condition of the statement that fails, or takes long, would
  // tell of rows that are closed. It moves none into a subquery with a limit.
  return rowCondition === null ? select : `${select} LIMIT -1`
}

/** The tables a statement of {@link buildView} reads: the object's, and those its row rule looks at. */
export function tablesOf(select: string): string[] {
  const withoutTexts = select.replace(/'(?:[^']|'')*'/g, "''")
  return [...withoutTexts.matchAll(/\b(?:FROM|JOIN) (?:main\.)?"([a-z0-9_]+)"/g)].map((match) => match[1]!)
}
