// Owns finding which objects link to an object, and which of their fields can be added up. Pure.
import { findFieldType } from '../../fields/index.ts'
import { fieldList } from './object-item.ts'
import type { ObjectItem } from './object-item.ts'

/** A field of another object that links to an object. */
export interface ChildLink {
  object: ObjectItem
  field: string
  label: string
}

/** The links to an object, in the order of objects and fields; a tree links an object to itself. */
export function childLinks(objects: readonly ObjectItem[], name: string): ChildLink[] {
  return objects.flatMap((object) =>
    fieldList(object)
      .filter((field) => {
        const { link } = findFieldType(field.type) ?? {}
        if (link === 'self') return object.name === name
        return link === 'object' && field.reference === name && !field.multiple
      })
      .map((field) => ({ object, field: field.name, label: field.label ?? field.name })),
  )
}

/** The fields of an object a summary can compute with, as choices. */
export function numericFields(object: ObjectItem): { value: string; label: string }[] {
  return fieldList(object)
    .filter((field) => findFieldType(field.type)?.measured || (field.type === 'formula' && field.returnType !== 'text'))
    .map((field) => ({ value: field.name, label: field.label ?? field.name }))
}
