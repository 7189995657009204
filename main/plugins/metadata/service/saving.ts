// The writing half of the metadata service: rights first, then one write after the other, so that what was checked
// cannot change before it is stored (D-105, D-106). Knows no routes.
import type { MetadataState, MetadataType } from '#shared/contracts/metadata.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import { whenReady } from '#main/kernel/pending-work.ts'
import type { OverlayRecord, RemoveItemInput, RemoveItemResult, SaveItemInput, SaveItemResult } from '../api.ts'
import { aroundAll } from './schema-work.ts'
import type { BundleEntry, BundleOptions, BundleResult } from './bundle.ts'
import { runBundle, subjectOf } from './bundle.ts'
import type { RunPlaced } from './exchange.ts'
import type { ItemCache } from './item-cache.ts'
import { splitChildName } from './field-items.ts'
import type { OverlayInput, OverlayKey } from './overlay-preparing.ts'
import { fieldOverlay } from './overlay-preparing.ts'
import type { PreparedWrite, PreparingOptions } from './preparing.ts'
import { createPreparing } from './preparing.ts'
import type { PublishInput, StateInput } from './state-preparing.ts'
import { createStoring } from './storing.ts'

/** What saving works with. */
export interface SavingOptions extends PreparingOptions {
  readonly cache: ItemCache
  readonly read: Reads
  readonly write: Write
  readonly authorizer: () => Authorizer
}

/** The writing half of the metadata service. */
export interface Saving {
  save(ctx: RequestContext, input: SaveItemInput): Promise<SaveItemResult>
  remove(ctx: RequestContext, input: RemoveItemInput): Promise<RemoveItemResult>
  /** Everybody may write overlays of their own. @throws permission_denied and what putting it throws */
  putOverlay(ctx: RequestContext, input: OverlayInput): Promise<OverlayRecord>
  /** Answers whether there was one. */
  removeOverlay(ctx: RequestContext, key: OverlayKey & { confirm?: string }): Promise<boolean>
  /** @throws permission_denied, resource_not_found, invalid_state_transition, destructive_change */
  changeState(ctx: RequestContext, input: StateInput & { state: MetadataState }): Promise<SaveItemResult>
  /** @throws permission_denied, resource_not_found, invalid_state_transition, CONCURRENT_UPDATE, destructive_change */
  publish(ctx: RequestContext, input: PublishInput): Promise<SaveItemResult>
  /** Takes a draft away; `deleted` says that the item was nothing but a draft. @throws permission_denied, resource_not_found */
  discardDraft(ctx: RequestContext, input: StateInput): Promise<SaveItemResult & { deleted: boolean }>
  /** Stores the body of an older version as a new one. @throws permission_denied and what a save throws */
  revert(ctx: RequestContext, input: SaveItemInput & { toVersion: number }): Promise<SaveItemResult>
  /** Saves and removes many items in one write. @throws permission_denied; what fails inside is an outcome */
  bundle(ctx: RequestContext, entries: readonly BundleEntry[], options: BundleOptions): Promise<BundleResult>
  /** Stores what comes from other machines; rights are not asked for. */
  readonly runPlaced: RunPlaced
}

/** Makes the writing half. */
export function createSaving(options: SavingOptions): Saving {
  const { cache, read, write, etag } = options
  const serial = createSerial()
  const preparing = createPreparing(options)
  const store = createStoring(options)
  const ground = { items: cache, reads: read, mayWait: true }

  const requireWriteRight = (ctx: RequestContext, input: { type: MetadataType; authorized?: boolean }): void => {
    if (input.authorized === true) return
    requireSystemPermission(options.authorizer(), ctx, writeRights[input.type] ?? 'manage_metadata')
  }

  /** Stores a prepared write; what its types have to do around it may take long. */
  const storeAll = async (job: string, ctx: RequestContext, prepared: PreparedWrite): Promise<void> => {
    await aroundAll(ctx, prepared.work, () => write(job, (tx) => store(tx, ctx, prepared)))
  }

  /** Prepares and stores one after the other; a write without changes stores nothing. */
  const run = (ctx: RequestContext, job: string, prepare: () => PreparedWrite): Promise<PreparedWrite> =>
    serial(async () => {
      const prepared = await whenReady(prepare)
      if (prepared.changes.length > 0 && !prepared.result.dryRun) await storeAll(job, ctx, prepared)
      return prepared
    })

  return {
    async save(ctx, input) {
      requireWriteRight(ctx, input)
      return serial(async () => {
        const prepared = await whenReady(() => preparing.save(ctx, input, ground))
        const { result, field } = prepared
        if (input.dryRun !== true && prepared.changes.length > 0) {
          await storeAll('metadata.save', ctx, prepared)
        }
        const stored = field === undefined ? undefined : cache.get('field', field)
        return stored === undefined ? result : { ...result, etag: etag(ctx, stored) }
      })
    },
    async remove(ctx, input) {
      requireWriteRight(ctx, input)
      return serial(async () => {
        const prepared = await whenReady(() => preparing.remove(ctx, input, ground))
        await storeAll('metadata.remove', ctx, prepared)
        return { deleted: prepared.reset !== true, reset: prepared.reset === true }
      })
    },
    async putOverlay(ctx, input) {
      if (input.scope === 'platform') requireWriteRight(ctx, input)
      return serial(async () => {
        const prepared = await whenReady(() => preparing.putOverlay(ctx, input, ground))
        if (prepared.changes.length > 0) await storeAll('metadata.overlay', ctx, prepared)
        return overlayOf(cache, input, ctx.actor.id)!
      })
    },
    async removeOverlay(ctx, key) {
      if (key.scope === 'platform') requireWriteRight(ctx, key)
      return serial(async () => {
        const prepared = await whenReady(() => preparing.removeOverlay(ctx, key, ground))
        if (prepared.changes.length > 0) await storeAll('metadata.overlay', ctx, prepared)
        return prepared.changes.length > 0
      })
    },
    async changeState(ctx, input) {
      requireWriteRight(ctx, input)
      return (await run(ctx, 'metadata.state', () => preparing.states.change(ctx, input, ground))).result
    },
    async publish(ctx, input) {
      requireWriteRight(ctx, input)
      return (await run(ctx, 'metadata.publish', () => preparing.states.publish(ctx, input, ground))).result
    },
    async discardDraft(ctx, input) {
      requireWriteRight(ctx, input)
      const { result, changes } = await run(ctx, 'metadata.draft', () => preparing.states.discard(ctx, input, ground))
      return { ...result, deleted: changes[0]!.next === null }
    },
    async revert(ctx, input) {
      requireWriteRight(ctx, input)
      return (await run(ctx, 'metadata.revert', () => preparing.revert(ctx, input, ground))).result
    },
    runPlaced: (job, ctx, prepare) =>
      serial(async () => {
        const prepared = await whenReady(() => prepare(preparing.placing, ground))
        if (prepared !== null && prepared.changes.length > 0) await storeAll(job, ctx, prepared)
        return prepared
      }),
    async bundle(ctx, entries, bundleOptions) {
      for (const entry of entries) {
        if (entry.overlay?.scope !== 'user') requireWriteRight(ctx, subjectOf(entry))
      }
      const stage = () => cache.copy()
      return serial(() => runBundle({ preparing, store, read, write, stage }, ctx, entries, bundleOptions))
    },
  }
}

/** The overlay of an item or of a field; null when there is none. */
export function overlayOf(items: ItemCache, { type, name, scope }: OverlayKey, user: string): OverlayRecord | null {
  const owner = scope === 'user' ? user : null
  if (type !== 'field') return items.overlay(type, name, owner) ?? null
  const object = splitChildName(name)?.parent ?? ''
  return fieldOverlay(items.overlay('object', object, owner), name)
}

/** Types whose items guard others need a right of their own (D-113). */
const writeRights: Readonly<Partial<Record<MetadataType, string>>> = {
  permission: 'manage_permissions',
  profile: 'manage_permissions',
  role: 'manage_permissions',
  flow: 'manage_flows',
}

/** Makes a lock: each call starts when the one before has ended, whether or not it failed. */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work, work)
    last = result
    return result
  }
}
