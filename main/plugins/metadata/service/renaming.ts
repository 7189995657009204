// What moves with an item: children, overlays and drafts of one that goes, references to one that is renamed (D-100).
// Pure.
import type { MetadataItem } from '../api.ts'
import type { Renames } from '../references/renames.ts'
import { renamedChild, withRenames } from '../references/renames.ts'
import type { DraftRecord } from '../store.ts'
import type { ItemCache } from './item-cache.ts'
import { allItems } from './item-cache.ts'
import type { ItemChange } from './item-write.ts'
import { nextVersion } from './item-write.ts'
import type { Body } from './json-values.ts'

/** The changes of removing an item: itself first, an object's children, their overlays and drafts. */
export function leaving(items: ItemCache, item: MetadataItem): ItemChange[] {
  const children = item.type === 'object' ? bases(items).filter((other) => isChildOf(other, item.name)) : []
  return [item, ...children].map((previous) => ({
    previous,
    next: null,
    overlays: items.overlays(previous.type, previous.name).map((overlay) => ({ previous: overlay, next: null })),
    ...draftChange(items, previous, () => null),
  }))
}

/** The change of an object that renames itself or its fields: overlays and draft follow. */
export function renamed(items: ItemCache, previous: MetadataItem, next: MetadataItem, renames: Renames): ItemChange {
  return { previous, next, ...layersRenamed(items, previous, next.name, renames) }
}

/** Items that refer to what a save of an object renames, its extensions and its children follow (D-100). */
export function followRename(
  items: ItemCache,
  previous: MetadataItem,
  next: MetadataItem,
  renames: Renames,
): ItemChange[] {
  const { updatedAt } = next
  return bases(items)
    .filter((item) => item !== previous)
    .flatMap((item): ItemChange[] => {
      const body = withRenames(item, renames, items)
      const name = renamedChild(item.type, item.name, renames)
      const layers = layersRenamed(items, item, name, renames)
      const isPatched = layers.overlays.some((one) => one.next.patch !== one.previous.patch)
      const isRedrafted = layers.draft !== undefined && layers.draft.next?.item !== layers.draft.previous?.item
      if (body === item.item && name === item.name && !isPatched && !isRedrafted) return []
      return [{ previous: item, next: nextVersion(item, { name, item: withName(body, name) }, updatedAt), ...layers }]
    })
}

/** Overlays and draft of an item after the renames, under its name after them. */
function layersRenamed(items: ItemCache, item: MetadataItem, name: string, renames: Renames) {
  const { type, item: whole } = item
  const rewrite = (body: Body) => withRenames({ type, name: item.name, item: body, whole }, renames, items)
  return {
    overlays: items.overlays(type, item.name).map((overlay) => ({
      previous: overlay,
      next: { ...overlay, baseName: name, patch: rewrite(overlay.patch) },
    })),
    ...draftChange(items, item, (draft) => ({ ...draft, name, item: withName(rewrite(draft.item), name) })),
  }
}

function withName(body: Body, name: string): Body {
  return Object.hasOwn(body, 'name') && body['name'] !== name ? { ...body, name } : body
}

function draftChange(
  items: ItemCache,
  item: MetadataItem,
  becomes: (draft: DraftRecord) => DraftRecord | null,
): Pick<ItemChange, 'draft'> {
  const draft = items.draft(item.type, item.name)
  return draft === undefined ? {} : { draft: { previous: draft, next: becomes(draft) } }
}

/** Whether an item belongs to the object by its name, `object.key`. */
function isChildOf(item: Pick<MetadataItem, 'name'>, object: string): boolean {
  return item.name.startsWith(`${object}.`)
}

/** Every item as stored. */
function bases(items: ItemCache): MetadataItem[] {
  return allItems(items).map((item) => items.base(item.type, item.name)!)
}
