// Which fields of which objects point at an object. Derived from metadata, kept until the metadata epoch changes.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'

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
  return (object) => {
    if (metadata.epoch() !== epoch) {
      epoch = metadata.epoch()
      byTarget = new Map()
      for (const schema of metadata.objectSchemas()) {
        for (const field of schema.fields) {
          if (field.reference === null || fieldTypeOf(field).relation !== true || field.type === 'user') continue
          const list = byTarget.get(field.reference) ?? []
          list.push({ schema, field, behavior: field.settings.deleteBehavior ?? 'set_null' })
          byTarget.set(field.reference, list)
        }
      }
    }
    return byTarget.get(object) ?? []
  }
}
