// Lays an overlay over an item (D-109). Pure; the same item and overlay answer the same value, so that caches keyed by
// identity hold.
import { applyMergePatch } from '#shared/merge-patch.ts'
import type { MetadataItem, OverlayRecord } from '../api.ts'
import { deepFreeze } from './freeze.ts'

const known = new WeakMap<OverlayRecord, WeakMap<MetadataItem, MetadataItem>>()

/** The item with the overlay on top; the item itself when there is none or it is switched off. */
export function withOverlay(item: MetadataItem, overlay: OverlayRecord | undefined): MetadataItem {
  if (overlay === undefined || !overlay.active) return item
  let results = known.get(overlay)
  if (results === undefined) known.set(overlay, (results = new WeakMap()))
  let result = results.get(item)
  if (result === undefined) {
    const body = applyMergePatch(item.item, overlay.patch) as Record<string, unknown>
    results.set(item, (result = deepFreeze({ ...item, item: body })))
  }
  return result
}
