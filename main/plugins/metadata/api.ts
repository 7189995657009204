// What other plugins may ask of the metadata service. Types only.
import type { MetadataState, MetadataType } from '#shared/contracts/metadata.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
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
}

/** One step of a schema change (D-100). */
export interface SchemaChangeStep {
  readonly change: string
  readonly field?: string
  readonly from?: unknown
  readonly to?: unknown
  readonly records: number
  readonly destructive: boolean
  readonly lossy: number
}

/** What the owner of a type's storage does when items of that type change; `data` registers one for `object`. */
export interface TypeHook {
  /**
   * Works out what saving would change; reads only, through `reads`. `next` null means deletion. Asked twice: before
   * the write on committed data, and inside it (then `reads` is the write itself) so that rows stored meanwhile count.
   * @throws validation_error, not_implemented
   */
  plan(
    previous: MetadataItem | null,
    next: { name: string; uid: string; item: Record<string, unknown> } | null,
    reads: Pick<Reads, 'all' | 'get'>,
  ): SchemaChangeStep[]
  /** Applies the change inside the write that stores the item. */
  apply(
    tx: Tx,
    ctx: RequestContext,
    previous: MetadataItem | null,
    next: { name: string; uid: string; item: Record<string, unknown> } | null,
  ): void
}

/** The metadata service. Reads answer from memory. */
export interface MetadataService {
  /** Rises with every stored change of any item; caches of compiled metadata are keyed by it. */
  epoch(): number
  get(type: MetadataType, name: string): MetadataItem | undefined
  list(type: MetadataType): readonly MetadataItem[]
  /**
   * The compiled schema of an object, or undefined when there is none or it is archived. The same frozen value is
   * answered until the item changes, so callers may key caches by identity (WeakMap).
   */
  objectSchema(name: string): ObjectSchema | undefined
  /** All compiled objects, by name. */
  objectSchemas(): readonly ObjectSchema[]
  /**
   * Creates or replaces an item (D-105): validates, plans, and stores item, history and tables in one write.
   * @throws validation_error, destructive_change, CONCURRENT_UPDATE, conflict
   */
  save(ctx: RequestContext, input: SaveItemInput): Promise<SaveItemResult>
  /** @throws resource_not_found, item_locked, CONCURRENT_UPDATE, delete_restricted, destructive_change */
  remove(ctx: RequestContext, input: RemoveItemInput): Promise<void>
  /** Sets the one hook of a type. @throws Error when the type has one. */
  setTypeHook(type: MetadataType, hook: TypeHook): void
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
  /** The plan's hash, or `true` for any plan (D-101). */
  readonly confirm?: string
  /** Removes the item although others refer to it. */
  readonly force?: boolean
  readonly ifMatch?: string
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
