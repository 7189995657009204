// Tells record writes to wait while their object's table is being changed. Kept by schema value: whoever prepared a write
// for a definition that is gone is told too. Knows no host.
import { platformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'

const closed = new WeakMap<ObjectSchema, number>()

/** Refuses writes of this version of an object from now on, naming the seconds after which to try again. */
export function closeForWrites(schema: ObjectSchema, retryAfterSeconds: number): void {
  closed.set(schema, retryAfterSeconds)
}

/** Lets writes in again. */
export function openForWrites(schema: ObjectSchema): void {
  closed.delete(schema)
}

/** @throws service_unavailable with Retry-After while the object's table is being changed (D-101) */
export function requireOpen(schema: ObjectSchema): void {
  const retryAfterSeconds = closed.get(schema)
  if (retryAfterSeconds === undefined) return
  throw platformError('service_unavailable', { reason: 'schema_change', object: schema.name, retryAfterSeconds })
}
