// Walks every item of a cache. Pure.
import { metadataTypes } from '#shared/contracts/metadata.ts'
import type { MetadataItem } from '../api.ts'
import type { ItemCache } from './item-cache.ts'

const storedTypes = metadataTypes.filter((type) => type !== 'field')

/** Every item, types in the order of the specification; fields are part of their objects. */
export function allItems(items: Pick<ItemCache, 'list'>): MetadataItem[] {
  return storedTypes.flatMap((type) => items.list(type))
}
