// Which operations the API of an object offers (D-71). Knows no routes and no rights.
import { notFound, platformError } from './errors.ts'
import { apiMethods } from './object-definition.ts'
import type { ObjectSchema } from './object-schema.ts'

/** One operation of `enable.apiMethods`. */
export type ApiMethod = (typeof apiMethods)[number]

/**
 * Refuses operations that the object does not offer; an unknown object is left to whoever looks it up.
 * @throws resource_not_found when the object has no API
 * @throws method_not_allowed with `allowed` when an operation is missing
 * @source D-71
 */
export function requireApiMethods(schema: ObjectSchema | undefined, ...methods: readonly ApiMethod[]): void {
  if (schema === undefined) return
  const { apiEnabled, apiMethods: offered } = schema.enable
  if (!apiEnabled) throw notFound('object', schema.name)
  // A clone is offered only while the object says so twice: as an operation and as a feature (D-92).
  if (methods.includes('clone') && !schema.enable.clone)
    throw platformError('method_not_allowed', { allowed: without(schema) })
  if (offered === null || methods.every((method) => offered.includes(method))) return
  throw platformError('method_not_allowed', { allowed: offered })
}

/** Whether the object's API offers all of these operations. */
export function offersApiMethods({ enable }: ObjectSchema, ...methods: readonly ApiMethod[]): boolean {
  return methods.every((method) => enable.apiMethods?.includes(method) ?? true)
}

/** What an object that has no clones offers. */
function without(schema: ObjectSchema): readonly string[] {
  return (schema.enable.apiMethods ?? apiMethods).filter((method) => method !== 'clone')
}
