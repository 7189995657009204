// What one write changes of one item: the words preparing and storing share. Pure.
import type { MetadataItem, OverlayRecord } from '../api.ts'
import type { DraftRecord } from '../store.ts'
import type { CacheChange } from './item-cache.ts'

/** One item as it was and as it becomes, as stored; null means absent. */
export interface ItemChange {
  readonly previous: MetadataItem | null
  readonly next: MetadataItem | null
  /** What the change is when it is no save and no removal; `draft` touches nothing but the draft beside the item. */
  readonly op?: 'state' | 'overlay' | 'draft'
  /** Told in the history. */
  readonly message?: string
  /** Overlays that change with the item. */
  readonly overlays?: readonly { readonly previous: OverlayRecord | null; readonly next: OverlayRecord | null }[]
  /** The draft beside the item, when it changes with it. */
  readonly draft?: { readonly previous: DraftRecord | null; readonly next: DraftRecord | null }
}

/** What the changes mean for a cache of items. */
export function cacheChange(changes: readonly ItemChange[]): CacheChange {
  const overlays = changes.flatMap((change) => change.overlays ?? [])
  const drafts = changes.flatMap(({ draft }) => (draft === undefined ? [] : [draft]))
  return {
    remove: changes.flatMap(({ previous }) => (previous === null ? [] : [previous])),
    put: changes.flatMap(({ next }) => (next === null ? [] : [next])),
    removeOverlays: overlays.flatMap(({ previous }) => (previous === null ? [] : [previous])),
    putOverlays: overlays.flatMap(({ next }) => (next === null ? [] : [next])),
    removeDrafts: drafts.flatMap(({ previous }) => (previous === null ? [] : [previous])),
    putDrafts: drafts.flatMap(({ next }) => (next === null ? [] : [next])),
  }
}
