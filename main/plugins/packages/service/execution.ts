// Stores packages with everything that belongs to them in one transaction: items, tables, customizations, snapshots, records
// (D-133, D-135). What fails takes everything back.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DeliveredItem, DeliveryPlan } from '#main/plugins/metadata/api.ts'
import type { PackageRow } from '../store.ts'
import { allPackages, putPackage } from '../store.ts'
import type { PlannedDelivery } from './delivery-plan.ts'
import { planDelivery } from './delivery-plan.ts'
import { requireFreeNames } from './namespaces.ts'
import type { PackageParts } from './parts.ts'
import type { HistoryEntry } from './record-view.ts'
import { detailsOf } from './record-view.ts'
import type { Release } from './release.ts'
import { writeSeeds } from './seeding.ts'
import type { StoredSettings } from './settings-values.ts'
import { takeSnapshot } from './snapshots.ts'
import type { MergeStrategy } from './three-way.ts'

/** One package to store. */
export interface Work {
  readonly release: Release
  /** The package as it is; null for a new one. */
  readonly previous: PackageRow | null
  readonly settings: StoredSettings
  readonly isEnabled: boolean
  readonly strategy: MergeStrategy
  readonly takesSnapshot: boolean
  /** Whether a new package brings its sample records along; one that is there keeps its choice. */
  readonly samples?: boolean
}

/** What was done, or would be; of several packages what is told of items is that of the last one. */
export interface Executed {
  readonly planned: PlannedDelivery
  readonly delivery: DeliveryPlan
  readonly snapshotId?: string
}

/** Stores packages, what others need first. @throws destructive_change, namespace_conflict and what refuses an item or record */
export async function execute(
  parts: PackageParts,
  ctx: RequestContext,
  works: readonly Work[],
  { dryRun = false, confirm }: { readonly dryRun?: boolean; readonly confirm?: string | undefined },
): Promise<Executed> {
  const { data, metadata, read } = parts
  const { deliveries } = metadata
  let planned: PlannedDelivery[] = []
  let before: readonly DeliveredItem[][] = []
  let known: ReadonlyMap<string, string> = new Map()
  let snapshotId: string | undefined

  const build = () => {
    const installed = allPackages(read)
    known = data.backups.ids(read)
    for (const { release } of works) requireFreeNames(release, installed, deliveries)
    before = works.map(({ release }) => [...deliveries.itemsOf(release.manifest.id)])
    planned = works.map(({ release, previous, strategy, isEnabled }, index) =>
      planDelivery(release, before[index]!, {
        strategy,
        isEnabled,
        keepsOptions: confirm === undefined,
        states: previous === null ? {} : detailsOf(previous).states,
      }),
    )
    return planned.flatMap(({ changes }) => changes)
  }

  const along = (tx: Tx): void => {
    const aside = [...data.backups.ids(tx)].filter(([id]) => !known.has(id))
    for (const [index, work] of works.entries()) {
      const { previous, release, takesSnapshot, isEnabled } = work
      const { id, version } = release.manifest
      const row = rowOf(parts, ctx, work)
      putPackage(tx, row)
      if (previous !== null && takesSnapshot) {
        const isLast = index === works.length - 1
        const objects = new Set(before[index]!.filter(({ type }) => type === 'object').map(({ name }) => name))
        const backups = aside.filter(([, object]) => isLast || objects.has(object)).map(([backup]) => backup)
        snapshotId = takeSnapshot(parts, tx, { row: previous, items: before[index]! }, { toVersion: version, backups })
      }
      // Records of a disabled package have no table to go to yet; they are written when it is enabled.
      if (isEnabled) writeSeeds(tx, data.within(tx, seeding(ctx)), row, release.seeds)
      tx.emit(ctx, {
        type: previous === null ? 'packages.installed' : 'packages.upgraded',
        payload: {
          packageId: id,
          version,
          trust: release.trust,
          ...(previous === null ? {} : { fromVersion: previous.version }),
        },
      })
    }
  }

  const delivery = await deliveries.deliver(ctx, build, { dryRun, confirm, along })
  return { planned: planned.at(-1)!, delivery, ...(snapshotId === undefined ? {} : { snapshotId }) }
}

/** The context records of packages are written in: with the rights of the caller, and no flow starts for them. */
export function seeding(ctx: RequestContext): RequestContext {
  return { ...ctx, runAutomations: false }
}

function rowOf({ clock }: PackageParts, ctx: RequestContext, work: Work): PackageRow {
  const { release, previous, settings, isEnabled } = work
  const { manifest, trust, publicKey, artifactRef } = release
  const { metadata: _m, data: _d, functions: _f, translations: _t, ...own } = manifest
  const now = clock.iso()
  const status = isEnabled ? 'installed' : 'disabled'
  const entry: HistoryEntry[] =
    previous === null
      ? []
      : [{ fromVersion: previous.version, toVersion: manifest.version, upgradedAt: now, status: 'success' }]
  return {
    id: manifest.id,
    namespace: manifest.namespace,
    type: manifest.type,
    version: manifest.version,
    previous_version: previous?.version ?? null,
    // What an archive holds is read from there again.
    manifest: JSON.stringify(artifactRef === null ? manifest : own),
    status,
    trust,
    public_key: publicKey ?? previous?.public_key ?? null,
    artifact_ref: artifactRef,
    settings: JSON.stringify(settings),
    states: previous?.states ?? '{}',
    seeded_version: isEnabled ? manifest.version : (previous?.seeded_version ?? null),
    history: JSON.stringify([...(previous === null ? [] : detailsOf(previous).history), ...entry]),
    error_message: null,
    installed_at: previous?.installed_at ?? now,
    installed_by: previous?.installed_by ?? ctx.actor.id,
    updated_at: now,
    status_changed_at: previous?.status === status ? previous.status_changed_at : now,
    samples: previous?.samples ?? (work.samples === false ? 0 : 1),
  }
}
