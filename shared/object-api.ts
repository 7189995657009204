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

/** What of a list decides which operations it is; the forms of D-88 and D-90, read or not. */
export interface AskedList {
  readonly search?: unknown
  readonly aggregations?: unknown
  readonly groupBy?: unknown
}

/**
 * The operations that a list is. A search without words is no search (D-88), and no aggregations are none: whatever else is
 * written there counts, also where it is refused later.
 * @source D-71
 */
export function listMethods({ search, aggregations, groupBy }: AskedList): readonly ApiMethod[] {
  const first = isBlankSearch(search) ? 'list' : 'search'
  return isEmptyList(aggregations) && isEmptyList(groupBy) ? [first] : [first, 'aggregate']
}

function isBlankSearch(search: unknown): boolean {
  const isWritten = typeof search === 'object' && search !== null && !Array.isArray(search)
  const words = isWritten ? (search as { query?: unknown }).query : (search ?? '')
  return typeof words === 'string' && words.trim() === ''
}

function isEmptyList(list: unknown): boolean {
  if (typeof list === 'string') return /^(?:\s*\[\s*\]\s*|[\s,]*)$/.test(list)
  return list === undefined || list === null || (Array.isArray(list) && list.length === 0)
}

/** Whether the object's API offers all of these operations. */
export function offersApiMethods({ enable }: ObjectSchema, ...methods: readonly ApiMethod[]): boolean {
  return methods.every((method) => enable.apiMethods?.includes(method) ?? true)
}

/** What an object that has no clones offers. */
function without(schema: ObjectSchema): readonly string[] {
  return (schema.enable.apiMethods ?? apiMethods).filter((method) => method !== 'clone')
}
