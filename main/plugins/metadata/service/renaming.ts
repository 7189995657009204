// What moves with an item: children, overlays and drafts of one that goes, references to one that is renamed (D-100).
// Pure.
import type { MetadataItem, OverlayRecord } from '../api.ts'
import type { DraftRecord } from '../store.ts'
import { allItems } from './all-items.ts'
import { extendedObject } from './extensions.ts'
import { deepFreeze } from './freeze.ts'
import type { ItemCache } from './item-cache.ts'
import { isChildOf, withObjectRenamed } from './references.ts'
import type { ItemChange } from './storing.ts'

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

/** The change that gives an item another name; overlays and draft go with it. */
export function renamed(items: ItemCache, previous: MetadataItem, next: MetadataItem, name: string): ItemChange {
  const rename = (body: Readonly<Record<string, unknown>>) => ({
    ...body,
    ...(body['name'] === previous.name ? { name } : {}),
  })
  return {
    previous,
    next,
    overlays: items.overlays(previous.type, previous.name).map((overlay) => ({
      previous: overlay,
      next: { ...overlay, baseName: name },
    })),
    ...draftChange(items, previous, (draft) => ({ ...draft, name, item: rename(draft.item) })),
  }
}

/** Items that name the object under its old name, its extensions and its children, follow a rename. */
export function followRename(items: ItemCache, previous: MetadataItem | null, next: MetadataItem): ItemChange[] {
  if (previous === null || previous.name === next.name) return []
  const { updatedAt } = next
  return bases(items)
    .filter((item) => item !== previous)
    .flatMap((item): ItemChange[] => {
      const body = withNewName(item, previous.name, next.name)
      const isChild = item.type !== 'object' && isChildOf(item, previous.name)
      const name = isChild ? next.name + item.name.slice(previous.name.length) : item.name
      const overlays = items.overlays(item.type, item.name).map((overlay) => ({
        previous: overlay,
        next: withPatchRenamed(item, { ...overlay, baseName: name }, previous.name, next.name),
      }))
      const isPatched = overlays.some((one) => one.next.patch !== one.previous.patch)
      if (body === item.item && name === item.name && !isPatched) return []
      const changed = Object.hasOwn(body, 'name') ? { ...body, name } : body
      return [
        {
          previous: item,
          next: deepFreeze({ ...item, name, item: changed, version: item.version + 1, updatedAt }),
          overlays,
          ...draftChange(items, item, (draft) => {
            const moved = withNewName({ ...item, item: draft.item }, previous.name, next.name)
            return { ...draft, name, item: Object.hasOwn(moved, 'name') ? { ...moved, name } : moved }
          }),
        },
      ]
    })
}

function withNewName(item: MetadataItem, from: string, to: string): Readonly<Record<string, unknown>> {
  const body = withObjectRenamed(item, from, to)
  return item.type === 'object' && extendedObject(body) === from ? { ...body, extend: to } : body
}

function withPatchRenamed(item: MetadataItem, overlay: OverlayRecord, from: string, to: string): OverlayRecord {
  return { ...overlay, patch: withNewName({ ...item, item: overlay.patch }, from, to) }
}

function draftChange(
  items: ItemCache,
  item: MetadataItem,
  becomes: (draft: DraftRecord) => DraftRecord | null,
): Pick<ItemChange, 'draft'> {
  const draft = items.draft(item.type, item.name)
  return draft === undefined ? {} : { draft: { previous: draft, next: becomes(draft) } }
}

/** Every item as stored. */
function bases(items: ItemCache): MetadataItem[] {
  return allItems(items).map((item) => items.base(item.type, item.name)!)
}
