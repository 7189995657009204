// Finds stored items by uid. Remembers the answer per cache until that changes; knows no SQL.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { ItemIdentity, MetadataItem } from '../api.ts'
import { allItems } from './all-items.ts'
import type { ItemCache } from './item-cache.ts'

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
