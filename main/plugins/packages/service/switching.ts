// Enables and disables packages: what they deliver is archived meanwhile, so that it vanishes from the API and its records
// stay (D-127).
import type { MetadataState } from '#shared/contracts/metadata.ts'
import type { PackageSeed } from '#shared/contracts/package-parts.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DeliveredChange } from '#main/plugins/metadata/api.ts'
import { packageError } from '../errors.ts'
import type { PackageRow } from '../store.ts'
import { putPackage } from '../store.ts'
import { isExtension, keyOf } from './delivery-plan.ts'
import { seeding } from './execution.ts'
import type { PackageParts } from './parts.ts'
import { requirePackage, requireTransition } from './parts.ts'
import { detailsOf } from './record-view.ts'
import { requireRights } from './rights.ts'
import { writeSeeds } from './seeding.ts'
import { enabledDependents, worldOf } from './world.ts'

/** Disables a package; one that is disabled stays so. @throws package_not_found, dependency_conflict */
export async function disable(parts: PackageParts, ctx: RequestContext, id: string): Promise<PackageRow> {
  const row = requirePackage(parts, id)
  if (row.status === 'disabled') return row
  requireTransition(row, 'disabled')
  const dependents = enabledDependents(worldOf(parts), id)
  if (dependents.length > 0) throw packageError('dependency_conflict', { dependents })
  let states: Record<string, MetadataState> = {}
  const build = (): DeliveredChange[] => {
    // Without an extension the object of somebody else would lose fields, and with them data.
    const items = parts.metadata.deliveries.itemsOf(id).filter((item) => !isExtension(item))
    states = Object.fromEntries(
      items.filter(({ state }) => state !== 'active').map((item) => [keyOf(item), item.state]),
    )
    return items.map(({ type, name }) => ({ change: 'state', type, name, packageId: id, state: 'archived' }))
  }
  await parts.metadata.deliveries.deliver(ctx, build, {
    confirm: 'true',
    along(tx) {
      putPackage(tx, settled(parts, row, { status: 'disabled', states: JSON.stringify(states) }))
      tx.emit(ctx, { type: 'packages.disabled', payload: { packageId: id, version: row.version } })
    },
  })
  return requirePackage(parts, id)
}

/** Enables a package; one that is enabled stays so. @throws package_not_found, permission_denied, dependency_conflict */
export async function enable(parts: PackageParts, ctx: RequestContext, id: string): Promise<PackageRow> {
  const row = requirePackage(parts, id)
  if (row.status === 'installed') return row
  requireTransition(row, 'installed')
  const { manifest, states } = detailsOf(row)
  // What comes to life is brought along by whoever enables it (D-281).
  requireRights(parts.authorizer(), ctx, { items: parts.metadata.deliveries.itemsOf(id), manifest })
  const { installed } = worldOf(parts)
  const missing = Object.keys(manifest.dependencies).filter((needed) => installed.get(needed)?.enabled !== true)
  if (missing.length > 0) throw packageError('dependency_conflict', { dependencies: missing })
  const seeds = row.seeded_version === row.version ? [] : await seedsOf(parts, row)
  const build = (): DeliveredChange[] =>
    parts.metadata.deliveries
      .itemsOf(id)
      .filter((item) => !isExtension(item))
      .map((item) => {
        const state = (states[keyOf(item)] as MetadataState | undefined) ?? 'active'
        return { change: 'state', type: item.type, name: item.name, packageId: id, state }
      })
  await parts.metadata.deliveries.deliver(ctx, build, {
    confirm: 'true',
    along(tx) {
      putPackage(tx, settled(parts, row, { status: 'installed', states: '{}', seeded_version: row.version }))
      writeSeeds(tx, parts.data.within(tx, seeding(ctx)), row, seeds)
      tx.emit(ctx, { type: 'packages.enabled', payload: { packageId: id, version: row.version } })
    },
  })
  return requirePackage(parts, id)
}

/** The records an installed package brings along. */
export async function seedsOf({ artifacts }: PackageParts, row: PackageRow): Promise<readonly PackageSeed[]> {
  return row.artifact_ref === null ? detailsOf(row).manifest.data : (await artifacts.release(row.artifact_ref)).seeds
}

function settled({ clock }: PackageParts, row: PackageRow, changes: Partial<PackageRow>): PackageRow {
  const now = clock.iso()
  return { ...row, ...changes, updated_at: now, status_changed_at: now }
}
