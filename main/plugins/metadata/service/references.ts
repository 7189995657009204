// Finds and rewrites what other items say about an object: its lookup fields, and items that hang on it by name. Pure.
import type { MetadataItem } from '../api.ts'

/** One item that needs an object (D-108, dependents). */
export interface Dependent {
  readonly sourceType: string
  readonly sourceName: string
  readonly targetType: 'object'
  readonly targetName: string
  readonly kind: 'reference'
}

/** The fields of other objects that refer to the object, in name order. */
export function dependentsOf(object: string, objects: readonly MetadataItem[]): Dependent[] {
  return objects
    .filter((item) => item.name !== object)
    .flatMap((item) =>
      Object.entries(mapAt(item.item, 'fields'))
        .filter(([, field]) => isMap(field) && refersTo(field, object))
        .map(([field]) => ({
          sourceType: 'field',
          sourceName: `${item.name}.${field}`,
          targetType: 'object' as const,
          targetName: object,
          kind: 'reference' as const,
        })),
    )
}

/**
 * An item's body after an object was renamed: references of fields and the `object` key follow. Answers the same value
 * when nothing in it named the object.
 */
export function withObjectRenamed(item: MetadataItem, from: string, to: string): Readonly<Record<string, unknown>> {
  if (item.type !== 'object') return renameObjectKey(item.item, from, to)
  const fields = mapAt(item.item, 'fields')
  if (!Object.values(fields).some((field) => isMap(field) && refersTo(field, from))) return item.item
  const renamed = Object.entries(fields).map(([name, field]) => [
    name,
    isMap(field) ? renameInField(field, from, to) : field,
  ])
  return { ...item.item, fields: Object.fromEntries(renamed) }
}

/** Whether an item belongs to the object by its name, `object.key`. */
export function isChildOf(item: Pick<MetadataItem, 'name'>, object: string): boolean {
  return item.name.startsWith(`${object}.`)
}

function refersTo(field: Record<string, unknown>, object: string): boolean {
  return (
    field['reference'] === object ||
    mapAt(field, 'summaryOperations')['object'] === object ||
    (Array.isArray(field['references']) && field['references'].includes(object))
  )
}

function renameInField(field: Record<string, unknown>, from: string, to: string): Record<string, unknown> {
  if (!refersTo(field, from)) return field
  const result = { ...field }
  if (result['reference'] === from) result['reference'] = to
  if (Array.isArray(result['references'])) {
    result['references'] = result['references'].map((name: unknown) => (name === from ? to : name))
  }
  const summary = mapAt(field, 'summaryOperations')
  if (summary['object'] === from) result['summaryOperations'] = { ...summary, object: to }
  return result
}

function renameObjectKey(
  item: Readonly<Record<string, unknown>>,
  from: string,
  to: string,
): Readonly<Record<string, unknown>> {
  const { object } = item
  if (object === from) return { ...item, object: to }
  if (Array.isArray(object) && object.includes(from)) {
    return { ...item, object: object.map((name: unknown) => (name === from ? to : name)) }
  }
  return item
}

function mapAt(value: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  const member = Object.hasOwn(value, key) ? value[key] : undefined
  return isMap(member) ? member : {}
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
