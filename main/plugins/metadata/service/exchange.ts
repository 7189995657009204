// Items as machines exchange them (sync.md sections 2 and 3): reads them in portable form, committed or within a write, and
// stores those of others by uid. Knows no document.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { ItemIdentity, MetadataExchange, MetadataItem, MissingNames, PlacedItem, PortableView } from '../api.ts'
import { readAllItems, readAllOverlays } from '../store.ts'
import { typeEntries } from '../types/type-entries.ts'
import type { ItemCache } from './item-cache.ts'
import type { Placing } from './placing.ts'
import { portableItem, portableOverlay, travels } from './portable.ts'
import type { Ground, PreparedWrite } from './preparing.ts'
import { itemByUid } from './all-items.ts'

/** Runs one prepared metadata write after the others; null writes nothing. */
export type RunPlaced = (
  job: string,
  ctx: RequestContext,
  prepare: (placing: Placing, ground: Ground) => PreparedWrite | null,
) => Promise<PreparedWrite | null>

/** Nothing else is asked for a name. */
const nobody: MissingNames = { item: () => null, field: () => null }

/** Makes the exchange over the items of a host. */
export function createExchange(cache: ItemCache, run: RunPlaced): MetadataExchange {
  const viewOf = (items: ItemCache): PortableView => {
    const places = {
      items,
      byUid: (type: MetadataType, uid: string) => itemByUid(items, { type, uid }),
      missing: nobody,
    }
    return {
      item(type, name) {
        const stored = items.base(type, name)
        return stored === undefined || !travels(stored) ? null : portableItem(items, places, stored)
      },
      overlay(type, name) {
        const stored = items.base(type, name)
        const overlay = items.overlay(type, name, null)
        return stored === undefined || overlay === undefined ? null : portableOverlay(items, stored, overlay)
      },
    }
  }
  const committed = viewOf(cache)

  const store = async (
    job: string,
    ctx: RequestContext,
    prepare: (placing: Placing, ground: Ground) => PreparedWrite | null,
  ): Promise<boolean> => {
    const prepared = await run(job, ctx, prepare)
    return prepared !== null && prepared.changes.length > 0
  }

  return {
    committed,
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
      await store('metadata.place', ctx, (placing, ground) => {
        placed = build()
        before = itemByUid(cache, placed.portable)
        return placing.place(ctx, placed, ground)
      })
      return { before: before?.name ?? null, name: itemByUid(cache, placed!.portable)!.name }
    },
    drop: (ctx, identity: ItemIdentity) =>
      store('metadata.drop', ctx, (placing, ground) => placing.drop(ctx, identity, ground)),
    async placeOverlay(ctx, build) {
      await store('metadata.place-overlay', ctx, (placing, ground) => placing.placeOverlay(ctx, build(), ground))
    },
    dropOverlay: (ctx, base) =>
      store('metadata.drop-overlay', ctx, (placing, ground) => placing.dropOverlay(ctx, base, ground)),
  }
}
