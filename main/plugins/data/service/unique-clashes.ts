// Which live records hold the values of a stored row that should be unique. Asked once the row is stored, so that a rule
// with a filter is judged by the row itself.
import type { Filter } from '#shared/filter/filter.ts'
import { allOf } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { buildCount } from '#main/database/query/build-find.ts'
import { findUniqueClash } from '#main/database/query/unique-clash.ts'
import type { UniqueRule } from '#main/database/query/unique-clash.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'

/**
 * Ids of other live records with the row's values of a rule; nulls never clash, and a row the filter does not admit has
 * no clash either.
 * @param limit how many are wanted at most
 * @throws invalid_query when the filter of the rule cannot be asked
 */
export function clashesOf(
  tx: Tx,
  env: QueryEnv,
  schema: ObjectSchema,
  row: Row,
  rule: UniqueRule,
  limit = 1,
): readonly string[] {
  const codec = codecOf(schema)
  const values = Object.fromEntries(rule.fields.map((field) => [field.name, codec.value(row, field)]))
  const id = row['id'] as string
  const clash = findUniqueClash(schema, rule, values, id, env, limit)
  const found = clash === null ? [] : tx.all(clash)
  if (found.length === 0) return none
  if (rule.where !== null) {
    const own: Filter = { kind: 'condition', path: ['id'], operator: '$eq', operand: id }
    if (tx.get(buildCount(schema, { filter: allOf(rule.where, own) }, env))?.total === 0) return none
  }
  return found.map((other) => other.id)
}

const none: readonly string[] = Object.freeze([])
