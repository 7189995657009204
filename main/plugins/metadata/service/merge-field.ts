// Edits fields as items (D-102): every edit is a save of the object, or the extension, whose definition holds the field.
import type { FieldError } from '#shared/errors.ts'
import { PlatformError, notFound } from '#shared/errors.ts'
import type { RemoveItemInput, SaveItemInput } from '../api.ts'
import { splitChildName, toFieldDefinition, withField, withoutField } from './field-items.ts'
import type { ItemCache } from './item-cache.ts'
import { fieldsOf, textOf } from './json-values.ts'

/** The save of an object that saving one of its fields means. @throws resource_not_found when there is no such object */
export function mergeField(items: ItemCache, input: SaveItemInput): SaveItemInput {
  const { parent, child } = splitChildName(input.name)!
  const name = fieldHolder(items, input.name)
  const object = items.get('object', name)
  if (object === undefined) throw notFound('object', parent)
  const definition = toFieldDefinition(input.item)
  const item = withField(object.item, { name: child, definition, renamedFrom: textOf(definition, 'renamedFrom') })
  const { dryRun, confirm, packageId } = input
  return { type: 'object', name, item, dryRun, confirm, packageId }
}

/** The save of an object that removing one of its fields means. */
export function mergeFieldRemoval(items: ItemCache, { name: field, confirm }: RemoveItemInput): SaveItemInput {
  const name = fieldHolder(items, field)
  const item = withoutField(items.get('object', name)!.item, splitChildName(field)!.child)
  return { type: 'object', name, item, confirm }
}

/** The object in whose definition the field stands or would stand: the object itself, or one of its extensions. */
export function fieldHolder(items: ItemCache, name: string): string {
  const { parent, child } = splitChildName(name)!
  if (items.base('field', name) !== undefined) return parent
  return items.extensions(parent).find(({ item }) => Object.hasOwn(fieldsOf(item), child))?.name ?? parent
}

/** The same failure of an object's save with the paths of its fields seen from one field. */
export function seenFromField(name: string, error: unknown): unknown {
  if (!(error instanceof PlatformError) || !Array.isArray(error.details['fieldErrors'])) return error
  const path = `fields.${splitChildName(name)!.child}`
  const fieldErrors = (error.details['fieldErrors'] as readonly FieldError[]).map((one) => ({
    ...one,
    field: one.field === path ? '' : one.field.startsWith(`${path}.`) ? one.field.slice(path.length + 1) : one.field,
  }))
  return new PlatformError(error.code, error, { ...error.details, fieldErrors })
}
