// Uniqueness is the engine's word, not the table's: a statement that finds the record that already holds the values.
import type { Statement } from '#main/kernel/database.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { allOf } from '#shared/filter/filter.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { writeConditions } from './build-find.ts'
import { bind, column, rootScope } from './scope.ts'
import { writeTest } from './test-sql.ts'

/** One promise of uniqueness: the tuple of these fields occurs once among live records that pass the filter. */
export interface UniqueRule {
  readonly fields: readonly FieldSchema[]
  readonly where: Filter | null
}

const cache = new WeakMap<ObjectSchema, readonly UniqueRule[]>()

/** The rules of an object: its unique and externalId fields, then its unique indexes. */
export function uniqueRules(schema: ObjectSchema): readonly UniqueRule[] {
  let rules = cache.get(schema)
  if (!rules) {
    rules = [
      ...schema.fields.filter((field) => field.unique).map((field) => ({ fields: [field], where: null })),
      ...schema.indexes
        .filter((index) => index.unique)
        .map((index) => ({
          fields: index.fields.flatMap((name) => schema.byName.get(name) ?? []),
          where: index.where === null ? null : parseFilter(index.where, 'where'),
        })),
    ]
    cache.set(schema, rules)
  }
  return rules
}

/**
 * Finds live records other than `exceptId` that hold the record's values of a rule. Null when a value is null: nulls
 * never clash. Row: `{id}`. When the rule has a filter, the caller asks only for records that pass it. Where there are
 * organizations, those of the own one alone: of `exceptId`, else of the caller.
 * @param limit how many are wanted at most
 */
export function findUniqueClash(
  schema: ObjectSchema,
  rule: UniqueRule,
  record: Readonly<Record<string, unknown>>,
  exceptId: string | null,
  env: QueryEnv,
  limit = 1,
): Statement<{ id: string }> | null {
  const scope = rootScope(schema, { ...env, canRead: undefined })
  const conditions: string[] = []
  for (const field of rule.fields) {
    const value = record[field.name]
    if (value === null || value === undefined) return null
    const bound = fieldTypeOf(field).toColumn(value, field)
    // Bytes are never compared: the one type with a BLOB column cannot be unique.
    if (bound === null || bound instanceof Uint8Array) return null
    conditions.push(
      writeTest(scope, { sql: column(scope, field.column), field, jsonType: null }, { test: 'eq', value: bound }),
    )
  }
  const where = resolveFilter(schema, allOf(rule.where), scope.env, 'where')
  conditions.push(...writeConditions(scope, where, 'exclude'))
  const organizationOf = env.recordOrganization
  if (organizationOf !== undefined) {
    const write = (value: string): string => bind(scope, value)
    const other = organizationOf(schema.uid, column(scope, 'id'), write)
    const callers = (): string => bind(scope, env.organizationId ?? null)
    const own =
      exceptId === null
        ? callers()
        : `coalesce(${organizationOf(schema.uid, bind(scope, exceptId), write)}, ${callers()})`
    conditions.push(`${other} IS ${own}`)
  }
  if (exceptId !== null) conditions.push(`${column(scope, 'id')} <> ${bind(scope, exceptId)}`)
  const sql = `SELECT ${column(scope, 'id')} FROM "${schema.table}" AS ${scope.alias} WHERE ${conditions.join(' AND ')} LIMIT ${limit}`
  return { sql, parameters: scope.parameters }
}
