// What a relation field leads to, as the caller of a query may see it. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { QueryEnv } from './query-env.ts'

/** The object, or the directory of people; undefined for fields of other types and what the caller may not read. */
export function relationTarget(
  field: FieldSchema,
  env: Pick<QueryEnv, 'schemaOf' | 'users'>,
): ObjectSchema | undefined {
  if (fieldTypeOf(field).relation !== true || field.reference === null) return undefined
  return field.type === 'user' ? env.users : env.schemaOf(field.reference)
}
