// Items as machines exchange them (sync.md sections 2 and 3): reads them in portable form, committed or within a write, and
// stores those of others by uid. Knows no document.
import type { MetadataExchange, MetadataItem, MissingNames, PlacedItem, PortableView } from '../api.ts'
import { readAllItems, readAllOverlays } from '../store.ts'
import { typeEntries } from '../types/type-entries.ts'
import type { ItemCache } from './item-cache.ts'
import { itemByUid } from './item-cache.ts'
import type { PreparedWrite } from './item-write.ts'
import type { Pipeline } from './pipeline.ts'
import { agreedElsewhere, placedOverlay, placesOf } from './place-item.ts'
import { portableItem, portableOverlay, travels } from './portable.ts'

/** Nothing else is asked for a name. */
const nobody: MissingNames = { item: () => null, field: () => null }

/** Makes the exchange over the items of a host. */
export function createExchange(cache: ItemCache, run: Pipeline['runPlaced']): MetadataExchange {
  const viewOf = (items: ItemCache): PortableView => ({
    item(type, name) {
      const stored = items.base(type, name)
      return stored === undefined || !travels(stored) ? null : portableItem(items, placesOf(items, nobody), stored)
    },
    overlay(type, name) {
      const stored = items.base(type, name)
      const overlay = items.overlay(type, name, null)
      return stored === undefined || overlay === undefined ? null : portableOverlay(items, stored, overlay)
    },
  })
  const isChange = (prepared: PreparedWrite | null): boolean => prepared !== null && prepared.changes.length > 0

  return {
    committed: viewOf(cache),
    types: typeEntries
      .toSorted((a, b) => a.loadOrder - b.loadOrder)
      .map(({ type }) => type)
      .filter((type) => type !== 'field'),
    inside(tx, touched) {
      const items = cache.copy()
      const before = touched.map(({ type, name }) => ({ type, name }))
      items.apply({
        remove: before,
        removeOverlays: before.flatMap(({ type, name }) => items.overlays(type, name)),
        put: before.flatMap((key) => readAllItems(tx, key)),
        putOverlays: before.flatMap((key) => readAllOverlays(tx, key)),
      })
      return viewOf(items)
    },
    names: (type) =>
      cache.list(type).map(({ name }) => {
        const item = cache.base(type, name)!
        const isOverlaid = cache.overlay(type, name, null) !== undefined
        return { name, uid: item.uid, travels: travels(item), isOverlaid }
      }),
    nameOf: (identity) => itemByUid(cache, identity)?.name,
    uidOf: (type, name) => cache.base(type, name)?.uid,
    async place(ctx, build) {
      let before: MetadataItem | undefined
      let placed: PlacedItem | undefined
      await run(ctx, 'place', () => {
        placed = build()
        before = itemByUid(cache, placed.portable)
        return placed
      })
      return { before: before?.name ?? null, name: itemByUid(cache, placed!.portable)!.name }
    },
    drop: async (ctx, identity) => isChange(await run(ctx, 'drop', () => itemByUid(cache, identity) ?? null)),
    async placeOverlay(ctx, build) {
      await run(ctx, 'overlay', () => placedOverlay(cache, build()))
    },
    async dropOverlay(ctx, identity) {
      const prepared = await run(ctx, 'remove-overlay', () => {
        const base = itemByUid(cache, identity)
        if (base === undefined) return null
        return { type: base.type, name: base.name, scope: 'platform', confirm: agreedElsewhere }
      })
      return isChange(prepared)
    },
  }
}
