// Which fields of an object leave a trace in its changelog and feed. Compiled once per object schema. Knows no rows.
import { declaredTypeOf, isConcealed } from '#shared/field-types/registry.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'

/** A field whose changes are kept. */
export interface TrackedField {
  readonly field: FieldSchema
  /** Its values are never kept, only that it changed. */
  readonly concealed: boolean
  /** Whether its changes show in the feed too (D-93, `trackFeedHistory`). */
  readonly inFeed: boolean
}

const compiled = new WeakMap<ObjectSchema, ReadonlyMap<string, TrackedField>>()

/**
 * The tracked fields by name, in display order, the owner last. What is computed from other values is left out: it
 * follows from changes and is none itself. Numbers given out by the server are values of their own and stay.
 */
export function trackedFields(schema: ObjectSchema): ReadonlyMap<string, TrackedField> {
  let tracked = compiled.get(schema)
  if (tracked === undefined) {
    const own = schema.fields.filter((field) => !field.computed || declaredTypeOf(field).issued)
    tracked = new Map([...own, schema.byName.get('owner')!].map((field) => [field.name, trackedField(schema, field)]))
    compiled.set(schema, tracked)
  }
  return tracked
}

function trackedField(schema: ObjectSchema, field: FieldSchema): TrackedField {
  const definition: Readonly<Record<string, unknown>> = schema.definition.fields[field.name] ?? {}
  return {
    field,
    concealed: isConcealed(field),
    inFeed: definition['trackFeedHistory'] !== false,
  }
}
