// What other plugins may ask of the metadata service. Types only.
import type { MetadataState, MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { ComparedTable } from '#main/database/compare-files.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'

/** A stored metadata item. `uid` never changes, also when the item is renamed. */
export interface MetadataItem {
  readonly type: MetadataType
  readonly name: string
  readonly uid: string
  readonly item: Readonly<Record<string, unknown>>
  readonly state: MetadataState
  readonly version: number
  readonly packageId: string | null
  readonly namespace: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** False for a draft that was never active; such an object has no table (D-110). */
  readonly published: boolean
}

/** What an overlay changes at one place (D-109). */
export interface OverlayChange {
  /** JSON Pointer into the item. */
  readonly path: string
  /** What stood there when the overlay was made; absent when there was nothing. */
  readonly originalValue?: unknown
  /** Null when the overlay takes the value away. */
  readonly currentValue: unknown
  readonly changedBy: string
  readonly changedAt: string
}

/** A change laid over an item: the workspace's (`platform`) or one user's own (D-109). */
export interface OverlayRecord {
  readonly id: string
  readonly baseType: MetadataType
  readonly baseName: string
  /** The package that delivered the item; null for one people made. */
  readonly packageId: string | null
  readonly scope: 'platform' | 'user'
  /** The user's id; null for the platform's. */
  readonly owner: string | null
  /** JSON Merge Patch. */
  readonly patch: Readonly<Record<string, unknown>>
  readonly changes: readonly OverlayChange[]
  readonly active: boolean
  readonly createdAt: string
  readonly createdBy: string
  readonly updatedAt: string
  readonly updatedBy: string
}

/** Labels of one language by what they name (D-180): `objects`, `apps`, `messages` and so on. */
export type TranslationTree = Readonly<Record<string, unknown>>

/** One step of a schema change (D-100). */
export interface SchemaChangeStep {
  readonly change: string
  readonly field?: string
  readonly from?: unknown
  readonly to?: unknown
  readonly records: number
  readonly destructive: boolean
  readonly lossy: number
  /** Of a conversion: values that arrive whole. */
  readonly converted?: number
  /** Of a conversion: values that become null. */
  readonly nulled?: number
  /** Of a conversion: the first 100 records whose value does not arrive whole. */
  readonly failures?: { id: string; value: unknown }[]
}

/** An item as it becomes. */
export interface HookTarget {
  readonly name: string
  readonly uid: string
  readonly item: Record<string, unknown>
  /** New names of objects that the same write renames, by their old ones: what refers to them still means the same. */
  readonly renamedObjects: ReadonlyMap<string, string>
  /** Made on another machine, where nobody knew of the rows here: what they break is told, and keeps nothing out. */
  readonly isPlaced?: boolean
}

/** What the owner of a type's storage does when items of that type change; `data` registers one for `object`. */
export interface TypeHook {
  /**
   * Works out what saving would change; reads only, through `reads`. `next` null means deletion. Asked twice: before
   * the write on committed data, and inside it (then `reads` is the write itself) so that rows stored meanwhile count.
   * @param mayWait true where the caller can wait for the answer: it is then worked out in the background when it takes long
   * @throws validation_error, not_implemented, PendingWork
   */
  plan(
    previous: MetadataItem | null,
    next: HookTarget | null,
    reads: Pick<Reads, 'all' | 'get'>,
    mayWait?: boolean,
  ): SchemaChangeStep[]
  /** What of the previous definition stays although the next leaves it out, because nobody agreed to lose it (D-100). */
  keep?(
    previous: MetadataItem,
    next: Record<string, unknown>,
    plan: readonly SchemaChangeStep[],
  ): { item: Record<string, unknown>; kept: { field: string; option: string }[] } | null
  /**
   * Runs around the write that stores the change, outside of every transaction: may prepare for long, must call `commit`
   * once, and takes back what it prepared when that fails.
   */
  around?(
    ctx: RequestContext,
    previous: MetadataItem | null,
    next: HookTarget | null,
    commit: () => Promise<void>,
  ): Promise<void>
  /** Applies the change inside the write that stores the item. */
  apply(tx: Tx, ctx: RequestContext, previous: MetadataItem | null, next: HookTarget | null): void
}

/**
 * What the owner of a type asks of items that people save, beside their shape; the problems it answers refuse the save.
 * What lies under an overlay is asked about as a whole whenever any of its layers changes. Items that stay as they are
 * stored and those of other machines are not asked about.
 * @param schemaOf compiled objects, among them those stored earlier in the same write
 */
export type ItemRule = (
  ctx: RequestContext,
  item: { readonly name: string; readonly item: Readonly<Record<string, unknown>> },
  schemaOf: (object: string) => ObjectSchema | undefined,
) => FieldError[]

/** The metadata service. Reads answer from memory. */
export interface MetadataService {
  /** Rises with every stored change of any item; caches of compiled metadata are keyed by it. */
  epoch(): number
  /**
   * The item in force (active or deprecated) as the workspace sees it: extensions and the active platform overlay
   * applied, no user's overlay. The same frozen value is answered until it changes. Drafts and archived items are absent.
   */
  get(type: MetadataType, name: string): MetadataItem | undefined
  /** All items in force of a type, as {@link get} answers them, by name. */
  list(type: MetadataType): readonly MetadataItem[]
  /**
   * The item in force with the caller's own overlay on top (D-109), for showing only: rights are not asked for, and as
   * users write what they like into their overlays, no right may hang on what it says.
   */
  effective(ctx: RequestContext, type: MetadataType, name: string): MetadataItem | undefined
  /** The item's body as the caller may read it (D-113), without the caller's overlay; null when there is none to know of. */
  seen(ctx: RequestContext, item: MetadataItem): Readonly<Record<string, unknown>> | null
  /** Adds the deprecation headers of D-202 to the answer when the item in use is deprecated (D-110). */
  noteUse(ctx: RequestContext, type: MetadataType, name: string): void
  /**
   * The labels of a language from all translation items in force: the language below its regional form, packages below
   * what people wrote. Empty when there are none; the same frozen value until a translation changes.
   */
  translations(locale: string): TranslationTree
  /** Canonical tags of the languages there are translation items in, sorted. */
  locales(): readonly string[]
  /**
   * The compiled schema of an object in force, extensions and platform overlay applied; undefined when there is none, it
   * is a draft or archived. The same frozen value is answered until it changes, so callers may key caches by identity.
   */
  objectSchema(name: string): ObjectSchema | undefined
  /** Where definitions are, for comparisons with a copy of the database. */
  readonly comparedItems: ComparedTable
  /** All compiled objects, by name. */
  objectSchemas(): readonly ObjectSchema[]
  /**
   * Creates or replaces an item (D-105): validates, plans, and stores item, history and tables in one write.
   * @throws validation_error, destructive_change, CONCURRENT_UPDATE, conflict
   */
  save(ctx: RequestContext, input: SaveItemInput): Promise<SaveItemResult>
  /** @throws resource_not_found, item_locked, CONCURRENT_UPDATE, delete_restricted, destructive_change */
  remove(ctx: RequestContext, input: RemoveItemInput): Promise<RemoveItemResult>
  /** Sets the one hook of a type. @throws Error when the type has one. */
  setTypeHook(type: MetadataType, hook: TypeHook): void
  /** Sets the one rule of a type. @throws Error when the type has one. */
  setItemRule(type: MetadataType, rule: ItemRule): void
  /** Items as machines exchange them. */
  readonly exchange: MetadataExchange
  /** Items as packages deliver them. */
  readonly deliveries: MetadataDeliveries
}

/** The platform's overlay as packages keep and set it. */
export interface DeliveredOverlay {
  /** JSON Merge Patch, with the uids of fields it adds. */
  readonly patch: Readonly<Record<string, unknown>>
  readonly active: boolean
}

/** An item as it is stored, without layers and without uids inside of it, and the platform's overlay over it. */
export interface DeliveredItem extends Pick<
  MetadataItem,
  'type' | 'name' | 'uid' | 'item' | 'state' | 'packageId' | 'namespace'
> {
  /** Uids of an object's fields, by name; empty for other types. */
  readonly fieldUids: Readonly<Record<string, string>>
  readonly overlay: DeliveredOverlay | null
}

/** What a package changes of one item it delivers. */
export type DeliveredChange =
  | {
      readonly change: 'save'
      readonly type: MetadataType
      readonly name: string
      readonly packageId: string
      readonly namespace: string
      readonly item: Record<string, unknown>
      /** Default: as it is, active for a new item. */
      readonly state?: MetadataState
      /** Absent: as it is; null: none. */
      readonly overlay?: DeliveredOverlay | null
      /** What records still use stays in the definition (D-100). */
      readonly keepsOptions: boolean
      /** True for a body that was stored before: what was let in then still is. */
      readonly returning?: true
      /** See {@link SaveItemInput}. */
      readonly returningUids?: { readonly object: string; readonly fields: Readonly<Record<string, string>> }
    }
  | {
      readonly change: 'remove'
      readonly type: MetadataType
      readonly name: string
      readonly packageId: string
      /** Removes the item although others refer to it. */
      readonly force?: boolean
    }
  | {
      readonly change: 'state'
      readonly type: MetadataType
      readonly name: string
      readonly packageId: string
      /** Any state; the lifecycle of people (D-110) does not bind a package. */
      readonly state: MetadataState
    }

/** What a delivery would do to tables, or has done. */
export interface DeliveryPlan {
  /** The steps, each with the object it is about. */
  readonly plan: readonly (SchemaChangeStep & { readonly object: string })[]
  readonly planHash?: string
}

/** Reads and changes what packages deliver; rights are the caller's to ask for. */
export interface MetadataDeliveries {
  /** The type a word names (D-102). */
  typeOf(word: string): MetadataType | undefined
  /** The stored item in any state, whoever made it. */
  item(type: MetadataType, name: string): DeliveredItem | undefined
  /** The items of a package in any state, what others refer to first. */
  itemsOf(packageId: string): readonly DeliveredItem[]
  /** How many items of each type every package has, by its id. */
  counts(): ReadonlyMap<string, Readonly<Record<string, number>>>
  /** Items in any state that were stored under a namespace. */
  inNamespace(namespace: string): readonly DeliveredItem[]
  /**
   * Stores the changes in one write, in the order types load; all or nothing.
   * @param build asked when no other metadata write can come between
   * @param options.confirm the plan's hash, or `true` for any plan (D-101)
   * @param options.along runs inside the transaction once all items are stored; this service already answers the items as
   * they will be. What it throws takes everything back
   * @throws destructive_change, and what refuses a change, with `item {type, name}` in its details
   */
  deliver(
    ctx: RequestContext,
    build: () => readonly DeliveredChange[],
    options: { readonly dryRun?: boolean; readonly confirm?: string | undefined; readonly along?: (tx: Tx) => void },
  ): Promise<DeliveryPlan>
}

/** A field of a {@link PortableItem}. */
export interface PortableField {
  readonly uid: string
  readonly name: string
  /** Without the uid. */
  readonly definition: Readonly<Record<string, unknown>>
}

/**
 * An item as stored, without layers, in a form that outlives renames: names in it that stand for items or fields are
 * marks, `uid_` and the uid. What the program delivers keeps its name, which is the same everywhere.
 */
export interface PortableItem {
  readonly type: MetadataType
  readonly uid: string
  /** Of a part of an object, `<mark of the object>.<name>`. */
  readonly name: string
  /** Without name and uid, and of an object without its fields. */
  readonly item: Readonly<Record<string, unknown>>
  /** Of an object, in their order; null for one without the key, and for every other type. */
  readonly fields: readonly PortableField[] | null
  readonly state: MetadataState
  readonly packageId: string | null
  readonly namespace: string | null
}

/** The platform's overlay of an item, in the same form. */
export interface PortableOverlay {
  readonly baseType: MetadataType
  readonly baseUid: string
  /** Of an object without `fields`. */
  readonly patch: Readonly<Record<string, unknown>>
  /** What the patch says of an object's fields; null takes one away. */
  readonly fields: readonly {
    readonly uid: string | null
    readonly name: string
    readonly patch: Readonly<Record<string, unknown>> | null
  }[]
  readonly active: boolean
}

/** Finds names for marks of what is not stored here; null leaves the mark. */
export interface MissingNames {
  item(type: MetadataType, uid: string): string | null
  /** @param object its uid; null where only its name is known */
  field(object: string | null, uid: string): string | null
}

/** Items at one moment, in portable form. */
export interface PortableView {
  /** Null when there is none, or when it does not travel. */
  item(type: MetadataType, name: string): PortableItem | null
  overlay(type: MetadataType, name: string): PortableOverlay | null
}

/** An item by what never changes. */
export interface ItemIdentity {
  readonly type: MetadataType
  readonly uid: string
}

/** What an item is to become: `portable` with names of this machine to be found for its marks, under `name`. */
export interface PlacedItem {
  readonly portable: PortableItem
  readonly missing: MissingNames
}

/** What placing did. */
export interface PlaceResult {
  /** The name the item had here; null when there was none of the uid. */
  readonly before: string | null
  readonly name: string
}

/** Reads and stores items as machines exchange them: by uid, with the uids given. */
export interface MetadataExchange {
  /** Items that are committed. */
  readonly committed: PortableView
  /** Items as a write in progress has stored them: the committed ones, and the touched ones read from its rows. */
  inside(tx: Pick<Tx, 'all'>, touched: readonly { readonly type: MetadataType; readonly name: string }[]): PortableView
  /** Types whose items are stored, what others refer to first. */
  readonly types: readonly MetadataType[]
  /** The stored items of a type by name: whether they travel, and whether the platform's overlay lies over them. */
  names(type: MetadataType): readonly {
    readonly name: string
    readonly uid: string
    readonly travels: boolean
    readonly isOverlaid: boolean
  }[]
  /** The committed name of a uid. */
  nameOf(identity: ItemIdentity): string | undefined
  /** The committed uid of a name. */
  uidOf(type: MetadataType, name: string): string | undefined
  /**
   * Stores an item under its uid, whatever it was called here, and accepts every plan; nothing is written when it is
   * stored like that already. Rights are not asked for.
   * @param build asked when no other metadata write can come between; its name has to be free
   * @throws an error with `missingUid` when a mark stands for nothing here; validation_error, conflict and what the hook of
   * the type throws
   */
  place(ctx: RequestContext, build: () => PlacedItem): Promise<PlaceResult>
  /** Removes an item by uid, also while others refer to it; answers whether there was one. */
  drop(ctx: RequestContext, identity: ItemIdentity): Promise<boolean>
  /** Stores the platform's overlay of an item by its uid. @throws as {@link place} */
  placeOverlay(
    ctx: RequestContext,
    build: () => { readonly overlay: PortableOverlay; readonly missing: MissingNames },
  ): Promise<void>
  /** Takes the platform's overlay of an item away; answers whether there was one. */
  dropOverlay(ctx: RequestContext, base: ItemIdentity): Promise<boolean>
}

/** Input of a save. */
export interface SaveItemInput {
  /** True when the calling plugin has checked the caller's right itself, for items people own (personal views). */
  readonly authorized?: boolean
  readonly type: MetadataType
  readonly name: string
  readonly item: Record<string, unknown>
  readonly namespace?: string
  readonly packageId?: string
  readonly dryRun?: boolean
  /** Ids of an item, and of an object's fields, that come back from a backup; what clients send as ids is ignored. */
  readonly returningUids?: { readonly object: string; readonly fields: Readonly<Record<string, string>> }
  /** True for a body that was stored before (a backup, an earlier version, a draft): what was let in then still is. */
  readonly returning?: true
  /** The state of a new item, default active; one that exists keeps its own. */
  readonly state?: MetadataState
  /** True stores a draft: a new item in state draft, or a draft beside a published one (D-110). */
  readonly draft?: boolean
  /** The plan's hash, or `true` for any plan (D-101). */
  readonly confirm?: string
  readonly ifMatch?: string
  readonly ifNoneMatch?: string
}

/** Input of a removal. */
export interface RemoveItemInput {
  /** True when the calling plugin has checked the caller's right itself. */
  readonly authorized?: boolean
  readonly type: MetadataType
  readonly name: string
  /** The package that removes what it delivered; without it a delivered item loses its overlay only. */
  readonly packageId?: string
  /** The plan's hash, or `true` for any plan (D-101). */
  readonly confirm?: string
  /** Removes the item although others refer to it. */
  readonly force?: boolean
  readonly ifMatch?: string
}

/** Result of a removal: the item is gone, or a delivered one is as its package made it (D-106). */
export interface RemoveItemResult {
  readonly deleted: boolean
  readonly reset: boolean
}

/** Result of a save. */
export interface SaveItemResult {
  readonly version: number
  readonly etag: string
  readonly state: MetadataState
  readonly created: boolean
  readonly warnings: readonly { path: string; message: string }[]
  readonly plan: readonly SchemaChangeStep[]
  readonly planHash?: string
  readonly dryRun: boolean
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    metadata: MetadataService
  }
}
