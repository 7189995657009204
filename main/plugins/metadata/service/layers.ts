// What an item is made of: the stored item, extensions of objects, overlays, and what they come to (D-108, D-109). Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { ItemCache } from './item-cache.ts'
import type { Body } from './json-values.ts'
import { overlayOf } from './merge-overlay.ts'

/** The layers from the bottom to the top; overlays that are absent or switched off are left out. */
export interface ItemLayers {
  readonly base: Body
  /** Extensions of an object in the order they apply. */
  readonly extensions?: readonly { readonly name: string; readonly item: Body }[]
  readonly platform?: Body
  readonly user?: Body
  readonly effective: Body
}

/**
 * The layers of an item for one user; `effective` is the body as that user sees it.
 * @param shown a layer as that user sees it
 */
export function layersOf(
  items: ItemCache,
  { type, name }: { type: MetadataType; name: string },
  user: string,
  effective: Body,
  shown: (layer: Body) => Body,
): ItemLayers {
  const platform = overlayOf(items, { type, name, scope: 'platform' }, user)
  const own = overlayOf(items, { type, name, scope: 'user' }, user)
  const extensions =
    type === 'object' ? items.extensions(name).map(({ name: of, item }) => ({ name: of, item: shown(item) })) : []
  // A field that stands in an overlay or an extension alone has nothing below.
  const base = items.base(type, name)?.item ?? {}
  return {
    base: shown(base),
    ...(extensions.length === 0 ? {} : { extensions }),
    ...(platform?.active === true ? { platform: shown(platform.patch) } : {}),
    ...(own?.active === true ? { user: own.patch } : {}),
    effective,
  }
}
