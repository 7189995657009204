// The writing half of the metadata service: rights first, then one write after the other, so that what was checked
// cannot change before it is stored (D-105, D-106). Knows no routes.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { OverlayRecord, RemoveItemInput, RemoveItemResult, SaveItemInput, SaveItemResult } from '../api.ts'
import type { BundleEntry, BundleOptions, BundleResult } from './bundle.ts'
import { runBundle, subjectOf } from './bundle.ts'
import type { ItemCache } from './item-cache.ts'
import { splitChildName } from './field-items.ts'
import type { OverlayInput, OverlayKey } from './overlay-preparing.ts'
import { fieldOverlay } from './overlay-preparing.ts'
import type { PreparingOptions } from './preparing.ts'
import { createPreparing } from './preparing.ts'
import { createSerial } from './serial.ts'
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
  /** Saves and removes many items in one write. @throws permission_denied; what fails inside is an outcome */
  bundle(ctx: RequestContext, entries: readonly BundleEntry[], options: BundleOptions): Promise<BundleResult>
}

/** Makes the writing half. */
export function createSaving(options: SavingOptions): Saving {
  const { cache, read, write, etag } = options
  const serial = createSerial()
  const preparing = createPreparing(options)
  const store = createStoring(options)
  const ground = { items: cache, reads: read }

  const requireWriteRight = (ctx: RequestContext, input: { type: MetadataType; authorized?: boolean }): void => {
    if (input.authorized === true) return
    requireSystemPermission(options.authorizer(), ctx, writeRights[input.type] ?? 'manage_metadata')
  }

  return {
    async save(ctx, input) {
      requireWriteRight(ctx, input)
      return serial(async () => {
        const prepared = preparing.save(ctx, input, ground)
        const { result, field } = prepared
        if (input.dryRun !== true && prepared.changes.length > 0) {
          await write('metadata.save', (tx) => store(tx, ctx, prepared))
        }
        const stored = field === undefined ? undefined : cache.get('field', field)
        return stored === undefined ? result : { ...result, etag: etag(ctx, stored) }
      })
    },
    async remove(ctx, input) {
      requireWriteRight(ctx, input)
      return serial(async () => {
        const prepared = preparing.remove(ctx, input, ground)
        await write('metadata.remove', (tx) => store(tx, ctx, prepared))
        return { deleted: prepared.reset !== true, reset: prepared.reset === true }
      })
    },
    async putOverlay(ctx, input) {
      if (input.scope === 'platform') requireWriteRight(ctx, input)
      return serial(async () => {
        const prepared = preparing.putOverlay(ctx, input, ground)
        if (prepared.changes.length > 0) await write('metadata.overlay', (tx) => store(tx, ctx, prepared))
        return overlayOf(cache, input, ctx.actor.id)!
      })
    },
    async removeOverlay(ctx, key) {
      if (key.scope === 'platform') requireWriteRight(ctx, key)
      return serial(async () => {
        const prepared = preparing.removeOverlay(ctx, key, ground)
        if (prepared.changes.length > 0) await write('metadata.overlay', (tx) => store(tx, ctx, prepared))
        return prepared.changes.length > 0
      })
    },
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
