// Owns finding the links between an object and others, and itself. Pure.
import { findFieldType } from '../../fields/index.ts'
import { fieldList, objectLabel } from './object-item.ts'
import type { ObjectItem } from './object-item.ts'

/** A field that leads from one object to another; labels are what the screens call them. */
export interface Relation {
  from: string
  fromLabel: string
  field: string
  fieldLabel: string
  to: string
  toLabel: string
}

/** The links that begin or end at an object, those that end there first. */
export function relationsOf(objects: readonly ObjectItem[], name: string): Relation[] {
  const labels = new Map(objects.map((object) => [object.name, objectLabel(object)]))
  const found = objects.flatMap((object) =>
    fieldList(object).flatMap((field): Relation[] => {
      const link = findFieldType(field.type)?.link
      if ((link !== 'object' && link !== 'self') || field.reference === undefined) return []
      if (object.name !== name && field.reference !== name) return []
      return [
        {
          from: object.name,
          fromLabel: objectLabel(object),
          field: field.name,
          fieldLabel: field.label ?? field.name,
          to: field.reference,
          toLabel: labels.get(field.reference) ?? field.reference,
        },
      ]
    }),
  )
  return [...found.filter(({ from }) => from !== name), ...found.filter(({ from }) => from === name)]
}
