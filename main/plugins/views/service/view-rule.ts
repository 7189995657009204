// What a view must be beside its shape, however it is saved: named after its object, with fields its object has (D-115).
import type { FieldError } from '#shared/errors.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { ItemRule } from '#main/plugins/metadata/api.ts'
import { checkViewFields } from './check-config.ts'

/**
 * Makes the rule of the type. Columns of an object that is still to come, or that the caller may not read, are let
 * through.
 * @param envFor the world as the caller sees it, where some objects are not stored yet
 */
export function viewRule(envFor: (ctx: RequestContext, schemaOf: QueryEnv['schemaOf']) => QueryEnv): ItemRule {
  return (ctx, { name, item }, schemaOf) => {
    const { object, config } = item as { object: string; config?: Readonly<Record<string, unknown>> | null }
    const env = envFor(ctx, schemaOf)
    const schema = env.schemaOf(object)
    return [
      ...nameProblems(name, object),
      ...(schema === undefined || !config ? [] : checkViewFields(schema, config, env)),
    ]
  }
}

function nameProblems(name: string, object: string): FieldError[] {
  if (name.startsWith(`${object}.`)) return []
  const message = 'A view is named object.key, after the object it shows.'
  return [{ field: 'name', code: 'invalid_format', message, value: name }]
}
