// Whether an item may come into being: types that are made at run time, the number of objects, what extensions extend.
// Reads only.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { validationError } from '#shared/errors.ts'
import type { MetadataItem } from '../api.ts'
import { runtimeCreate } from '../types/type-entries.ts'
import { extendedObject } from './extensions.ts'
import type { ItemCache } from './item-cache.ts'

/** Most objects a workspace may have (D-199). */
export const maxObjects = 1000

/** Refuses new items of types nobody makes at run time, and one object too many. @throws validation_error */
export function requireCreatable(
  items: Pick<ItemCache, 'list'>,
  type: MetadataType,
  packageId: string | undefined,
): void {
  const who = runtimeCreate(type)
  if (who === 'never' || (who === 'packages' && packageId === undefined)) {
    throw validationError([
      { field: 'type', code: 'not_allowed', message: 'Items of this type are not made at run time.', value: type },
    ])
  }
  if (type === 'object' && items.list('object').length >= maxObjects) {
    throw validationError([
      {
        field: 'name',
        code: 'max_items',
        message: `A workspace has at most ${maxObjects} objects.`,
        constraint: maxObjects,
      },
    ])
  }
}

/** An extension extends an object that is there and is no extension itself. @throws validation_error */
export function requireTarget(items: Pick<ItemCache, 'base'>, item: MetadataItem): void {
  const target = extendedObject(item.item)
  if (target === null) return
  const object = target === item.name ? undefined : items.base('object', target)
  if (object !== undefined && extendedObject(object.item) === null) return
  throw validationError([
    { field: 'extend', code: 'invalid_reference', message: 'There is no such object to extend.', value: target },
  ])
}
