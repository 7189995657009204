// Walks every item of a cache, and finds stored items by uid. Remembers the answer per cache until that changes; knows no SQL.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { ItemIdentity, MetadataItem } from '../api.ts'
import type { ItemCache } from './item-cache.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'

const storedTypes = metadataTypes.filter((type) => type !== 'field')

/** Every item, types in the order of the specification; fields are part of their objects. */
export function allItems(items: Pick<ItemCache, 'list'>): MetadataItem[] {
  return storedTypes.flatMap((type) => items.list(type))
}

const known = new WeakMap<ItemCache, { epoch: number; names: ReadonlyMap<string, string> }>()

/** The stored item of a uid, whatever its name; undefined when there is none. */
export function itemByUid(items: ItemCache, { type, uid }: ItemIdentity): MetadataItem | undefined {
  let index = known.get(items)
  if (index?.epoch !== items.epoch()) {
    const names = allItems(items).map((item): [string, string] => [keyOf(item.type, item.uid), item.name])
    known.set(items, (index = { epoch: items.epoch(), names: new Map(names) }))
  }
  const name = index.names.get(keyOf(type, uid))
  return name === undefined ? undefined : items.base(type, name)
}

function keyOf(type: MetadataType, uid: string): string {
  return `${type}/${uid}`
}
