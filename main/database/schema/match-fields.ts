// Finds the field each field of a new version continues. Pure.
import { handedOnNames, renamedFrom } from '#shared/field-renames.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'

/**
 * Each field of the new version with the field it continues: by renames that hand names on, then by name, then by
 * `renamedFrom`, then by uid. Fields with ids of their own that differ are never the same: another machine may have
 * removed one and made another of its name.
 * @source D-100
 */
export function matchFields(before: ObjectSchema, after: ObjectSchema): Map<FieldSchema, FieldSchema> {
  const matched = new Map<FieldSchema, FieldSchema>()
  const free = new Map(before.fields.map((field) => [field.name, field]))
  const take = (field: FieldSchema, old: FieldSchema | undefined): void => {
    if (!old || !free.has(old.name) || matched.has(field) || isOther(field, old)) return
    free.delete(old.name)
    matched.set(field, old)
  }
  const { fields } = after.definition
  const handedOn = handedOnNames(before.definition.fields, fields)
  for (const field of after.fields) take(field, free.get(handedOn.get(field.name) ?? ''))
  for (const field of after.fields) take(field, free.get(field.name))
  for (const field of after.fields) take(field, free.get(renamedFrom(fields, field.name) ?? ''))
  for (const field of after.fields) {
    if (field.uid === field.name) continue
    take(
      field,
      [...free.values()].find((old) => old.uid === field.uid),
    )
  }
  return matched
}

/** Definitions without ids have the names in their place. */
function isOther(field: FieldSchema, old: FieldSchema): boolean {
  return field.uid !== old.uid && field.uid !== field.name && old.uid !== old.name
}
