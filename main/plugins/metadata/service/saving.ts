// The writing half of the metadata service: rights first, then one write after the other, so that what was checked
// cannot change before it is stored (D-105, D-106). Knows no routes.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { RemoveItemInput, SaveItemInput, SaveItemResult } from '../api.ts'
import type { BundleEntry, BundleOptions, BundleResult } from './bundle.ts'
import { runBundle } from './bundle.ts'
import type { ItemCache } from './item-cache.ts'
import { createItemCache } from './item-cache.ts'
import type { PreparingOptions } from './preparing.ts'
import { allItems, createPreparing } from './preparing.ts'
import { createSerial } from './serial.ts'
import { createStoring } from './storing.ts'

/** What saving works with. */
export interface SavingOptions extends PreparingOptions {
  readonly cache: ItemCache
  readonly read: Reads
  readonly write: Write
  readonly log: Logger
  readonly authorizer: () => Authorizer
}

/** The writing half of the metadata service. */
export interface Saving {
  save(ctx: RequestContext, input: SaveItemInput): Promise<SaveItemResult>
  remove(ctx: RequestContext, input: RemoveItemInput): Promise<void>
  /** Saves and removes many items in one write. @throws permission_denied; what fails inside is an outcome */
  bundle(ctx: RequestContext, entries: readonly BundleEntry[], options: BundleOptions): Promise<BundleResult>
}

/** Makes the writing half. */
export function createSaving(options: SavingOptions): Saving {
  const { cache, read, write, log, etag } = options
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
      })
    },
    async bundle(ctx, entries, bundleOptions) {
      for (const entry of entries) requireWriteRight(ctx, entry.remove ?? entry.save)
      const stage = () => createItemCache(allItems(cache), log)
      return serial(() => runBundle({ preparing, store, read, write, stage }, ctx, entries, bundleOptions))
    },
  }
}

/** Types whose items guard others need a right of their own (D-113). */
const writeRights: Readonly<Partial<Record<MetadataType, string>>> = {
  permission: 'manage_permissions',
  profile: 'manage_permissions',
  role: 'manage_permissions',
  flow: 'manage_flows',
}
