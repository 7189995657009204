// Names of navigation: a relation field keeps the id under its own name, and what it leads to has another one. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'

/** Field names have no capitals, so nothing else ends like this. */
const navigationForm = /^([a-z][a-z0-9_]*)Records?$/

/** The name under which a relation field leads to its record or records. @source D-275 */
export function navigationNameOf(field: FieldSchema): string {
  return `${field.name}${field.multiple ? 'Records' : 'Record'}`
}

/** The field a name means: navigation is told by its ending. */
export function fieldNameOf(name: string): string {
  return navigationForm.exec(name)?.[1] ?? name
}
