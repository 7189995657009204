// Which fields of which objects point at an object. Derived from metadata, kept until the metadata epoch changes.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { recordLinkText } from '#shared/field-types/record.ts'
import { deleteBehaviorOf } from '#shared/field-types/relation.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Naming } from '../store.ts'
import { targetObject } from './reference-checks.ts'

/** A field that points at the object asked for. */
export interface IncomingReference {
  readonly schema: ObjectSchema
  readonly field: FieldSchema
  readonly behavior: 'set_null' | 'cascade' | 'restrict'
}

/** Answers from memory which references lead to an object. */
export type IncomingReferences = (object: string) => readonly IncomingReference[]

/** Makes the index of references over the metadata service. */
export function createIncomingReferences(metadata: MetadataService): IncomingReferences {
  let epoch = -1
  let byTarget = new Map<string, IncomingReference[]>()
  /** Fields that may point at records of every object. */
  let toAny: IncomingReference[] = []

  const add = (schema: ObjectSchema, field: FieldSchema): void => {
    if (field.type === 'record') {
      const reference: IncomingReference = { schema, field, behavior: 'set_null' }
      const { references } = field.settings
      if (references === undefined) toAny.push(reference)
      else for (const target of new Set(references)) addTo(target, reference)
    } else if (fieldTypeOf(field).relation === true && field.type !== 'user') {
      addTo(targetObject(schema, field), { schema, field, behavior: deleteBehaviorOf(field) })
    }
  }
  const addTo = (target: string, reference: IncomingReference): void => {
    const list = byTarget.get(target)
    if (list === undefined) byTarget.set(target, [reference])
    else list.push(reference)
  }

  return (object) => {
    if (metadata.epoch() !== epoch) {
      epoch = metadata.epoch()
      byTarget = new Map()
      toAny = []
      for (const schema of metadata.objectSchemas()) {
        if (!schema.abstract) for (const field of schema.fields) add(schema, field)
      }
    }
    const own = byTarget.get(object) ?? []
    return toAny.length === 0 ? own : [...own, ...toAny]
  }
}

/** How the field's column names a record. */
export function namingOf(field: FieldSchema, object: string, id: string): Naming {
  const value = field.type === 'record' ? recordLinkText({ object, id }) : id
  return { column: field.column, multiple: field.multiple, value }
}
