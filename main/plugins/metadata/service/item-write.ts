// The words of a metadata write: what its steps work with, what it would change, and what is agreed to. Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { ItemRule, MetadataItem, OverlayRecord, SaveItemResult, SchemaChangeStep, TypeHook } from '../api.ts'
import type { DraftRecord } from '../store.ts'
import type { CacheChange, ItemCache } from './item-cache.ts'
import { deepFreeze } from './json-values.ts'

/** What every write works with. */
export interface WriteParts {
  readonly clock: Clock
  readonly ids: Ids
  readonly hook: (type: MetadataType) => TypeHook | undefined
  readonly rule: (type: MetadataType) => ItemRule | undefined
  /** The ETag of an item as the caller sees it. */
  readonly etag: (ctx: RequestContext, item: MetadataItem) => string
  /** Every ETag under which the caller may have read the item: one per language. */
  readonly etags: (ctx: RequestContext, item: MetadataItem) => readonly string[]
}

/** What the steps of one write work with: who writes, and the items and rows it looks at. */
export interface WriteScope extends WriteParts {
  readonly ctx: RequestContext
  /** The items as they are, those of earlier entries of the same write included. */
  readonly items: ItemCache
  readonly reads: Pick<Reads, 'all' | 'get'>
  /** Uids of items that earlier entries of the same write change: their tables are not what they will be yet. */
  readonly touched?: ReadonlySet<string>
  /** True where the caller waits for plans that take long; see PendingWork. */
  readonly mayWait?: boolean
  /** True for what another machine made; see HookTarget. */
  readonly isPlaced?: boolean
  /** True for what was agreed to on another machine: no rule of a type is asked. */
  readonly isAgreed?: boolean
  /** Items, as `type/name`, that go in the same write: what they refer to may go too. */
  readonly leaving?: ReadonlySet<string>
}

/** The item a write is about, and the consent of the caller. */
export interface WriteSubject {
  readonly type: MetadataType
  readonly name: string
  /** The plan's hash, or `true` for any plan (D-101). */
  readonly confirm?: string
  readonly dryRun?: boolean
}

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

/** What a write would change, before its storage is worked out. */
export interface ProposedWrite {
  /** The first change is the item's own; none when nothing changes. */
  readonly changes: readonly ItemChange[]
  readonly created?: boolean
  readonly warnings?: SaveItemResult['warnings']
}

/** One call of a type's hook: the effective item as it was and as it becomes. */
export interface SchemaWork {
  readonly hook: TypeHook
  readonly previous: MetadataItem | null
  readonly next: MetadataItem | null
  readonly renamedObjects: ReadonlyMap<string, string>
  readonly plan: readonly SchemaChangeStep[]
}

/** A write that is worked out and agreed to, but not stored. */
export interface PreparedWrite {
  /** What a save answers; of a removal only the plan counts. */
  readonly result: SaveItemResult
  /** Those proposed, then new versions of objects whose extensions change. */
  readonly changes: readonly ItemChange[]
  readonly work: readonly SchemaWork[]
  /** The steps of all work. */
  readonly plan: readonly SchemaChangeStep[]
  /** The items as they will be. */
  readonly after: ItemCache
  readonly confirm: string | undefined
  /** The field the write is about, `object.field`, when it edits one. */
  readonly field?: string
  /** True when a removal takes away an overlay and leaves the item (D-106). */
  readonly reset?: true
}

/** A prepared write with no more of the items than storing looks at. */
export type StorableWrite = Omit<PreparedWrite, 'after'> & { readonly after: Pick<ItemCache, 'get' | 'overlay'> }

/** The item with some members changed, as its next version. */
export function nextVersion(item: MetadataItem, changes: Partial<MetadataItem>, updatedAt: string): MetadataItem {
  return deepFreeze({ ...item, ...changes, version: item.version + 1, updatedAt })
}

/** What the changes mean for a cache of items. */
export function cacheChange(changes: readonly ItemChange[]): CacheChange {
  const overlays = changes.flatMap((change) => change.overlays ?? [])
  const drafts = changes.flatMap((change) => change.draft ?? [])
  const before = <T>(list: readonly { readonly previous: T | null }[]) => list.flatMap(({ previous }) => previous ?? [])
  const after = <T>(list: readonly { readonly next: T | null }[]) => list.flatMap(({ next }) => next ?? [])
  return {
    remove: before(changes),
    put: after(changes),
    removeOverlays: before(overlays),
    putOverlays: after(overlays),
    removeDrafts: before(drafts),
    putDrafts: after(drafts),
  }
}
