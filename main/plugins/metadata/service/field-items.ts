// Fields seen as items of their own (D-102): a projection of the object that holds them. Pure.
import { isJsonMap } from '#shared/merge-patch.ts'
import type { MetadataItem } from '../api.ts'
import type { Body } from './json-values.ts'
import { fieldsOf, textOf } from './json-values.ts'

/** The halves of a child name `parent.child`; null when it has no such form. */
export function splitChildName(name: string): { parent: string; child: string } | null {
  const dot = name.indexOf('.')
  if (dot <= 0 || dot === name.length - 1) return null
  return { parent: name.slice(0, dot), child: name.slice(dot + 1) }
}

/** The field `object.field` as an item, or undefined when there is none. */
export function fieldItem(
  name: string,
  findObject: (name: string) => MetadataItem | undefined,
): MetadataItem | undefined {
  const parts = splitChildName(name)
  const object = parts === null ? undefined : findObject(parts.parent)
  if (object === undefined || parts === null) return undefined
  const fields = fieldsOf(object.item)
  return Object.hasOwn(fields, parts.child) ? project(object, parts.child, fields[parts.child]) : undefined
}

/** All fields of an object as items. */
export function fieldItems(object: MetadataItem): MetadataItem[] {
  return Object.entries(fieldsOf(object.item)).map(([name, field]) => project(object, name, field))
}

/** An object's item with one field replaced, added at the end, or renamed in place. */
export function withField(
  object: Body,
  field: { name: string; definition: Body; renamedFrom: string | undefined },
): Record<string, unknown> {
  const before = fieldsOf(object)
  const replaced = Object.hasOwn(before, field.name) ? field.name : field.renamedFrom
  const entries = Object.entries(before).map(([name, definition]): [string, unknown] =>
    name === replaced ? [field.name, field.definition] : [name, definition],
  )
  if (replaced === undefined || !Object.hasOwn(before, replaced)) entries.push([field.name, field.definition])
  return { ...object, fields: Object.fromEntries(entries) }
}

/** An object's item without one field. */
export function withoutField(object: Body, field: string): Record<string, unknown> {
  return { ...object, fields: Object.fromEntries(Object.entries(fieldsOf(object)).filter(([name]) => name !== field)) }
}

/** A field item's body as it stands in the object: without the keys the projection adds. */
export function toFieldDefinition(item: Body): Record<string, unknown> {
  const { name: _name, object: _object, ...definition } = item
  return definition
}

function project(object: MetadataItem, field: string, definition: unknown): MetadataItem {
  const name = `${object.name}.${field}`
  const body = toFieldDefinition(isJsonMap(definition) ? definition : {})
  return Object.freeze({
    ...object,
    type: 'field' as const,
    name,
    uid: textOf(body, 'uid') ?? `${object.uid}.${field}`,
    item: Object.freeze({ name, object: object.name, ...body }),
  })
}
