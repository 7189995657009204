// Finds which records have the values that rows were refused for, so that a dry run knows whether they would keep them.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { operatorClasses } from '#shared/field-types/operator-classes.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { Match } from './matching.ts'
import { findMatches, keyOf, normaliseKey } from './matching.ts'
import type { RowError } from './row-outcome.ts'

/**
 * Looks up the records that have unique values of refused rows, one query per field.
 * @returns the id of the record with a value; undefined where the caller can see none
 */
export async function findHolders(
  data: DataService,
  ctx: RequestContext,
  schema: ObjectSchema,
  refused: readonly { readonly values: Readonly<Record<string, unknown>>; readonly errors: readonly RowError[] }[],
  env: ParseEnv,
): Promise<(field: FieldSchema, value: unknown) => string | undefined> {
  const holders = new Map<FieldSchema, ReadonlyMap<string, Match>>()
  for (const field of schema.fields) {
    if (!field.unique || !operatorClasses[fieldTypeOf(field).operators(field)].has('$in')) continue
    const rows = refused
      .filter(({ errors }) => errors.some((error) => error.field === field.name && error.code === 'not_unique'))
      .map(({ values }) => normaliseKey(values, [field], env))
    if (rows.length > 0) holders.set(field, await findMatches(data, ctx, schema, [field], rows, env))
  }
  return (field, value) => {
    const key = keyOf(normaliseKey({ [field.name]: value }, [field], env), [field])
    const match = key === null ? undefined : holders.get(field)?.get(key)
    return typeof match === 'object' ? match.id : undefined
  }
}
