// Rules of type `unique`: another live record must not have the same tuple. Asked once the row is stored, so that a rule
// with a filter is judged by the row itself.
import { PlatformError } from '#shared/errors.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { allOf } from '#shared/filter/filter.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { buildCount } from '#main/database/query/build-find.ts'
import { findUniqueClash } from '#main/database/query/unique-clash.ts'
import type { Row } from '../codec.ts'
import { codecOf } from '../codec.ts'
import type { CompiledRule } from './compile-rule.ts'
import type { Finding } from './finding.ts'
import { obeyed } from './finding.ts'

/** The findings of one unique rule about a row that is stored; nulls never clash. One that cannot be asked stands. */
export function judgeUnique(
  tx: Tx,
  env: QueryEnv,
  schema: ObjectSchema,
  row: Row,
  rule: CompiledRule,
): readonly Finding[] {
  try {
    return judgeTuple(tx, env, schema, row, rule)
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'invalid_query') throw error
    const reason = String(error.details['reason'] ?? error.message)
    const message = `The rule "${rule.name}" cannot be evaluated: ${reason}`
    return [{ field: '', code: 'expression_error', message }]
  }
}

function judgeTuple(
  tx: Tx,
  env: QueryEnv,
  schema: ObjectSchema,
  row: Row,
  { unique, message, name }: CompiledRule,
): readonly Finding[] {
  if (unique === null) return obeyed
  const fields = unique.fields.flatMap((field) => schema.byName.get(field) ?? [])
  if (fields.length !== unique.fields.length) {
    return [{ field: '', code: 'expression_error', message: `The rule "${name}" names a field that does not exist.` }]
  }
  const codec = codecOf(schema)
  const values = Object.fromEntries(fields.map((field) => [field.name, codec.value(row, field)]))
  const where = unique.where === null ? null : parseFilter(unique.where, 'where')
  const id = row['id'] as string
  const clash = findUniqueClash(schema, { fields, where }, values, id, env)
  if (clash === null || tx.get(clash) === undefined) return obeyed
  if (where !== null) {
    const own: Filter = { kind: 'condition', path: ['id'], operator: '$eq', operand: id }
    if (tx.get(buildCount(schema, { filter: allOf(where, own) }, env))?.total === 0) return obeyed
  }
  const why = message ?? 'Another record has these values.'
  return fields.map((field) => ({ field: field.name, code: 'not_unique', message: why, value: values[field.name] }))
}
