// Owns the shape of an object definition as the screens read and write it. Unknown keys pass through untouched, so that
// saving a label never loses what this version does not show.
import type { FieldDefinition } from '../../fields/field-definition.ts'

/** A field without its name, as it stands in the map of an object. */
export type FieldItem = { [K in keyof FieldDefinition as K extends 'name' ? never : K]: FieldDefinition[K] }

/** An object definition (D-92); the order of `fields` is the order on screen. */
export interface ObjectItem {
  name: string
  label?: string
  pluralLabel?: string
  description?: string
  displayNameField?: string
  fields: Record<string, FieldItem>
  enable?: Record<string, unknown>
  isSystem?: boolean
  /** Version token of the item as it was read, for If-Match; not part of the definition. */
  etag?: string
  [key: string]: unknown
}

/** Reads an item of the metadata service as an object definition; undefined when it is none. */
export function readObjectItem(item: Record<string, unknown>): ObjectItem | undefined {
  if (typeof item.name !== 'string') return undefined
  const fields = typeof item.fields === 'object' && item.fields !== null ? item.fields : {}
  return { ...item, name: item.name, fields: fields as Record<string, FieldItem> }
}

/** The fields of an object in their order, each with its name and what only its object knows. */
export function fieldList(object: ObjectItem): FieldDefinition[] {
  return Object.entries(object.fields).map(([name, field]) => {
    const known: Partial<FieldDefinition> = { name, object: object.name }
    // A tree links to its own object; a vector is a list of numbers nobody reads.
    if (field.type === 'tree') known.reference = object.name
    if (field.type === 'vector') known.hidden = true
    return { ...field, ...known } as FieldDefinition
  })
}

/** What an object is called on screen: the label, else its name. */
export function objectLabel(object: ObjectItem): string {
  return object.label ?? object.name
}

/** What its records are called together. */
export function objectPluralLabel(object: ObjectItem): string {
  return object.pluralLabel ?? objectLabel(object)
}

/** The field that stands for a record. @source D-92 */
export function displayFieldOf(object: ObjectItem): string | undefined {
  if (object.displayNameField && object.displayNameField in object.fields) return object.displayNameField
  const common = ['name', 'title', 'label', 'subject'].find((name) => name in object.fields)
  return common ?? fieldList(object).find((field) => field.type === 'text')?.name
}

/** What the fields of an object are called, by name. */
export function labelsOf(object: ObjectItem): Record<string, string> {
  return Object.fromEntries(fieldList(object).map((field) => [field.name, field.label ?? field.name]))
}
