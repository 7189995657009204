// Rules of type `unique`: another live record must not have the same tuple. Asked once the row is stored, so that a rule
// with a filter is judged by the row itself.
import { PlatformError } from '#shared/errors.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { UniqueRule } from '#main/database/query/unique-clash.ts'
import type { Row } from '../codec.ts'
import { codecOf } from '../codec.ts'
import { clashesOf } from '../unique-clashes.ts'
import type { CompiledRule } from './compile-rule.ts'
import type { Finding } from './finding.ts'
import { obeyed } from './finding.ts'

/** The tuple of a rule of type `unique`; null for other rules, and for one that cannot be asked. */
export function tupleOf(schema: ObjectSchema, { unique }: CompiledRule): UniqueRule | null {
  if (unique === null) return null
  const fields = unique.fields.flatMap((field) => schema.byName.get(field) ?? [])
  if (fields.length !== unique.fields.length) return null
  try {
    return { fields, where: unique.where === null ? null : parseFilter(unique.where, 'where') }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'invalid_query') throw error
    return null
  }
}

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
  const where = unique.where === null ? null : parseFilter(unique.where, 'where')
  if (clashesOf(tx, env, schema, row, { fields, where }).length === 0) return obeyed
  const why = message ?? 'Another record has these values.'
  return fields.map((field) => ({
    field: field.name,
    code: 'not_unique',
    message: why,
    value: codec.value(row, field),
  }))
}
